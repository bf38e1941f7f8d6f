/**
 * Authenticates callers by UCAN: `Authorization: Bearer ucan:<token>`, with further proofs in the header
 * `ucans`. Missing proofs are looked up among the tokens that this service issued.
 */
import { randomUUID } from 'node:crypto';
import { accountAggregate } from '../../commands/accounts/account.ts';
import { standingOfIssued } from '../../commands/accounts/restrictions.ts';
import type { CommandHandler } from '../../commands/handling/handle.ts';
import { invokeUcan, ucanAggregate } from '../../commands/ucans/ucan.ts';
import { freshForMs, type UcanAuthority, type UcanCheck } from '../../commands/ucans/ucan-check.ts';
import type { Bounds } from '../../contract/bounds.ts';
import { AppError } from '../../contract/errors.ts';
import type { Caller } from '../../contract/operation.ts';
import type { Clock } from '../../ground/clock.ts';
import type { Log } from '../../ground/log.ts';
import { accountOf } from '../../identity/ucan/capability.ts';
import { cidOf } from '../../identity/ucan/cid.ts';
import { UcanError } from '../../identity/ucan/error.ts';
import { readingPermits, scopeOfPermits } from '../../identity/ucan/permits.ts';
import { cidsOf, countedCidOf } from '../../identity/ucan/spelling.ts';
import { parseUcan, type Ucan, withoutFragment } from '../../identity/ucan/token.ts';
import type { UcanReport } from '../../identity/ucan/verify.ts';
import type { Limits } from '../../limits/table.ts';

type Ports = {
  handler: CommandHandler;
  check: UcanCheck;
  authority: UcanAuthority;
  clock: Clock;
  limits: Limits;
  /** Accept only tokens that are meant for the service itself. */
  strictAudience: boolean;
  log: Pick<Log, 'info'>;
};

type Known = { caller: Caller; readAtMs: number; generation: number };

const maxKnown = 10_000;
const scheme = /^bearer +ucan:/i;

export const isUcanHeader = (authorization: string): boolean => scheme.test(authorization);

/** @throws AppError ucan_invalid, with the code of the failed check; missing_proofs, with their CIDs */
const refusalOf = ({ code, message, cid, missing }: UcanError): AppError =>
  code === 'missing_proofs'
    ? new AppError(
        'missing_proofs',
        `${message} Send it in the header "ucans", separated by commas.`,
        {
          extra: { prf: missing },
        },
      )
    : new AppError('ucan_invalid', message, {
        extra: { reason: code, ...(cid === undefined ? {} : { cid }) },
      });

/** The one account on which the token gives something. @throws UcanError invalid_delegation */
const accountIn = ({ grants, ucan }: UcanReport): string => {
  const accounts = new Set(grants.map(({ resource }) => accountOf(resource)));
  accounts.delete(undefined);
  const [account, ...others] = accounts;
  if (account !== undefined && others.length === 0) return account;
  const detail =
    account === undefined
      ? 'The token grants nothing on letters://.'
      : 'The token grants capabilities on several accounts. Delegate one token for each account.';
  throw new UcanError('invalid_delegation', detail, ucan ? { cid: ucan.cid } : {});
};

/** The account's view of the tokens of a chain. */
const standingOf = async ({ handler, check }: Ports, accountId: string, chain: Ucan[]) => {
  const { state } = await handler.load(accountAggregate, accountId);
  if (state.status !== 'open') {
    throw new UcanError('invalid_delegation', 'The account of the token does not exist.');
  }
  const tokens = await Promise.all(chain.map(({ cid }) => check.load(cid)));
  const standings = tokens.flatMap(({ issued }) =>
    issued?.accountId === accountId ? [standingOfIssued(state, issued)] : [],
  );
  const unconfirmed = standings.includes('unconfirmed');
  return { test: state.test, blocked: state.blocked !== undefined, unconfirmed };
};

const ownDidsOf = (authority: UcanAuthority): string[] => [
  authority.serviceDid(),
  ...authority.rootKeys().flatMap(({ did, revoked }) => (revoked ? [] : [did])),
];

/** Whether a token was made for the service, also under a DID that it had when the token was signed. */
const isInvocation = (authority: UcanAuthority, audience: string): boolean =>
  authority.serviceDids().includes(audience) ||
  authority.rootKeys().some(({ did }) => did === audience);

/** The chain, in every spelling, and the bounds of its tokens that were issued here. */
const boundsOf = async (
  check: UcanCheck,
  chain: Ucan[],
  expiresAtMs: number | undefined,
): Promise<Bounds> => {
  const states = await Promise.all(chain.map(({ cid }) => check.load(cid)));
  const bound = states.flatMap(({ issued }) => issued?.boundTo ?? []);
  const ucans = [...chain.flatMap(cidsOf), ...bound.flatMap((one) => one.ucans)];
  return {
    expiresAtMs,
    keys: [...new Set(bound.flatMap((one) => one.keys))],
    ucans: [...new Set(ucans)],
  };
};

