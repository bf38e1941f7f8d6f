/** Judges tokens by the service's facts: its root keys, the tokens that it issued, and revocations. */
import type { BoundTo } from '../../contract/bounds.ts';
import type { Clock } from '../../ground/clock.ts';
import type { SigningKey } from '../../identity/keys.ts';
import { type Ucan, withoutFragment } from '../../identity/ucan/token.ts';
import {
  createUcanVerifier,
  type UcanReport,
  type VerifyOptions,
} from '../../identity/ucan/verify.ts';
import type { Limits } from '../../limits/table.ts';
import type { CommandHandler } from '../handling/handle.ts';
import { type UcanState, ucanAggregate } from './ucan.ts';
import { isWithdrawn } from './was-revoked.ts';

/** A key under which the service issues, or issued, roots. Instants are RFC 3339 UTC. */
type UcanRootKey = { did: string; validUntil?: string; revoked: boolean };

/** The service as an issuer of tokens. */
export type UcanAuthority = {
  serviceDid: () => string;
  /** Every DID that it has or had. */
  serviceDids: () => string[];
  /** Signs roots now. */
  rootKey: () => SigningKey;
  rootKeys: () => UcanRootKey[];
};

type Known = { state: UcanState; readAtMs: number };

/**
 * How long facts about a token, and judgements by them, are reused. A revocation by another process takes
 * effect here after twice this time at most. Source: facts/identity.md §1.5, 1 s.
 */
export const freshForMs = 300;
const maxKnown = 20_000;

/** Which API keys have ended. `generation` changes when one ends in this process. */
type KeyEnds = {
  anyEnded: (keyIds: readonly string[]) => Promise<boolean>;
  generation: () => number;
};

export type UcanCheck = ReturnType<typeof createUcanCheck>;

export const createUcanCheck = (ports: {
  handler: CommandHandler;
  clock: Clock;
  limits: Limits;
  authority: UcanAuthority;
  keys: KeyEnds;
}) => {
  const { handler, clock, limits, authority, keys } = ports;
  const known = new Map<string, Known>();
  let generation = 0;

  /**
   * A token as its stream says it was within the last moments. That it is not there is not remembered:
   * it may be issued at any moment, and what follows from it may be shown in the next.
   */
  const load = async (cid: string): Promise<UcanState> => {
    // Monotonic: a clock that is set back must not keep a revoked token alive.
    const readAtMs = performance.now();
    const found = known.get(cid);
    if (found && readAtMs - found.readAtMs < freshForMs) return found.state;
    const before = generation;
    const { state } = await handler.load(ucanAggregate, cid);
    if (before !== generation || !state.issued) return state;
    known.delete(cid);
    for (const [oldest, entry] of known) {
      if (known.size < maxKnown && readAtMs - entry.readAtMs < freshForMs) break;
      known.delete(oldest);
    }
    known.set(cid, { state, readAtMs });
    return state;
  };

  const rootKeyOf = (did: string): UcanRootKey | undefined =>
    authority.rootKeys().find((key) => key.did === withoutFragment(did));

  const isRevokedRoot = (did: string): boolean => rootKeyOf(did)?.revoked === true;
  const wasWithdrawn = async (cid: string): Promise<boolean> =>
    isWithdrawn(await load(cid), { handler, isRevokedRoot });

  /** Whether something has ended that a thing is bound to. Expiry of a UCAN is the thing's own. */
  const hasEnded = async (boundTo: BoundTo | undefined): Promise<boolean> => {
    if (boundTo === undefined) return false;
    if (await keys.anyEnded(boundTo.keys)) return true;
    return (await Promise.all(boundTo.ucans.map(wasWithdrawn))).includes(true);
  };

  const isRevoked = async (cid: string): Promise<boolean> => {
    if (await wasWithdrawn(cid)) return true;
    const { issued } = await load(cid);
    return hasEnded(issued?.boundTo);
  };

  /** A signature of a retired key counts if the log has the UCAN from the time before. */
  const isOwner = async ({ payload, cid }: Ucan): Promise<boolean> => {
    const key = rootKeyOf(payload.iss);
    if (!key || key.revoked) return false;
    return key.validUntil === undefined || (await load(cid)).issued !== undefined;
  };

  const verifier = createUcanVerifier({
    limits,
    nowSeconds: () => Math.floor(clock() / 1_000),
    resolveProof: async (cid) => (await load(cid)).issued?.token,
    isRevoked,
    isOwner,
  });

  return {
    verify: (token: string, options?: VerifyOptions): Promise<UcanReport> =>
      verifier(token, options),
    load,
    hasEnded,
    /** Whether something was revoked in this process since `generation` was read. */
    generation: (): number => generation + keys.generation(),
    /** Makes a revocation hold in this process at once. */
    changed(): void {
      generation++;
      known.clear();
    },
  };
};
