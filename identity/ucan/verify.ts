/**
 * Verifies a UCAN with its whole chain. Source: UCAN 0.10.0 §6; facts/identity.md §1.5 and §1.6.
 */
import { type Grant, grantsOf, type Proof } from './capability.ts';
import { type ChainLimits, loadChain, type ResolveProof, readToken } from './chain.ts';
import { isBlake3Cid, isCidOf } from './cid.ts';
import { UcanError, type UcanErrorCode } from './error.ts';
import { cidsOf } from './spelling.ts';
import { createIssuerKeys, type Ucan, withoutFragment } from './token.ts';

/** `ok` is null for what could not be judged, or does not apply. */
type UcanCheck = {
  name: string;
  ok: boolean | null;
  detail: string;
  code: UcanErrorCode | null;
};

export type UcanReport = {
  valid: boolean;
  /** Why it is not valid. */
  error: UcanError | undefined;
  checks: UcanCheck[];
  /** The token, where its form is right. */
  ucan: Ucan | undefined;
  /** Every token of the chain, the leaf first; what could be read of it. */
  chain: Ucan[];
  /** Empty unless the token is valid. */
  grants: Grant[];
};

type VerifyPorts = {
  limits: ChainLimits;
  nowSeconds: () => number;
  resolveProof: ResolveProof;
  isRevoked: (cid: string) => boolean | Promise<boolean>;
  /** Whether a token without proofs may be the root of `letters://` capabilities. */
  isOwner: (root: Ucan) => boolean | Promise<boolean>;
};

export type VerifyOptions = {
  /** One of these must be the audience; absent: it is not judged. */
  audiences?: string[];
  /** Further tokens for the chain, by CID. They come before what `resolveProof` finds. */
  proofs?: ReadonlyMap<string, string>;
};

/** The checks in their order; the first failure ends them. */
const checkNames: { name: string; codes: UcanErrorCode[]; passed: string }[] = [
  {
    name: 'form',
    codes: [
      'malformed',
      'missing_field',
      'incorrect_type',
      'incorrect_proofs',
      'unsupported_version',
    ],
    passed: 'Each token is a well-formed UCAN 0.10.0.',
  },
  {
    name: 'signature',
    codes: ['unsupported_alg', 'unsupported_did', 'signature'],
    passed: 'Each token is signed by its issuer.',
  },
  { name: 'time', codes: ['expired', 'not_ready'], passed: 'Each token is valid now.' },
  {
    name: 'proofs',
    codes: ['missing_proofs', 'cid_mismatch', 'too_deep', 'too_many_proofs'],
    passed: 'All proofs are there.',
  },
  {
    name: 'time_bounds',
    codes: ['time_bounds_violation'],
    passed: 'No token outlives, or comes before, what proves it.',
  },
  {
    name: 'delegation',
    codes: ['invalid_delegation'],
    passed: 'Each capability was given to its issuer, back to the owner.',
  },
  { name: 'revocation', codes: ['revoked'], passed: 'No token of the chain is revoked.' },
  {
    name: 'audience',
    codes: ['wrong_audience'],
    passed: 'It is meant for the audience asked for.',
  },
];

const checksOf = (error: UcanError | undefined, options: VerifyOptions): UcanCheck[] => {
  const failed = error && checkNames.findIndex(({ codes }) => codes.includes(error.code));
  return checkNames.map(({ name, passed }, index) => {
    if (failed === index)
      return { name, ok: false, detail: error?.message ?? '', code: error?.code ?? null };
    if (failed !== undefined && failed < index) {
      return { name, ok: null, detail: 'Not judged: an earlier check failed.', code: null };
    }
    if (name === 'audience' && options.audiences === undefined) {
      return { name, ok: null, detail: 'No audience was asked for.', code: null };
    }
    // Tokens of one chain are read one after the other: what failed later had these behind it.
    return { name, ok: true, detail: passed, code: null };
  });
};

const never = Number.POSITIVE_INFINITY;

/** @throws UcanError time_bounds_violation */
const assertWithin = (child: Ucan, proof: Ucan): void => {
  const { cid } = child;
  if ((child.payload.exp ?? never) > (proof.payload.exp ?? never)) {
    throw new UcanError('time_bounds_violation', 'The token expires after its proof.', { cid });
  }
  if ((child.payload.nbf ?? 0) < (proof.payload.nbf ?? 0)) {
    throw new UcanError('time_bounds_violation', 'The token is valid before its proof is.', {
      cid,
    });
  }
};

/**
 * Follows the proofs to the roots, each token once.
 * @throws UcanError time_bounds_violation, invalid_delegation, too_deep
 */
