/** A token with all its proofs: found, read, signed, and in time each for itself. */
import { entriesOf } from './capability.ts';
import { cidOf, isBlake3Cid, isCanonicalCid, isCidOf } from './cid.ts';
import { UcanError } from './error.ts';
import { assertSigned, type IssuerKeys, parseUcan, type TokenLimits, type Ucan } from './token.ts';

/** Caveats of a whole chain, in limits of one token: each may be compared with every other. */
const chainFactor = 4;

export type ChainLimits = TokenLimits & { ucanDepth: number; ucanProofs: number };

/** Finds a token by its CID: in the request, then among those that were issued here. */
export type ResolveProof = (cid: string) => string | undefined | Promise<string | undefined>;

/** Clocks differ: a token is valid this much before its `nbf`. `exp` has no leeway. */
const notBeforeLeewaySeconds = 60;

/** @throws UcanError expired, not_ready */
const assertInTime = ({ payload, cid }: Ucan, nowSeconds: number): void => {
  if (payload.exp !== null && payload.exp < nowSeconds) {
    throw new UcanError('expired', 'The token has expired.', { cid });
  }
  if (payload.nbf !== undefined && payload.nbf > nowSeconds + notBeforeLeewaySeconds) {
    throw new UcanError('not_ready', 'The token is not valid yet.', { cid });
  }
};

/** Gives an error the token it is about. */
const about = <T>(cid: string, work: () => T): T => {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof UcanError) || error.cid !== undefined) throw error;
    throw new UcanError(error.code, error.message, { cid, missing: error.missing });
  }
};

/** @throws UcanError of form, signature and time */
export const readToken = (
  token: string,
  ports: { limits: TokenLimits; keys: IssuerKeys; nowSeconds: number },
  cid = cidOf(token),
): Ucan =>
  about(cid, () => {
    const ucan = parseUcan(token, ports.limits, cid);
    assertSigned(ucan, ports.keys);
    assertInTime(ucan, ports.nowSeconds);
    return ucan;
  });

type ChainPorts = {
  limits: ChainLimits;
  keys: IssuerKeys;
  nowSeconds: number;
  resolveProof: ResolveProof;
};

const isComputable = (cid: string): boolean => isCanonicalCid(cid) || isBlake3Cid(cid);

const findAll = async (
  cids: string[],
  { resolveProof }: ChainPorts,
): Promise<[string, string][]> => {
  const found = await Promise.all(
    cids.map(
      async (cid) => [cid, isComputable(cid) ? await resolveProof(cid) : undefined] as const,
    ),
  );
  const missing = found.filter(([, token]) => token === undefined).map(([cid]) => cid);
  if (missing.length > 0) {
    const odd = missing.every(isComputable)
      ? ''
      : ' Only CIDs of sha2-256 or blake3 over the token (bafkrei…, bafkr4i…) can be found.';
    throw new UcanError('missing_proofs', `Proofs are missing; send them with the token.${odd}`, {
      missing,
    });
  }
  return found as [string, string][];
};

/**
 * Loads the proofs of a token, level by level, until the chain is complete.
 * @returns every token by its CID, the leaf included
 * @throws UcanError missing_proofs, cid_mismatch, too_deep, too_many_proofs and those of each token
 */
export const loadChain = async (leaf: Ucan, ports: ChainPorts): Promise<Map<string, Ucan>> => {
  const { limits } = ports;
  const chain = new Map([[leaf.cid, leaf]]);
  let caveats = entriesOf(leaf.payload.cap).length;
  let wanted = leaf.payload.prf ?? [];
  for (let depth = 2; wanted.length > 0; depth++) {
    if (depth > limits.ucanDepth) {
      throw new UcanError('too_deep', `The chain is deeper than ${limits.ucanDepth} tokens.`, {
        cid: leaf.cid,
      });
    }
    const fresh = [...new Set(wanted)].filter((cid) => !chain.has(cid));
    if (chain.size - 1 + fresh.length > limits.ucanProofs) {
      throw new UcanError(
        'too_many_proofs',
        `The chain has more than ${limits.ucanProofs} proofs.`,
        { cid: leaf.cid },
      );
    }
    const tokens = await findAll(fresh, ports);
    wanted = [];
    for (const [cid, token] of tokens) {
      if (!isCidOf(cid, token)) {
        throw new UcanError('cid_mismatch', 'Another token was given under the CID of a proof.', {
          cid,
        });
      }
      // Revocations and counts go by the canonical CID, whichever CID names the token.
      const ucan = readToken(token, ports);
      chain.set(cid, ucan);
      caveats += entriesOf(ucan.payload.cap).length;
      if (caveats > chainFactor * limits.ucanCaveats) {
        throw new UcanError(
          'malformed',
          'The tokens of the chain have too many caveats together.',
          {
            cid,
          },
        );
      }
      wanted.push(...(ucan.payload.prf ?? []));
    }
  }
  return chain;
};
