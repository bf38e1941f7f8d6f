import { expect } from 'chai';
import { AppError } from '../../contract/errors.ts';
import type { Protocol } from '../../contract/protocol.ts';
import { requestFingerprint } from '../../ground/fingerprint.ts';
import {
  control,
  type Example,
  letterId,
  request,
  startExample,
  storeErrors,
  until,
  validLetter,
} from './example-app.ts';

const send = (app: Example, json: unknown, headers: Record<string, string> = {}) =>
  request(app, 'POST /api/send', { json, key: 'send', headers });

const findings = async (app: Example, json: unknown) => {
  const answer = await send(app, json);
  expect(answer.status, JSON.stringify(answer.body)).to.equal(422);
  return answer.body.errors as { pointer: string; code: string; detail: string; hint?: string }[];
};

const without = (name: keyof typeof validLetter) => {
  const { [name]: _left, ...rest } = validLetter;
  return rest;
};

/** A promise and the function that fulfils it. */
const makeGate = () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  control.gate = promise;
  return resolve;
};

describe('HTTP kernel', () => {
  let app: Example;
  beforeEach(async () => {
    app = await startExample();
  });
  afterEach(() => app.stop());

  describe('answers', () => {
    it('give a letter with its version, log position, request id and security headers', async () => {
      const { status, headers, body } = await request(app, `/api/letters/${letterId}`, {
        key: 'read',
      });
      expect(status).to.equal(200);
      expect(body).to.deep.equal({ letter_id: letterId, status: 'queued' });
      expect(headers.get('content-type')).to.equal('application/json');
      expect(headers.get('etag')).to.equal('"3"');
      expect(headers.get('x-log-position')).to.equal('42');
      expect(headers.get('x-request-id')).to.match(/^req_[0-9a-z]{20}$/);
      expect(headers.get('x-content-type-options')).to.equal('nosniff');
      expect(headers.get('x-frame-options')).to.equal('DENY');
      expect(headers.get('referrer-policy')).to.equal('no-referrer');
      expect(headers.get('content-security-policy')).to.contain("default-src 'none'");
      expect(headers.get('cache-control')).to.equal('no-store');
    });

    it('repeat a sane request id and replace any other', async () => {
      const sane = await request(app, '/open', { headers: { 'X-Request-Id': 'a.b_c-1' } });
      expect(sane.headers.get('x-request-id')).to.equal('a.b_c-1');
      const long = await request(app, '/open', { headers: { 'X-Request-Id': 'x'.repeat(65) } });
      expect(long.headers.get('x-request-id')).to.match(/^req_/);
    });

    it('to HEAD have the headers of GET and no body', async () => {
      const { status, headers, body } = await request(app, 'HEAD /open');
      expect(status).to.equal(200);
      expect(Number(headers.get('content-length'))).to.be.greaterThan(0);
      expect(body.text).to.equal('');
    });

    it('say that they are a replay', async () => {
      const { status, headers } = await send(app, validLetter);
      expect(status).to.equal(201);
      expect(headers.get('idempotent-replayed')).to.equal('true');
    });

    it('to a write wait for no read model', async () => {
      const never = new Promise<boolean>(() => {});
      const app = await startExample({
        logPositions: { head: async () => 9n, isShown: () => false, waitFor: () => never },
      });
      try {
        const write = (position: number) =>
          request(app, 'POST /write', { key: 'send', json: { position } });
        for (const position of [7, 8]) {
          const { status, headers } = await write(position);
          expect(status).to.equal(200);
          expect(headers.get('x-log-position')).to.equal(String(position));
          expect(headers.get('x-read-model')).to.equal(null);
        }
        expect((await write(0)).headers.get('x-log-position'), 'nothing was written').to.equal(
          null,
        );
      } finally {
        await app.stop();
      }
    });

    it('come in the media type that Accept chooses, or 406', async () => {
      const accepting = (accept: string) =>
        request(app, '/api/proof', { headers: { Accept: accept } });
      const pdf = await accepting('application/pdf');
      expect(pdf.headers.get('content-type')).to.equal('application/pdf');
      expect(pdf.body.text).to.equal('%PDF');
      expect(pdf.headers.get('vary')).to.contain('Accept');
      expect((await accepting('*/*')).body).to.deep.equal({ proof: true });
      for (const charset of ['; charset=utf-8', ';charset="UTF-8";q=0.9, text/html']) {
        const json = await accepting(`application/json${charset}`);
        expect(json.body, charset).to.deep.equal({ proof: true });
        const file = await accepting(`application/json;q=0.1, application/pdf${charset}`);
        expect(file.body.text, charset).to.equal('%PDF');
      }
      const latin = await accepting('application/json; charset=latin1');
      expect(latin.status).to.equal(406);
      const none = await accepting('text/html');
      expect([none.status, none.body.code]).to.deep.equal([406, 'not_acceptable']);
    });

    it('may be read by browsers from anywhere, without cookies', async () => {
      const { headers } = await request(app, '/open', { headers: { Origin: 'http://a.example' } });
      expect(headers.get('access-control-allow-origin')).to.equal('*');
      const exposed = headers.get('access-control-expose-headers');
      for (const name of ['X-Log-Position', 'Content-Disposition']) {
        expect(exposed).to.contain(name);
      }
      expect(headers.has('access-control-allow-credentials')).to.equal(false);
    });
  });

  describe('routes', () => {
    it('that are unknown answer 404 as a problem document', async () => {
      const { status, headers, body } = await request(app, '/nowhere?name=anna');
      expect(status).to.equal(404);
      expect(headers.get('content-type')).to.equal('application/problem+json');
      expect(body).to.deep.include({
        type: 'http://letters.example/errors/not_found',
        title: 'Not found',
        status: 404,
        instance: '/nowhere',
        code: 'not_found',
        request_id: headers.get('x-request-id'),
      });
    });

    it('with another method answer 405 with Allow', async () => {
      const { status, headers, body } = await request(app, 'DELETE /api/send');
      expect([status, body.code]).to.deep.equal([405, 'method_not_allowed']);
      expect(headers.get('allow')).to.equal('OPTIONS, POST');
    });

    it('answer OPTIONS with 204, Allow and the headers that browsers may send', async () => {
      const { status, headers } = await request(app, 'OPTIONS /open');
      expect(status).to.equal(204);
      expect(headers.get('allow')).to.equal('GET, HEAD, OPTIONS');
      const allowed = headers.get('access-control-allow-headers');
      for (const name of ['Idempotency-Key', 'If-None-Match']) expect(allowed).to.contain(name);
    });

    it('prefer a fixed path to a parameter', async () => {
      const { status, body } = await request(app, '/api/letters/search');
      expect(status).to.equal(200);
      expect(body.query).to.deep.equal({ limit: 20 });
    });

    it('answer 404 naming the parameter that is badly formed', async () => {
      const { status, body } = await request(app, '/api/letters/12', { key: 'read' });
      expect([status, body.code]).to.deep.equal([404, 'not_found']);
      expect(body.detail).to.contain('letter_id');
    });

    it('refuse percent-encoding that is broken, in paths and queries', async () => {
      for (const path of ['/api/letters/%E0%A4', '/api/letters/search?limit=%FF']) {
        const { status, body } = await request(app, path, { key: 'read' });
        expect([status, body.code], path).to.deep.equal([400, 'invalid_encoding']);
      }
    });
  });

  describe('queries', () => {
    it('are converted to numbers, booleans and lists', async () => {
      const path = '/api/letters/search?limit=5&deleted=true&status=queued&status=failed';
      expect((await request(app, path)).body.query).to.deep.equal({
        limit: 5,
        deleted: true,
        status: ['queued', 'failed'],
      });
      const one = await request(app, '/api/letters/search?status=queued');
      expect(one.body.query).to.deep.equal({ limit: 20, status: ['queued'] });
    });

    it('that do not validate answer 422 with pointers under /query', async () => {
      const { status, body } = await request(app, '/api/letters/search?limit=500&limt=1');
      expect(status).to.equal(422);
      expect(body.errors).to.deep.include.members([
        {
          pointer: '/query/limt',
          code: 'unknown_field',
          detail: 'limt is not a known field. Remove it.',
          hint: 'Did you mean `limit`?',
        },
        {
          pointer: '/query/limit',
          code: 'out_of_range',
          detail: 'limit must be <= 100 (it is 500).',
        },
      ]);
      const twice = await request(app, '/api/letters/search?limit=5&limit=6');
      expect(twice.body.detail).to.equal(
        'limit must be a single value of type integer, not a list of 2.',
      );
    });

    it('are read to their end', async () => {
      const { status } = await request(app, `/api/letters/search?${'&'.repeat(1_000)}limit=500`);
      expect(status).to.equal(422);
      const many = Array(2_000).fill('limit=5').join('&');
      expect((await request(app, `/api/letters/search?${many}`)).status).to.equal(422);
    });

    it('of operations that describe none answer 422 before anything happens', async () => {
      const { status, body } = await request(app, 'POST /api/send?dry_run=true', {
        json: validLetter,
        key: 'send',
      });
      expect([status, body.code]).to.deep.equal([422, 'validation_failed']);
      expect(body.errors).to.deep.equal([
        {
          pointer: '/query/dry_run',
          code: 'unknown_field',
          detail: 'dry_run is not a known field. Remove it.',
        },
      ]);
      expect(control.calls).to.equal(0);
      expect((await request(app, '/who?', { key: 'read' })).status).to.equal(200);
    });

    it('of pages and of what monitors read are ignored', async () => {
      for (const path of ['/page?utm_source=mail', '/health?t=1']) {
        expect((await request(app, path)).status, path).to.equal(200);
      }
    });
  });

  describe('bodies', () => {
    const post = (body: RequestInit['body'], headers: Record<string, string>) =>
      request(app, 'POST /api/send', { body, headers, key: 'send' });
    const json = { 'Content-Type': 'application/json' };

    it('of another media type, charset or none, or compressed, answer 415', async () => {
      const cases: Record<string, string>[] = [
        { 'Content-Type': 'text/plain' },
        { 'Content-Type': 'application/json; charset=latin1' },
        { 'Content-Type': '' },
        { ...json, 'Content-Encoding': 'gzip' },
      ];
      for (const headers of cases) {
        const { status, body } = await post('{}', headers);
        expect([status, body.code], JSON.stringify(headers)).to.deep.equal([
          415,
          'unsupported_media_type',
        ]);
      }
      const withCharset = { 'Content-Type': 'application/json; charset=UTF-8' };
      expect((await post(JSON.stringify(validLetter), withCharset)).status).to.equal(201);
    });

    it('are read behind a byte order mark, and when they say that they are not encoded', async () => {
      const text = JSON.stringify(validLetter);
      expect((await post(`\ufeff${text}`, json)).status).to.equal(201);
      expect((await post(text, { ...json, 'Content-Encoding': 'Identity' })).status).to.equal(201);
    });

    it('that are null are no empty object', async () => {
      const { status, body } = await post('null', json);
      expect([status, body.code]).to.deep.equal([422, 'validation_failed']);
    });

    it('that are too large answer 413, whether they say so or not', async () => {
      const huge = Buffer.alloc(3 * 1024 * 1024, ' ');
      const announced = await post(huge, json);
      expect([announced.status, announced.body.code]).to.deep.equal([413, 'body_too_large']);
      const stream = new ReadableStream({
        start(controller) {
          for (let part = 0; part < 48; part += 1) controller.enqueue(huge.subarray(0, 65_536));
          controller.close();
        },
      });
      const init = { body: stream, headers: json, key: 'send', duplex: 'half' } as RequestInit;
      const streamed = await request(app, 'POST /api/send', init);
      expect([streamed.status, streamed.body.code]).to.deep.equal([413, 'body_too_large']);
    });

    it('that are no JSON answer 400 with the place, and nothing of the body', async () => {
      const { status, body } = await post('{"to_name": "Secret Name" "x"}', json);
      expect([status, body.code]).to.deep.equal([400, 'invalid_json']);
      expect(body.detail).to.contain('character 26').and.not.contain('Secret');
    });

    it('that are missing answer 400 unless no field is required', async () => {
      const missing = await post(undefined, json);
      expect([missing.status, missing.body.code]).to.deep.equal([400, 'invalid_json']);
      const cancel = await request(app, `POST /api/letters/${letterId}/cancel`, { key: 'send' });
      expect(cancel.status).to.equal(200);
      expect(cancel.body.body).to.deep.equal({});
    });

    it('that are not UTF-8 answer 400, while a real U+FFFD passes that check', async () => {
      const bytes = Buffer.concat([
        Buffer.from('{"to_name":"'),
        Buffer.from([0xff]),
        Buffer.from('"}'),
      ]);
      const bad = await post(bytes, json);
      expect([bad.status, bad.body.code]).to.deep.equal([400, 'invalid_encoding']);
      const cut = Buffer.concat([Buffer.from('{"to_name":"'), Buffer.from([0xf0, 0x9f, 0x98])]);
      expect((await post(cut, json)).body.code).to.equal('invalid_encoding');
      const real = await send(app, { ...validLetter, to_name: '\ufffd' });
      expect(real.status).to.equal(201);
    });

    it('that are no object answer 422', async () => {
      for (const value of [[], 1, 'text', null, true]) {
        const [first] = await findings(app, value);
        expect(first?.code).to.equal('type');
      }
    });

    it('with __proto__ or constructor fail as unknown fields', async () => {
      for (const name of ['__proto__', 'constructor']) {
        const body = JSON.stringify(validLetter).replace('{', `{"${name}":{"a":1},`);
        const answer = await post(body, json);
        expect(answer.status).to.equal(422);
        expect(answer.body.errors).to.have.nested.property('[0].code', 'unknown_field');
      }
    });

    it('that are nested too deep or hold too many values answer 422', async () => {
      const deep = JSON.parse(`${'['.repeat(30)}${']'.repeat(30)}`);
      expect((await findings(app, { ...validLetter, nested: deep }))[0]?.code).to.equal('too_deep');
      const many = { ...validLetter, nested: Array(20_001).fill(0) };
      expect((await findings(app, many))[0]?.code).to.equal('too_long');
    });

    it('of operations that describe none answer 422 before anything happens', async () => {
      const streamed = () => {
        const body = new Blob(['x'.repeat(100_000)]).stream();
        return { body, duplex: 'half' } as RequestInit;
      };
      const cases: RequestInit[] = [
        { body: 'not json' },
        { body: '{"dry_run":true}', headers: json },
        { body: '[]', headers: json },
        { body: 'x'.repeat(100_000) },
        streamed(),
      ];
      for (const init of cases) {
        const { status, body } = await request(app, 'POST /rotate', { ...init, key: 'full' });
        expect([status, body.code]).to.deep.equal([422, 'validation_failed']);
        expect(body.detail).to.equal('This operation takes no body. Send none, or {}.');
      }
      expect(control.calls).to.equal(0);
    });

    it('that say nothing pass where an operation describes none', async () => {
      const chunked = { body: new Blob([]).stream(), duplex: 'half' } as RequestInit;
      for (const init of [
        {},
        { body: '' },
        { body: '{}', headers: json },
        { body: 'null', headers: json },
        { body: ' {\n} ' },
        chunked,
      ]) {
        const { status, body } = await request(app, 'POST /rotate', { ...init, key: 'full' });
        expect(status).to.equal(200);
        expect(body, 'nothing of it gets to the handler').to.deep.equal({});
      }
    });

    it('are ignored where another standard asks for them', async () => {
      const body = new URLSearchParams({ 'List-Unsubscribe': 'One-Click' });
      expect((await request(app, 'POST /one-click?v=1', { body })).status).to.equal(200);
    });
  });

  describe('findings', () => {
    it('name the field, the rule and the way out', async () => {
      const found = await findings(app, {
        ...without('to_name'),
        to_postcode: '1',
        to_country: 'USA',
        to_postal_code: 'x*',
        copies: '2',
      });
      const summary = Object.fromEntries(found.map(({ pointer, code }) => [pointer, code]));
      expect(summary).to.deep.equal({
        '/to_name': 'required',
        '/to_postcode': 'unknown_field',
        '/to_country': 'enum',
        '/to_postal_code': 'pattern',
        '/copies': 'type',
      });
      expect(found.find(({ pointer }) => pointer === '/to_postcode')?.hint).to.equal(
        'Did you mean `to_postal_code`?',
      );
      expect(found.find(({ pointer }) => pointer === '/to_country')?.detail).to.contain('"FR"');
      expect(found.find(({ pointer }) => pointer === '/copies')?.detail).to.contain('(it is "2")');
    });

    it('say which alternatives exclude each other', async () => {
      const [none, ...more] = await findings(app, without('content'));
      expect(more).to.deep.equal([]);
      expect(none).to.deep.include({ pointer: '', code: 'one_of' });
      expect(none?.detail).to.contain('content, document_url');
      const both = { ...validLetter, document_url: 'https://a.example/a.pdf' };
      expect((await findings(app, both))[0]?.detail).to.contain('Remove the others');
    });

    it('speak of the alternative that was meant', async () => {
      const url = `https://a.example/${'a'.repeat(30)}`;
      const found = await findings(app, { ...validLetter, webhook_url: url });
      expect(found.map(({ code }) => code)).to.deep.equal(['too_long']);
      const neither = await findings(app, { ...validLetter, webhook_url: 5 });
      expect(neither.map(({ code }) => code)).to.deep.equal(['one_of']);
      expect(neither[0]?.detail).to.equal(
        'webhook_url must be an absolute address such as https://example.com/a.pdf or null (it is 5).',
      );
    });

    it('name the character that cannot be printed and its place', async () => {
      const cases: [string, string][] = [
        ['a\u0007', 'U+0007 at index 1'],
        ['\u202eevil', 'U+202E at index 0'],
        ['a\u200bb', 'U+200B at index 1'],
        ['ab\ue000', 'U+E000 at index 2'],
        ['\ufeffa', 'U+FEFF at index 0'],
        ['two\nlines', 'U+000A at index 3'],
      ];
      for (const [name, place] of cases) {
        const [first] = await findings(app, { ...validLetter, to_name: name });
        expect(first?.code).to.equal('character_not_allowed');
        expect(first?.detail).to.contain(place);
      }
      expect((await send(app, { ...validLetter, content: 'a\n\tb\r\n' })).status).to.equal(201);
    });

    it('refuse U+0000 and half surrogates anywhere, in names too', async () => {
      for (const text of ['\ud800', 'a\0b']) {
        for (const metadata of [{ a: text }, { [text]: 'a' }]) {
          const [first] = await findings(app, { ...validLetter, metadata });
          expect(first?.code).to.equal('character_not_allowed');
        }
      }
    });

    it('are at most 20, and never repeat long values', async () => {
      const unknown = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`field_${n}`, n]));
      expect(await findings(app, { ...validLetter, ...unknown })).to.have.lengthOf(20);
      const long = 'Z'.repeat(81);
      const found = await findings(app, { ...validLetter, to_country: long });
      expect(JSON.stringify(found)).not.to.contain(long);
    });
  });

  describe('access', () => {
    it('asks for a key with 401 and a challenge', async () => {
      const { status, headers, body } = await request(app, '/who');
      expect([status, body.code]).to.deep.equal([401, 'authentication_required']);
      expect(headers.get('www-authenticate')).to.equal('Bearer realm="letters"');
    });

    it('refuses a key that is not valid, on public operations too', async () => {
      for (const path of ['/who', '/open']) {
        const { status, headers, body } = await request(app, path, { key: 'wrong' });
        expect([status, body.code]).to.deep.equal([401, 'invalid_api_key']);
        expect(headers.get('www-authenticate')).to.contain('error="invalid_token"');
      }
    });

    it('does not look at the credentials of monitors', async () => {
      for (const key of ['wrong', 'read']) {
        expect((await request(app, '/health', { key })).status).to.equal(200);
        expect(control.seen).to.have.property('caller', undefined);
      }
    });

    it('refuses a scope that is too narrow and says which one it takes', async () => {
      const { status, body } = await request(app, 'POST /rotate', { key: 'send' });
      expect(status).to.equal(403);
      expect(body).to.deep.include({
        code: 'scope_insufficient',
        required_scope: 'full',
        scope: 'send',
      });
      expect((await request(app, '/who', { key: 'read' })).status).to.equal(200);
    });

    it('is judged before the body is read', async () => {
      const { status } = await request(app, 'POST /api/send', { body: '{', key: 'read' });
      expect(status).to.equal(403);
    });

    it('gives a public operation the caller if there is one', async () => {
      await request(app, '/open');
      expect(control.seen).to.have.property('caller', undefined);
      await request(app, '/open', { key: 'read' });
      expect(control.seen).to.have.nested.property('caller.keyId', 'key_read');
    });
  });

  describe('request headers', () => {
    const cancel = (headers: Record<string, string>) =>
      request(app, `POST /api/letters/${letterId}/cancel`, { key: 'send', headers });

    it('If-Match is a stream version in any of its spellings', async () => {
      const spellings: [string, bigint | undefined][] = [
        ['"7"', 7n],
        ['W/"7"', 7n],
        ['7', 7n],
        ['*', undefined],
      ];
      for (const [header, version] of spellings) {
        expect((await cancel({ 'If-Match': header })).status).to.equal(200);
        expect(control.seen).to.have.property('ifMatch', version);
      }
      for (const header of ['"abc"', '"1", "2"', '"7']) {
        const { status, body } = await cancel({ 'If-Match': header });
        expect([status, body.code], header).to.deep.equal([400, 'invalid_header']);
      }
    });

    it('Idempotency-Key is passed on where it means something', async () => {
      await send(app, validLetter, { 'Idempotency-Key': 'order 1' });
      expect(control.seen).to.have.property('idempotencyKey', 'order 1');
      await cancel({ 'Idempotency-Key': 'order 1' });
      expect(control.seen).to.have.property('idempotencyKey', undefined);
      for (const key of ['', 'x'.repeat(256), 'é']) {
        const { status, body } = await send(app, validLetter, { 'Idempotency-Key': key });
        expect([status, body.code], key).to.deep.equal([400, 'invalid_header']);
      }
    });

    it('Idempotency-Key lets one request run at a time, and the next one after it', async () => {
      const open = makeGate();
      const headers = { 'Idempotency-Key': 'same' };
      const first = send(app, validLetter, headers);
      await until(() => control.seen !== undefined);
      const second = await send(app, validLetter, headers);
      expect([second.status, second.body.code]).to.deep.equal([409, 'idempotency_in_progress']);
      open();
      expect((await first).status).to.equal(201);
      expect((await send(app, validLetter, headers)).status).to.equal(201);
    });

    describe('X-Min-Log-Position', () => {
      const asked = { positions: [] as bigint[], heads: 0 };
      let head = 200n;
      let gate: Promise<void>;
      let behind: Example;
      beforeEach(async () => {
        Object.assign(asked, { positions: [], heads: 0 });
        head = 200n;
        gate = Promise.resolve();
        behind = await startExample({
          limits: { waitingReads: 2, concurrentRequests: 3 },
          logPositions: {
            head: async () => {
              asked.heads += 1;
              return head;
            },
            isShown: (position) => position < 50n,
            waitFor: async (position) => {
              asked.positions.push(position);
              await gate;
              return position < 100n;
            },
          },
        });
      });
      afterEach(() => behind.stop());
      const reading = (position: string, path = '/who', key: string | undefined = 'read') =>
        request(behind, path, { key, headers: { 'X-Min-Log-Position': position } });

      it('holds a read back until it can be served', async () => {
        expect((await reading('49')).status).to.equal(200);
        expect((await reading('99')).status).to.equal(200);
        const late = await reading('100');
        expect([late.status, late.body.code]).to.deep.equal([503, 'read_model_behind']);
        expect(late.headers.get('retry-after')).to.equal('1');
        expect((await reading('-1')).body.code).to.equal('invalid_header');
        expect(asked.positions).to.deep.equal([99n, 100n]);
        expect(behind.logged).to.deep.equal([]);
      });

      it('is refused at once when the log has not got there, and believed as soon as it has', async () => {
        const future = await reading('201');
        expect([future.status, future.body.code]).to.deep.equal([422, 'position_beyond_log']);
        expect(asked.positions).to.deep.equal([]);
        head = 201n;
        expect((await reading('201')).status).to.equal(503);
        expect(asked).to.deep.equal({ positions: [201n], heads: 2 });
        expect((await reading('150')).status).to.equal(503);
        expect(asked.heads).to.equal(2);
      });

      it('is passed over where no credential is needed, and asks for nothing where it is not valid', async () => {
        for (const path of ['/health', '/open', '/nowhere']) {
          expect((await reading('99', path)).status).to.equal((await request(behind, path)).status);
          expect((await reading('x', path, undefined)).status).to.be.oneOf([200, 404]);
        }
        const strange = { headers: { Authorization: 'Bearer nobody', 'X-Min-Log-Position': '99' } };
        expect((await request(behind, '/who', strange)).status).to.equal(401);
        expect(asked).to.deep.equal({ positions: [], heads: 0 });
      });

      it('lets so many of an account wait and no more; who waits takes nobody’s place', async () => {
        const open = Promise.withResolvers<void>();
        gate = open.promise;
        const held = [reading('90'), reading('91')];
        await until(() => asked.positions.length === 2);
        // One account may have two requests in progress here.
        const third = await reading('92');
        expect([third.status, third.body.code]).to.deep.equal([503, 'read_model_behind']);
        expect((await request(behind, '/who', { key: 'read' })).status).to.equal(200);
        open.resolve();
        for (const one of held) expect((await one).status).to.equal(200);
      });
    });
  });

  describe('errors', () => {
    const failWith = (failure: unknown) => {
      control.failure = failure;
      return request(app, '/open');
    };

    it('of handlers keep their code, headers, findings and extra members', async () => {
      const { status, headers, body } = await failWith(
        new AppError('rate_limited', 'Later.', {
          errors: [{ pointer: '/a', code: 'b', detail: 'c' }],
          extra: { wait: 3, status: 1 },
          headers: { 'Retry-After': '3' },
        }),
      );
      expect(status).to.equal(429);
      expect(headers.get('retry-after')).to.equal('3');
      expect(body).to.deep.include({ wait: 3, status: 429, detail: 'Later.' });
      expect(body.errors).to.have.lengthOf(1);
    });

    it('of the store have their own codes', async () => {
      const conflict = await failWith(storeErrors.conflict);
      expect([conflict.status, conflict.body.code]).to.deep.equal([409, 'conflict']);
      const tooLarge = await failWith(storeErrors.tooLarge);
      expect([tooLarge.status, tooLarge.body.code]).to.deep.equal([413, 'event_too_large']);
      const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
      const ended = new Error('Connection terminated unexpectedly');
      for (const failure of [storeErrors.unavailable, refused, ended]) {
        const { status, headers, body } = await failWith(failure);
        expect([status, body.code]).to.deep.equal([503, 'store_unavailable']);
        expect(headers.get('retry-after')).to.equal('1');
      }
    });

    it('that nobody foresaw answer 500 without details and are logged without personal data', async () => {
      const { status, headers, body } = await failWith(new Error('secret of Anna'));
      expect([status, body.code]).to.deep.equal([500, 'internal_error']);
      expect(JSON.stringify(body)).not.to.contain('secret');
      const [entry] = app.logged;
      expect(entry?.level).to.equal('error');
      expect(entry?.fields).to.deep.include({ operation: 'open', method: 'GET', status: 500 });
      expect(entry?.fields.request_id).to.equal(headers.get('x-request-id'));
      expect(entry?.fields.stack).to.contain('test/http');
      expect(JSON.stringify(app.logged)).not.to.contain('Anna');
    });

    it('that are thrown as no error answer 500', async () => {
      expect((await failWith('text')).status).to.equal(500);
    });

    it('are counted by operation and status', async () => {
      await failWith(storeErrors.conflict);
      await request(app, '/nowhere');
      expect(app.observed).to.deep.equal([
        { operation: 'open', status: 409 },
        { operation: 'none', status: 404 },
      ]);
    });

    it('of another protocol have its form, also those that it does not refuse itself', async () => {
      const fails: Record<string, () => Promise<never>> = {
        busy: () => Promise.reject(new AppError('overloaded', 'Busy.')),
        broken: () => Promise.reject(new Error('broken')),
        slow: () => new Promise(() => {}),
      };
      const protocol: Protocol = {
        path: '/protocol',
        document: {},
        calls: [],
        allowedHeaders: [],
        turnAway: () => undefined,
        serve: async ({ body }) => fails[String((body as { how: string }).how)]?.() as never,
        refuse: ({ code, status }) => ({
          status,
          headers: {},
          body: JSON.stringify({ own: code }),
        }),
      };
      const other = await startExample({ protocols: [protocol], limits: { requestTimeoutMs: 50 } });
      try {
        for (const [how, status, code] of [
          ['busy', 503, 'overloaded'],
          ['broken', 500, 'internal_error'],
          ['slow', 503, 'overloaded'],
        ] as const) {
          const answer = await request(other, 'POST /protocol', { json: { how } });
          expect([answer.status, answer.body], how).to.deep.equal([status, { own: code }]);
          expect(answer.headers.get('content-type'), how).to.equal('application/json');
        }
      } finally {
        await other.stop();
      }
    });

    it('do not come of clients that hang up', async () => {
      const open = makeGate();
      const abort = new AbortController();
      const left = request(app, '/open', { signal: abort.signal }).catch(() => 'left');
      await until(() => control.seen !== undefined);
      abort.abort();
      expect(await left).to.equal('left');
      open();
      await until(() => app.observed.length > 0);
      expect(app.logged).to.deep.equal([]);
    });
  });

  it('gives the same fingerprint to the same request whatever the order of its keys', () => {
    const one = requestFingerprint('send', { a: 1, b: { c: [1, 2], d: 'x' } }, undefined);
    expect(one).to.match(/^[\w-]{43}$/);
    expect(requestFingerprint('send', { b: { d: 'x', c: [1, 2] }, a: 1 }, undefined)).to.equal(one);
    expect(requestFingerprint('send', { b: { d: 'x', c: [2, 1] }, a: 1 }, undefined)).not.to.equal(
      one,
    );
    expect(requestFingerprint('quote', { a: 1, b: { c: [1, 2], d: 'x' } }, undefined)).not.to.equal(
      one,
    );
  });
});
