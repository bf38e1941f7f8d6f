/** Revokes tokens: for any issuer in their chain. Source: UCAN 0.10.0 §6.6. */
import { AppError } from '../../contract/errors.ts';
import type { Caller } from '../../contract/operation.ts';
import { accountOf } from '../../identity/ucan/capability.ts';
import { cidOf } from '../../identity/ucan/cid.ts';
import { UcanError } from '../../identity/ucan/error.ts';
import { isSignedRevocation } from '../../identity/ucan/revocation.ts';
import { parseUcan, type Ucan, withoutFragment } from '../../identity/ucan/token.ts';
import type { Limits } from '../../limits/table.ts';
import type { CallerDids } from '../accounts/caller-did.ts';
import type { KeepLimits } from '../guards/keep-limits.ts';
import type { CommandContext } from '../handling/fold.ts';
import type { CommandHandler } from '../handling/handle.ts';
import { isMadeBy } from './issue-ucan.ts';
import { revokeUcan, ucanAggregate } from './ucan.ts';
import type { UcanAuthority, UcanCheck } from './ucan-check.ts';

type RevokeRequest = {
  cid: string;
  /** The token, where it was not issued here, and what of its proofs was not. */
  token?: string;
  proofs?: string[];
  /** The message of an issuer who keeps its key itself. */
  signed?: { iss: string; challenge: string };
};

/** The changes of a UCAN that a caller who may revoke it may make. */
type Change = 'revoke' | 'freeze' | 'limit';

const changeOf: Record<Change, string> = {
  revoke: 'revoke it',
  freeze: 'freeze it',
  limit: 'change its policy',
};
const keyMay: Record<Change, string> = {
  revoke:
    'revoke only the UCANs that it issued. Revoke others with a full key, or with the UCAN itself.',
  freeze:
    'freeze only the UCANs that it issued. Freeze others with a full key, or with the UCAN itself.',
  limit:
    'change the policies only of UCANs that it issued. Change those of others with a full key.',
};

const notIssuer = (change: Change): AppError => {
  const who = 'Only the issuer of the UCAN, or of a token before it in its chain,';
  const signing =
    change === 'revoke'
      ? ' If you keep the key of that DID yourself, sign "REVOKE:<cid>" with it.'
      : '';
  return new AppError('revocation_not_allowed', `${who} can ${changeOf[change]}.${signing}`);
};

const isAbout = ({ payload }: Ucan, accountId: string): boolean =>
  Object.keys(payload.cap).some((resource) => accountOf(resource) === accountId);

