/**
 * Issues tokens and keeps them. Roots are signed with the key of the service; delegations are made in
 * commands/ucans/delegate-ucan.ts.
 */
import { randomBytes } from 'node:crypto';
import { type BoundTo, boundToMaker, lastMomentOf, type Maker } from '../../contract/bounds.ts';
import { AppError } from '../../contract/errors.ts';
import type { Caller } from '../../contract/operation.ts';
import { abilitiesOfScope, type Scope, scopeCovers } from '../../contract/scopes.ts';
import { secretNotRepeated } from '../../contract/secret-answers.ts';
import { type Clock, toTimestamp } from '../../ground/clock.ts';
import { uuidv5 } from '../../ground/uuid.ts';
import {
  abilityCovers,
  accountOf,
  entriesOf,
  isLettersResource,
} from '../../identity/ucan/capability.ts';
import { cidOf } from '../../identity/ucan/cid.ts';
import { capabilitiesOf, scopeOf } from '../../identity/ucan/scope.ts';
import { type Capabilities, issueUcan, parseUcan, type Ucan } from '../../identity/ucan/token.ts';
import type { Limits } from '../../limits/table.ts';
import type { CallerDids } from '../accounts/caller-did.ts';
import type { KeepLimits } from '../guards/keep-limits.ts';
import type { CommandContext } from '../handling/fold.ts';
import type { CommandHandler } from '../handling/handle.ts';
import { issueUcanToken, requestUcan, ucanAggregate } from './ucan.ts';
import type { UcanAuthority, UcanCheck } from './ucan-check.ts';

export type IssuePorts = {
  handler: CommandHandler;
  clock: Clock;
  limits: Limits;
  authority: UcanAuthority;
  callerDids: CallerDids;
  check: UcanCheck;
  keepLimits: Pick<KeepLimits, 'isLimited' | 'assertUnlimited'>;
};

/** A token as it is answered. */
export type IssuedUcan = {
  token: string;
  cid: string;
  scope: Scope | null;
  /** RFC 3339; null: never. */
  expiresAt: string | null;
  /** The other tokens of its chain that the caller gave or got itself, for the header `ucans`. */
  proofs: string[];
  position: bigint;
  replayed: boolean;
  /** When it was first answered. */
  answeredAt: string | undefined;
};

/** The caller, and the identity of the request. */
export type IssueContext = CommandContext & {
  caller: Caller;
  requestHash: string;
  repeatable: boolean;
};

export type Made = { token: string; cid: string };

/** Default lifetime of a token: a leaked one is enough to act. Source: facts §1.5. */
export const defaultLifetimeSeconds = 86_400;

export const narrower = (needed: string, held: Scope): AppError =>
  new AppError(
    'scope_insufficient',
    `The credential has scope "${held}", which does not give ${needed}.`,
    { extra: { scope: held } },
  );

/** Whether a key with this scope may have it. Capabilities that are not on letters need the widest scope. */
const isInScope = (
  { resource, ability }: { resource: string; ability: string },
  scope: Scope,
): boolean =>
  scope === 'full' ||
  (isLettersResource(resource) &&
    abilitiesOfScope[scope].some((own) => abilityCovers(own, ability)));

/** Whether the caller's own key issued or delegated it. */
export const isMadeBy = (
  { boundTo }: { boundTo?: BoundTo | undefined },
  { keyId }: Pick<Caller, 'keyId'>,
): boolean => boundTo?.keys.includes(keyId) ?? false;

export const newNonce = (): string => randomBytes(12).toString('base64url');

export const scopeIn = (cap: Capabilities): Scope | null => {
  const account = Object.keys(cap)
    .map(accountOf)
    .find((found) => found !== undefined);
  return account === undefined ? null : scopeOf(entriesOf(cap), account);
};

/**
 * When a token ends, in seconds since the epoch: after its lifetime, and not after the credential that it is
 * made with. The second that `exp` names counts.
 */
export const expiryFor = (maker: Maker, nowMs: number, lifetimeSeconds: number): number =>
  Math.min(
    Math.floor(nowMs / 1_000) + lifetimeSeconds,
    Math.floor(lastMomentOf(maker) / 1_000) - 1,
  );

export type UcanKeeper = ReturnType<typeof createUcanKeeper>;

