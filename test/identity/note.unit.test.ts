import { hash } from 'node:crypto';
import { expect } from 'chai';
import { ed25519FromSeed } from '../../identity/keys.ts';
import { NoteError, openCheckpoint, signCheckpoint, verifierKey } from '../../identity/note.ts';

const key = ed25519FromSeed(Buffer.alloc(32, 1));
const other = ed25519FromSeed(Buffer.alloc(32, 2));
const origin = 'letters.example/post';
const root = hash('sha256', 'root', 'buffer');
const note = signCheckpoint({ origin, size: 1_234, root }, key);
const keys = [other.publicKey, key.publicKey];

describe('a checkpoint', () => {
  it('is a signed note as C2SP writes it', () => {
    const [name, size, encoded, empty, signature, end] = note.split('\n');
    expect([name, size, encoded, empty, end]).to.deep.equal([
      origin,
      '1234',
      root.toString('base64'),
      '',
      '',
    ]);
    const [, blob = ''] = /^— letters\.example\/post (\S+)$/.exec(signature ?? '') ?? [];
    const bytes = Buffer.from(blob, 'base64');
    const keyData = Buffer.concat([Buffer.from(`${origin}\n\u0001`), key.publicKey.bytes]);
    expect(bytes.subarray(0, 4)).to.deep.equal(hash('sha256', keyData, 'buffer').subarray(0, 4));
    expect(bytes.subarray(4)).to.deep.equal(key.sign(`${origin}\n1234\n${encoded}\n`));
  });

  it('names its key as verifiers of notes take it', () => {
    // Vector of golang.org/x/mod/sumdb/note: the key of sum.golang.org.
    const sumDb = 'Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8';
    const publicKey = { type: 'Ed25519', bytes: Buffer.from(sumDb, 'base64').subarray(1) };
    expect(verifierKey('sum.golang.org', publicKey as never)).to.equal(
      `sum.golang.org+033de0ae+${sumDb}`,
    );
  });

  it('is read back, also with signatures of witnesses and extension lines', () => {
    expect(openCheckpoint(note, origin, keys)).to.deep.equal({ origin, size: 1_234, root });
    const witnessed = `${note}— witness.example ${Buffer.alloc(76, 7).toString('base64')}\n`;
    expect(openCheckpoint(witnessed, origin, keys).size).to.equal(1_234);
  });

  const replaced = (what: string | RegExp, by: string): string => note.replace(what, by);
  const wrong: [what: string, note: string][] = [
    ['another size', replaced('1234', '1235')],
    ['another root', replaced(root.toString('base64'), Buffer.alloc(32).toString('base64'))],
    ['another log', replaced(/letters\.example\/post/g, 'letters.other')],
    ['a size with a zero before it', replaced('1234', '01234')],
    ['a short root', replaced(root.toString('base64'), 'AAAA')],
    ['no signature', `${note.slice(0, note.indexOf('—'))}`],
    ['a hyphen for the dash', replaced('—', '-')],
    ['no line feed at its end', note.slice(0, -1)],
    ['an extension that was not signed', replaced('\n\n', '\nmore\n\n')],
    ['nothing', ''],
    [
      'another key',
      signCheckpoint({ origin, size: 1_234, root }, ed25519FromSeed(Buffer.alloc(32, 9))),
    ],
  ];
  for (const [what, text] of wrong) {
    it(`is refused with ${what}`, () => {
      expect(() => openCheckpoint(text, origin, keys)).to.throw(NoteError);
    });
  }
});
