import { expect } from 'chai';
import type { AppError } from '../../contract/errors.ts';
import { requestFingerprint } from '../../ground/fingerprint.ts';
import { createBodyParser } from '../../http/body-parser.ts';
import { type BodyToParse, fileMark, parseBody } from '../../http/parse-body.ts';
import { someWorkers } from '../support/workers.ts';

const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));
const rules = { maxRestBytes: 200_000, maxValues: 100, plainNumbers: false, file: 'document' };
const json = (body: unknown): BodyToParse => ({
  ...rules,
  parts: [bytesOf(JSON.stringify(body))],
  fingerprintOf: 'send_letter',
});

const form = async (entries: Record<string, string | Blob>): Promise<BodyToParse> => {
  const data = new FormData();
  for (const [name, value] of Object.entries(entries)) data.set(name, value);
  const request = new Request('http://localhost', { method: 'POST', body: data });
  return {
    ...rules,
    parts: [await request.bytes()],
    form: {
      contentType: request.headers.get('content-type') ?? '',
      members: {
        document: { type: 'string', contentEncoding: 'base64' },
        pages: { type: 'integer' },
      },
    },
    fingerprintOf: 'send_letter',
  };
};

const refusal = async (input: BodyToParse): Promise<[string, string | undefined]> => {
  try {
    await parseBody(input);
  } catch (error) {
    const { code, errors } = error as AppError;
    return [code, errors?.[0]?.code];
  }
  throw new Error('it was taken');
};

describe('the file in a body', () => {
  const file = Buffer.alloc(300_000, 'a file, ');
  const text = { to_name: 'Anna', document: file.toString('base64') };

  it('is decoded once, and its request has the fingerprint that it always had', async () => {
    const parsed = await parseBody(json(text));
    expect(Buffer.from(parsed.file ?? []).equals(file)).to.equal(true);
    expect(parsed.body).to.deep.equal({ ...text, document: fileMark });
    expect(parsed.fingerprints).to.deep.equal({
      command: requestFingerprint('send_letter', text, undefined),
      payment: requestFingerprint('send_letter', text, { params: undefined, query: undefined }),
    });
  });

  it('is the same in a form as in JSON, and as bytes', async () => {
    const sent = await form({ to_name: 'Anna', document: new Blob([file]) });
    const parsed = await parseBody(sent);
    const { command } = parsed.fingerprints ?? {};
    expect(command).to.equal(requestFingerprint('send_letter', text, undefined));
    expect(command).to.equal(
      requestFingerprint('send_letter', { ...text, document: file }, undefined),
    );
    expect(Buffer.from(parsed.file ?? []).equals(file)).to.equal(true);
  });

  it('is left to the operation to refuse where it is not base64, and cut short', async () => {
    for (const document of ['', '?', 'AAA', `${'A'.repeat(100_000)}-`, 5, null]) {
      const { body, file: found } = await parseBody(json({ document }));
      expect(found).to.equal(undefined);
      const left = (body as { document: unknown }).document;
      if (typeof document !== 'string' || document.length <= 1_000) {
        expect(left).to.equal(document);
      } else expect(left).to.be.a('string').with.length(1_001);
    }
  });
});

describe('a long body', () => {
  const workers = someWorkers();
  after(() => workers.close());
  const by = { address: '192.0.2.1' };

  it('is parsed in a thread to the same, and refused there in the same words', async () => {
    const parse = createBodyParser(workers);
    const long = { content: 'ä'.repeat(40_000), document: 'AAAA', list: [1, { a: null }] };
    const inline = await parseBody(json(long));
    const { file, ...rest } = await parse(json(long), by, false);
    expect(rest).to.deep.equal({ body: inline.body, fingerprints: inline.fingerprints });
    expect(Buffer.from(file ?? [])).to.deep.equal(Buffer.from(inline.file ?? []));
    const wrong: [string, string, string?][] = [
      [`{"a":"${'x'.repeat(70_000)}`, 'invalid_json'],
      [`{"a":"${'x'.repeat(70_000)}","a":1}`, 'duplicate_name'],
      [`[${'0,'.repeat(70_000)}0]`, 'validation_failed', 'too_long'],
    ];
    for (const [body, code, finding] of wrong) {
      const input = { ...rules, parts: [bytesOf(body)] };
      const refused = await parse(input, by, true).then(
        () => undefined,
        (error: AppError) => error,
      );
      expect([refused?.code, refused?.errors?.[0]?.code]).to.deep.equal([code, finding]);
      expect(input.parts[0]?.length).to.be.above(70_000);
    }
    expect(workers.pool.stats()).to.include({ replaced: 0 });
  });

  it('is handed over to the thread, unless its bytes are needed afterwards', async () => {
    const parse = createBodyParser(workers);
    const handed = json({ content: 'x'.repeat(70_000) });
    await parse(handed, by, false);
    expect(handed.parts[0]?.length).to.equal(0);
  });
});

describe('a body that is large for another reason than its file', () => {
  it('is refused, in JSON and in a form', async () => {
    const large = { content: 'x'.repeat(200_000), document: 'AAAA' };
    expect(await refusal(json(large))).to.deep.equal(['body_too_large', undefined]);
    expect((await refusal(await form(large)))[0]).to.equal('body_too_large');
    const text = Buffer.alloc(300_000).toString('base64');
    expect((await parseBody(json({ document: text }))).file).to.have.length(300_000);
  });
});

describe('a form', () => {
  it('is held to the bounds of JSON in its parts, and to a number of parts', async () => {
    const many = JSON.stringify(Array(200).fill(0));
    expect(await refusal(await form({ letter: many }))).to.deep.equal([
      'validation_failed',
      'too_long',
    ]);
    expect(await refusal(await form({ letter: '{"a":1,"a":2}' }))).to.deep.equal([
      'duplicate_name',
      undefined,
    ]);
    const parts = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`p${n}`, 'x']));
    expect((await refusal(await form(parts)))[0]).to.equal('invalid_form');
  });
});

describe('a file under a name that the body does not have', () => {
  it('is refused with the name that files have', async () => {
    for (const content of [new Uint8Array([0xff, 0xfe]), 'text']) {
      const sent = await form({ to_name: 'Anna', file: new Blob([content]) });
      const refused = await parseBody(sent).catch((error: AppError) => error);
      expect(refused).to.include({
        code: 'invalid_form',
        message:
          'The form has a file in the part "file", which is not known. Send it as "document".',
      });
    }
  });
});

describe('a number with an exponent, where numbers are money', () => {
  const detailOf = async (text: string): Promise<unknown> => {
    try {
      await parseBody({ ...rules, plainNumbers: true, parts: [bytesOf(text)] });
    } catch (error) {
      return (error as AppError).errors?.[0];
    }
    throw new Error('it was taken');
  };

  it('is refused by the name of its field, or as the body', async () => {
    expect(await detailOf('{"amount":1e3}')).to.include({
      pointer: '/amount',
      detail: 'amount must be written in digits, like 1000 (it is 1e3).',
    });
    expect(await detailOf('1e3')).to.include({
      pointer: '',
      detail: 'The body must be written in digits, like 1000 (it is 1e3).',
    });
  });
});