/** Writes tokens down and answers with them, once or again. */
export const createUcanKeeper = (ports: IssuePorts) => {
  const { handler, limits, check, keepLimits } = ports;

  const write = async (ucan: Ucan, context: IssueContext): Promise<bigint> => {
    const { cid, token, payload } = ucan;
    const { caller } = context;
    const proofs = payload.prf ?? [];
    const command = {
      type: 'IssueUcan' as const,
      token,
      data: {
        cid,
        accountId: caller.accountId,
        kind: proofs.length === 0 ? ('root' as const) : ('delegation' as const),
        issuer: payload.iss,
        audience: payload.aud,
        expiresAt: payload.exp,
        proofs,
        requestHash: context.requestHash,
        // A delegation by a bearer ends with its chain.
        ...(caller.ucan ? {} : { boundTo: boundToMaker(caller) }),
      },
    };
    // An id for each token: one request may make two.
    const own = { actor: context.actor, commandId: uuidv5(context.commandId, cid) };
    const { position } = await handler.handle(ucanAggregate, cid, own, (state) =>
      issueUcanToken(state, command),
    );
    return position;
  };

  /**
   * Remembers the result of a request that may be repeated.
   * @returns the first result
   * @throws AppError secret_not_repeated
   */
  const remember = async (
    made: Made[],
    context: IssueContext,
  ): Promise<{ made: Made[]; replayed: boolean; answeredAt: string | undefined }> => {
    if (!context.repeatable) return { made, replayed: false, answeredAt: undefined };
    const { commandId, requestHash, actor, caller } = context;
    const { accountId } = caller;
    const command = { type: 'RequestUcan' as const, accountId, requestHash, made };
    const { state, events } = await handler.handle(
      ucanAggregate,
      commandId,
      { commandId, actor },
      (request) => requestUcan(request, command),
    );
    const { tokens = [], at = '' } = state.request ?? {};
    // They are kept for as long as the answer is repeated (reactors/forget-answers.ts).
    if (tokens.length === 0) throw secretNotRepeated(at);
    return {
      made: tokens.map((token) => ({ token, cid: cidOf(token) })),
      replayed: events.length === 0,
      answeredAt: at,
    };
  };

  /**
   * A proof that the caller may see. Tokens that were issued for others, or that give more than the caller's key
   * has, are not passed on: the holder of a token may act with it. A credential that has a policy sees only the
   * tokens that it made, because others act without its policy.
   */
  const visible = async (
    cid: string,
    given: ReadonlyMap<string, string>,
    { caller }: IssueContext,
  ): Promise<string | undefined> => {
    const own = given.get(cid);
    if (own !== undefined || caller.ucan) return own;
    const { issued } = await check.load(cid);
    if (issued?.token === undefined || issued.accountId !== caller.accountId) return undefined;
    if (!isMadeBy(issued, caller) && (await keepLimits.isLimited(caller))) return undefined;
    const entries = entriesOf(parseUcan(issued.token, limits).payload.cap);
    return entries.every((entry) => isInScope(entry, caller.scope)) ? issued.token : undefined;
  };

  const proofsOf = async (
    leaf: Ucan,
    given: ReadonlyMap<string, string>,
    context: IssueContext,
  ): Promise<string[]> => {
    const found = new Map<string, string>();
    let wanted = leaf.payload.prf ?? [];
    while (wanted.length > 0 && found.size <= limits.ucanProofs) {
      const next: string[] = [];
      for (const cid of wanted) {
        const token = found.has(cid) ? undefined : await visible(cid, given, context);
        if (token === undefined) continue;
        found.set(cid, token);
        next.push(...(parseUcan(token, limits).payload.prf ?? []));
      }
      wanted = next;
    }
    return [...found.values()];
  };

  return {
    /**
     * UCANs of an earlier request with the same key.
     * @throws AppError idempotency_key_reused, secret_not_repeated
     */
    async earlier(context: IssueContext): Promise<Made[] | undefined> {
      if (!context.repeatable) return undefined;
      const { state } = await handler.load(ucanAggregate, context.commandId);
      return state.request ? (await remember([], context)).made : undefined;
    },

    /**
     * Stores the result, or keeps the earlier one of the same request, and answers with the last.
     * @throws AppError idempotency_key_reused, secret_not_repeated
     * @param given other tokens that the caller has
     */
    async keep(
      made: Made[],
      given: ReadonlyMap<string, string>,
      context: IssueContext,
    ): Promise<IssuedUcan> {
      const kept = await remember(made, context);
      const ucans = kept.made.map(({ token }) => parseUcan(token, limits));
      const leaf = ucans.at(-1);
      if (!leaf) throw new Error('a request for a token without a token');
      let position = 0n;
      for (const ucan of ucans) position = await write(ucan, context);
      const known = new Map([...given, ...kept.made.map((one) => [one.cid, one.token] as const)]);
      const { exp, cap } = leaf.payload;
      return {
        token: leaf.token,
        cid: leaf.cid,
        scope: scopeIn(cap),
        expiresAt: exp === null ? null : toTimestamp(exp * 1_000),
        proofs: await proofsOf(leaf, known, context),
        position,
        replayed: kept.replayed,
        answeredAt: kept.answeredAt,
      };
    },
  };
};

/** A root for an account. `exp` in seconds since the epoch. */
export const makeRoot = (
  authority: UcanAuthority,
  root: { audience: string; cap: Capabilities; exp: number },
): Made =>
  issueUcan(
    { aud: root.audience, exp: root.exp, cap: root.cap, nnc: newNonce() },
    authority.rootKey(),
  );

export const createUcanIssuer = (ports: IssuePorts, keeper: UcanKeeper) => ({
  /**
   * Issues a root on the caller's account, for its own DID or another audience.
   * @throws AppError scope_insufficient, account_not_found, idempotency_key_reused
   */
  async issue(
    request: { scope: Scope; audience?: string; lifetimeSeconds: number },
    context: IssueContext,
  ): Promise<IssuedUcan> {
    const { caller } = context;
    if (!scopeCovers(caller.scope, request.scope)) throw narrower(request.scope, caller.scope);
    const before = await keeper.earlier(context);
    if (before) return keeper.keep(before, new Map(), context);
    const own = async () => (await ports.callerDids.ensure(caller.accountId, context)).did;
    const root = makeRoot(ports.authority, {
      audience: request.audience ?? (await own()),
      cap: capabilitiesOf(request.scope, caller.accountId),
      exp: expiryFor(caller, ports.clock(), request.lifetimeSeconds),
    });
    return keeper.keep([root], new Map(), context);
  },
});

export type UcanIssuer = ReturnType<typeof createUcanIssuer>;