const judgeChain = (
  leaf: Ucan,
  chain: ReadonlyMap<string, Ucan>,
  owners: ReadonlySet<string>,
  maxDepth: number,
): Grant[] => {
  const judged = new Map<string, Proof & { height: number }>();
  const judge = (ucan: Ucan, path: readonly string[]): Proof & { height: number } => {
    const known = judged.get(ucan.cid);
    const depth = path.length + (known?.height ?? 1);
    if (depth > maxDepth || path.includes(ucan.cid)) {
      throw new UcanError('too_deep', `The chain is deeper than ${maxDepth} tokens.`, {
        cid: leaf.cid,
      });
    }
    if (known) return known;
    const below = [...path, ucan.cid];
    const proofs = (ucan.payload.prf ?? []).map((cid) => judge(chain.get(cid) as Ucan, below));
    for (const proof of proofs) assertWithin(ucan, proof.ucan);
    for (const proof of proofs) {
      if (withoutFragment(proof.ucan.payload.aud) !== withoutFragment(ucan.payload.iss)) {
        throw new UcanError(
          'invalid_delegation',
          'A proof was given to somebody other than the issuer.',
          {
            cid: ucan.cid,
          },
        );
      }
    }
    const grants = grantsOf(ucan, proofs, owners.has(ucan.cid));
    const height = 1 + Math.max(0, ...proofs.map((proof) => proof.height));
    const result = { ucan, grants, height };
    judged.set(ucan.cid, result);
    return result;
  };
  return judge(leaf, []).grants;
};

const ownersIn = async (chain: Map<string, Ucan>, ports: VerifyPorts): Promise<Set<string>> => {
  const owners = new Set<string>();
  for (const ucan of chain.values()) {
    const isRoot = (ucan.payload.prf ?? []).length === 0;
    if (isRoot && (await ports.isOwner(ucan))) owners.add(ucan.cid);
  }
  return owners;
};

const assertUnrevoked = async (chain: Map<string, Ucan>, ports: VerifyPorts): Promise<void> => {
  const cids = [...chain.values()].flatMap(cidsOf);
  const revoked = await Promise.all(cids.map((cid) => ports.isRevoked(cid)));
  const at = revoked.indexOf(true);
  if (at < 0) return;
  throw new UcanError(
    'revoked',
    'A token of the chain was revoked, or ended with the key that issued it or with the recovery of its account.',
    { cid: cids[at] ?? '' },
  );
};

const assertAudience = ({ payload, cid }: Ucan, audiences: string[] | undefined): void => {
  const aud = withoutFragment(payload.aud);
  if (audiences === undefined || audiences.some((did) => withoutFragment(did) === aud)) return;
  throw new UcanError('wrong_audience', 'The token is meant for another audience.', { cid });
};

/** A token that was given, by its CID of blake3. */
const givenAs = (cid: string, proofs: VerifyOptions['proofs']): string | undefined =>
  isBlake3Cid(cid) ? [...(proofs?.values() ?? [])].find((one) => isCidOf(cid, one)) : undefined;

type UcanVerifier = (token: string, options?: VerifyOptions) => Promise<UcanReport>;

/** Makes a verifier. It reports faults of a token, and throws only errors of its ports. */
export const createUcanVerifier = (ports: VerifyPorts): UcanVerifier => {
  const keys = createIssuerKeys();
  const { limits } = ports;

  return async (token, options = {}) => {
    const seen: { ucan?: Ucan; chain: Map<string, Ucan> } = { chain: new Map() };
    const verify = async (): Promise<Grant[]> => {
      const nowSeconds = ports.nowSeconds();
      const resolveProof: ResolveProof = (cid) =>
        options.proofs?.get(cid) ?? givenAs(cid, options.proofs) ?? ports.resolveProof(cid);
      const leaf = readToken(token, { limits, keys, nowSeconds });
      seen.ucan = leaf;
      seen.chain.set(leaf.cid, leaf);
      const chain = await loadChain(leaf, { limits, keys, nowSeconds, resolveProof });
      seen.chain = chain;
      const grants = judgeChain(leaf, chain, await ownersIn(chain, ports), limits.ucanDepth);
      await assertUnrevoked(chain, ports);
      assertAudience(leaf, options.audiences);
      return grants;
    };
    const outcome = await verify().then(
      (grants) => ({ grants, error: undefined }),
      (error: unknown) => {
        if (!(error instanceof UcanError)) throw error;
        return { grants: [], error };
      },
    );
    return {
      valid: outcome.error === undefined,
      ...outcome,
      checks: checksOf(outcome.error, options),
      ucan: seen.ucan,
      chain: [...seen.chain.values()],
    };
  };
};