export const createUcanRevoker = (ports: {
  handler: CommandHandler;
  limits: Limits;
  authority: UcanAuthority;
  callerDids: CallerDids;
  check: UcanCheck;
  keepLimits: Pick<KeepLimits, 'assertUnlimited'>;
}) => {
  const { handler, limits, authority, callerDids, check, keepLimits } = ports;

  /**
   * The tokens of a chain, whether they still count or not. A CID names the bytes, so nothing has to be
   * verified to know who its issuers are: a forged token has another CID, which nobody uses.
   */
  const chainOf = async ({ cid, token, proofs = [] }: RevokeRequest): Promise<Ucan[]> => {
    const given = new Map([...(token ? [token] : []), ...proofs].map((one) => [cidOf(one), one]));
    const chain: Ucan[] = [];
    const seen = new Set<string>();
    let wanted = [cid];
    while (wanted.length > 0 && seen.size <= limits.ucanProofs) {
      const next: string[] = [];
      for (const one of wanted) {
        if (seen.has(one)) continue;
        seen.add(one);
        const text = given.get(one) ?? (await check.load(one)).issued?.token;
        const ucan = text === undefined ? undefined : readOrNothing(text);
        if (!ucan) continue;
        chain.push(ucan);
        next.push(...(ucan.payload.prf ?? []));
      }
      wanted = next;
    }
    return chain;
  };

  /** A token that an account issued or delegated here, under whatever DID it had then. */
  const madeFor = async (chain: Ucan[], accountId: string): Promise<Ucan | undefined> => {
    const states = await Promise.all(chain.map(({ cid }) => check.load(cid)));
    return chain.find((_, index) => states[index]?.issued?.accountId === accountId);
  };

  const readOrNothing = (token: string): Ucan | undefined => {
    try {
      return parseUcan(token, limits);
    } catch (error) {
      if (error instanceof UcanError) return undefined;
      throw error;
    }
  };

  /** The issuer for whom the caller may speak. @throws AppError revocation_not_allowed */
  const revokerOf = async (
    chain: Ucan[],
    request: RevokeRequest,
    caller: Caller,
    change: Change,
  ): Promise<string> => {
    const issuers = new Set(chain.map(({ payload }) => withoutFragment(payload.iss)));
    const { signed, cid } = request;
    if (signed) {
      const counts = isSignedRevocation({ ...signed, revoke: cid });
      if (counts && issuers.has(withoutFragment(signed.iss))) return withoutFragment(signed.iss);
      throw notIssuer(change);
    }
    if (caller.ucan) {
      // A bearer may end what it carries and what came of it, and nothing above.
      if (chain.some((one) => one.cid === caller.ucan?.cid)) return caller.ucan.audience;
      throw notIssuer(change);
    }
    const { issued } = await check.load(cid);
    // A wallet is its account, though its scope is send.
    const isOwn = caller.wallet || issued?.boundTo?.keys.includes(caller.keyId);
    if (caller.scope !== 'full' && !isOwn) {
      throw new AppError('scope_insufficient', `A ${caller.scope} key can ${keyMay[change]}`, {
        extra: { required_scope: 'full', scope: caller.scope },
      });
    }
    const own = (await callerDids.current(caller.accountId))?.did;
    if (own !== undefined && issuers.has(own)) return own;
    const made = await madeFor(chain, caller.accountId);
    if (made) return withoutFragment(made.payload.iss);
    // The service issues roots for accounts, and revokes what came of them for their owners.
    const roots = new Set(authority.rootKeys().map(({ did }) => did));
    const root = chain.find(
      (ucan) => roots.has(withoutFragment(ucan.payload.iss)) && isAbout(ucan, caller.accountId),
    );
    if (root) return withoutFragment(root.payload.iss);
    throw notIssuer(change);
  };

  /**
   * The issuer for whom the caller may change a UCAN. All changes but a revocation need one that acts on the caller's account.
   * @throws AppError ucan_not_found, revocation_not_allowed, scope_insufficient
   */
  const judge = async (request: RevokeRequest, caller: Caller, change: Change): Promise<string> => {
    const chain = await chainOf(request);
    if (chain[0]?.cid !== request.cid) {
      throw new AppError(
        'ucan_not_found',
        'There is no UCAN with this cid here. Send the token itself and its proofs.',
      );
    }
    if (change !== 'revoke' && !chain.some((ucan) => isAbout(ucan, caller.accountId))) {
      throw new AppError(
        'revocation_not_allowed',
        `The UCAN acts on another account, which alone can ${changeOf[change]}. Revoke it instead.`,
      );
    }
    return revokerOf(chain, request, caller, change);
  };

  /** A credential that has a policy revokes what it made. @throws AppError policy_protected */
  const assertMayEnd = async ({ cid, signed }: RevokeRequest, caller: Caller): Promise<void> => {
    if (signed || caller.ucan || caller.wallet) return;
    const { issued } = await check.load(cid);
    if (issued && isMadeBy(issued, caller)) return;
    const why = 'it did not make that UCAN';
    await keepLimits.assertUnlimited(caller, 'revoke the UCAN', why);
  };

  return {
    judge,

    /** @throws AppError ucan_not_found, revocation_not_allowed, policy_protected */
    async revoke(
      request: RevokeRequest,
      caller: Caller,
      context: CommandContext,
    ): Promise<{ by: string; at: string; position: bigint }> {
      const { cid } = request;
      const by = await judge(request, caller, 'revoke');
      await assertMayEnd(request, caller);
      const command = { type: 'RevokeUcan' as const, cid, accountId: caller.accountId, by };
      const { state, position } = await handler.handle(ucanAggregate, cid, context, (ucan) =>
        revokeUcan(ucan, command),
      );
      check.changed();
      return { by: state.revoked?.by ?? by, at: state.revoked?.at ?? '', position };
    },
  };
};

export type UcanRevoker = ReturnType<typeof createUcanRevoker>;