const callerOf = async (ports: Ports, report: UcanReport, tokens: string[]): Promise<Caller> => {
  const { ucan, grants, chain } = report;
  if (!ucan) throw new UcanError('malformed', 'There is no token.');
  const accountId = accountIn(report);
  const { aud, exp } = ucan.payload;
  const expiresAtMs = exp === null ? undefined : (exp + 1) * 1_000;
  const permits = grants
    .filter(({ resource }) => accountOf(resource) === accountId)
    .map(({ resource, ability, caveat, counters }) => ({ resource, ability, caveat, counters }));
  const { test, blocked, unconfirmed } = await standingOf(ports, accountId, chain);
  return {
    accountId,
    keyId: `ucan:${ucan.cid}`,
    scope: unconfirmed ? 'read' : scopeOfPermits(permits),
    test,
    ...(blocked ? { blocked } : {}),
    ...(unconfirmed ? { unconfirmed } : {}),
    // Valid until the second that the token names, as credentials made with it name their own end.
    bounds: await boundsOf(ports.check, chain, exp === null ? undefined : exp * 1_000),
    ucan: {
      cid: ucan.cid,
      cids: chain.map(({ cid }) => cid),
      tokens,
      audience: withoutFragment(aud),
      expiresAtMs,
      invocation: isInvocation(ports.authority, withoutFragment(aud)),
      permits: unconfirmed ? permits.flatMap(readingPermits) : permits,
    },
  };
};

const furtherOf = (limits: Limits, ucans: string | undefined): string[] => {
  if (ucans === undefined) return [];
  const tokens = ucans.split(',').map((one) => one.trim());
  if (tokens.length <= limits.ucanProofs) return tokens.filter((one) => one !== '');
  throw new UcanError(
    'too_many_proofs',
    `The header ucans has more than ${limits.ucanProofs} tokens.`,
  );
};

const judge = async (ports: Ports, token: string, further: string[]): Promise<Caller> => {
  const proofs = new Map(further.map((one) => [cidOf(one), one]));
  const audiences = ports.strictAudience ? { audiences: ownDidsOf(ports.authority) } : {};
  const report = await ports.check.verify(token, { proofs, ...audiences });
  if (report.error) throw report.error;
  return callerOf(ports, report, [token, ...further]);
};

export const createUcanAuthenticator = (ports: Ports) => {
  const { handler, check, clock, limits, log } = ports;
  const known = new Map<string, Known>();

  /** Tokens are long, and anybody with one can sign any number that follow from it. */
  const remember = (key: string, entry: Known): void => {
    known.delete(key);
    for (const [oldest, { readAtMs }] of known) {
      if (known.size < maxKnown && entry.readAtMs - readAtMs < freshForMs) break;
      known.delete(oldest);
    }
    known.set(key, entry);
  };

  const find = async (authorization: string, ucans: string | undefined): Promise<Caller> => {
    const token = authorization.replace(scheme, '').trim();
    const further = furtherOf(limits, ucans);
    const key = cidOf(`${token},${further.join(',')}`);
    const readAtMs = performance.now();
    const generation = check.generation();
    const found = known.get(key);
    const fresh =
      found && found.generation === generation && readAtMs - found.readAtMs < freshForMs;
    const caller = fresh ? found.caller : await judge(ports, token, further);
    const { expiresAtMs = Number.POSITIVE_INFINITY, cid = '' } = caller.ucan ?? {};
    if (expiresAtMs <= clock()) throw new UcanError('expired', 'The token has expired.', { cid });
    if (!fresh) remember(key, { caller, readAtMs, generation });
    return caller;
  };

  return {
    /** @throws AppError ucan_invalid, missing_proofs */
    async authenticate(authorization: string, ucans: string | undefined): Promise<Caller> {
      try {
        return await find(authorization, ucans);
      } catch (error) {
        if (!(error instanceof UcanError)) throw error;
        log.info({ reason: error.code, cid: error.cid }, 'UCAN refused');
        throw refusalOf(error);
      }
    },

    /** Uses an invocation up. The same `use` again is no replay. @throws AppError ucan_invalid */
    async spend({ accountId, keyId, ucan }: Caller, use: string): Promise<void> {
      if (!ucan) return;
      const [token = ''] = ucan.tokens;
      const cid = countedCidOf(parseUcan(token, limits));
      const context = { commandId: randomUUID(), actor: keyId };
      const command = { type: 'InvokeUcan' as const, cid, accountId, use };
      await handler
        .handle(ucanAggregate, cid, context, (state) => invokeUcan(state, command))
        .catch((error: unknown) => {
          if (error instanceof AppError && error.code === 'ucan_invalid') {
            log.info({ reason: 'replayed', cid }, 'UCAN refused');
          }
          throw error;
        });
    },
  };
};
