import { expect } from 'chai';
import fc from 'fast-check';
import { fromBase32 } from '../../../identity/encoding.ts';
import { cidOf, isCanonicalCid, isCid } from '../../../identity/ucan/cid.ts';
import { issueUcan } from '../../../identity/ucan/token.ts';
import { createUcanVerifier } from '../../../identity/ucan/verify.ts';
import { defaultLimits } from '../../../limits/table.ts';
import {
  alice,
  bob,
  buildCases,
  cidCase,
  type OfficialCase,
  refuteCases,
  verifyCases,
} from './official-cases.ts';

const verifier = createUcanVerifier({
  limits: defaultLimits,
  nowSeconds: () => 1_800_000_000,
  resolveProof: () => undefined,
  isRevoked: () => false,
  isOwner: () => false,
});

const assertOfficial = ({ token, signature }: OfficialCase): void => {
  if (signature === undefined) return;
  expect(token.split('.')[2]?.startsWith(signature), 'the token is the official one').to.equal(
    true,
  );
};

describe('The official cases of UCAN 0.10.0', () => {
  it('are all 55 there', () => {
    expect(verifyCases.length + refuteCases.length + buildCases.length + 2).to.equal(55);
  });

  for (const one of verifyCases) {
    it(`accepts: ${one.name}`, async () => {
      assertOfficial(one);
      const report = await verifier(one.token, { proofs: one.proofs });
      expect(report.error?.message).to.equal(undefined);
      expect(report.valid).to.equal(true);
      expect(report.checks.every(({ ok }) => ok !== false)).to.equal(true);
    });
  }

  for (const one of refuteCases) {
    it(`refuses as ${one.code}: ${one.name}`, async () => {
      assertOfficial(one);
      const report = await verifier(one.token, { proofs: one.proofs });
      expect(report.error?.code).to.equal(one.code);
      expect(report.grants).to.deep.equal([]);
      expect(report.checks.filter(({ ok }) => ok === false).length).to.equal(1);
    });
  }

  for (const { name, rest, signature } of buildCases) {
    it(`builds the same bytes: ${name}`, () => {
      const { token } = issueUcan({ aud: bob.did, cap: {}, ...rest }, alice);
      const [, , ours] = token.split('.');
      expect(ours?.startsWith(signature)).to.equal(true);
    });
  }

  it('names a token by the sha2-256 of its bytes', () => {
    expect(cidOf(cidCase.token)).to.equal(cidCase.sha256);
    expect(isCanonicalCid(cidCase.sha256)).to.equal(true);
  });

  it('knows its own CIDs by their letters as by their bytes', () => {
    fc.assert(
      fc.property(fc.string(), fc.nat(58), fc.nat(31), (token, at, letter) => {
        const cid = cidOf(token);
        const replaced = 'abcdefghijklmnopqrstuvwxyz234567'[letter] ?? '';
        const other = cid.slice(0, at) + replaced + cid.slice(at + 1);
        const isOurs = (text: string): boolean => {
          if (!text.startsWith('b')) return false;
          try {
            return fromBase32(text.slice(1)).subarray(0, 4).toString('hex') === '01551220';
          } catch {
            return false;
          }
        };
        return isCanonicalCid(cid) && isCid(cid) && isCanonicalCid(other) === isOurs(other);
      }),
    );
  });

  it('knows a blake3 CID as one that is not canonical', () => {
    expect(isCid(cidCase.blake3)).to.equal(true);
    expect(isCanonicalCid(cidCase.blake3)).to.equal(false);
  });
});
