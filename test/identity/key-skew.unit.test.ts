import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { keySkewSeconds } from '../../identity/key-skew.ts';
import { ed25519FromSeed } from '../../identity/keys.ts';
import { signDocument } from '../../identity/signed-document.ts';
import { verifyDocument } from '../../identity/verify-document.ts';

/** The number that a file gives a name, in the form of TypeScript, JavaScript or Python. */
const secondsIn = (path: string, name: string): number => {
  const text = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  const [, value = ''] = new RegExp(`^(?:const )?${name} = ([\\d_.]+);?$`, 'm').exec(text) ?? [];
  return Number(value.replaceAll('_', ''));
};

describe('the clock skew of verifiers', () => {
  const verifiers = [
    ['identity/verify-audit/verify-audit.mjs', 'keySkewSeconds'],
    ['pages/audit/page.js', 'keySkewSeconds'],
    ['clients/typescript/src/webhooks.ts', 'keySkewSeconds'],
    ['clients/python/src/letters_client/credentials.py', '_KEY_SKEW_SECONDS'],
  ] as const;
  for (const [path, name] of verifiers) {
    it(`is the same in ${path}`, () => {
      expect(secondsIn(path, name)).to.equal(keySkewSeconds);
    });
  }

  it('is the same in the guide to Kafka', () => {
    const guide = readFileSync(new URL('../../docs/kafka.md', import.meta.url), 'utf8');
    expect(guide).to.contain(`Date.parse(end.valid_until) / 1000 + ${keySkewSeconds}`);
  });

  it('is the same for receipts, contracts and offers', () => {
    const key = ed25519FromSeed(Buffer.alloc(32, 1));
    const kid = 'did:web:letters.example#credential-1';
    const issuedAt = '2026-03-01T12:00:00.000Z';
    const jws = signDocument({ issued_at: issuedAt }, 'anp-receipt+jws', {
      kid,
      sign: (text) => key.sign(text),
    });
    const told = (retiredMsBefore: number): boolean => {
      const validUntil = new Date(Date.parse(issuedAt) - retiredMsBefore).toISOString();
      const retired = { kids: [kid], publicKeyMultibase: key.multikey, validUntil };
      const keys = [{ ...retired, state: 'retired' as const }];
      return verifyDocument(jws, { keys, nowMs: Date.parse('2026-04-01T00:00:00.000Z') }).valid;
    };
    expect(told(keySkewSeconds * 1_000)).to.equal(true);
    expect(told(keySkewSeconds * 1_000 + 1)).to.equal(false);
  });
});
