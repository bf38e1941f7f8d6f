/**
 * Delegates tokens: signed with the key of the account's DID where the service keeps it. The result is
 * judged by the verifier that will judge its use, before anything is stored.
 */

import { AppError } from '../../contract/errors.ts';
import type { Caller } from '../../contract/operation.ts';
import { accountParts } from '../../contract/permits.ts';
import { invalidField } from '../../contract/refusals.ts';
import { abilitiesOfScope, abilityNeeded, type Scope, scopeCovers } from '../../contract/scopes.ts';
import { uuidPattern } from '../../ground/uuid.ts';
import type { SigningKey } from '../../identity/keys.ts';
import {
  abilityCovers,
  accountOf,
  accountResource,
  entriesOf,
  type Grant,
  isLettersResource,
} from '../../identity/ucan/capability.ts';
import { caveatProblem } from '../../identity/ucan/caveats.ts';
import { cidOf } from '../../identity/ucan/cid.ts';
import { capabilitiesOf } from '../../identity/ucan/scope.ts';
import {
  type Capabilities,
  type Caveat,
  issueUcan,
  type Ucan,
  withoutFragment,
} from '../../identity/ucan/token.ts';
import type { UcanReport } from '../../identity/ucan/verify.ts';
import { countryCodes, intents, serviceIds } from '../../postal/types.ts';
import type { CallerIdentity } from '../accounts/caller-did.ts';
import {
  expiryFor,
  type IssueContext,
  type IssuedUcan,
  type IssuePorts,
  isMadeBy,
  type Made,
  makeRoot,
  narrower,
  newNonce,
  type UcanKeeper,
} from './issue-ucan.ts';

type DelegateRequest = {
  audience: string;
  /** One of the two. */
  wanted: { scope: Scope } | { capabilities: Capabilities };
  /** The source of a delegation: a token, or the CID of one that was issued here; absent: a new root. */
  token?: string;
  cid?: string;
  proofs?: string[];
  lifetimeSeconds: number;
};

/** The token to delegate, and the rest of its chain that the caller has. */
type Given = { token: string; proofs: Map<string, string> };

const escalates = (detail: string): AppError => new AppError('delegation_escalates', detail);

const field = (name: string, code: string, detail: string): AppError =>
  invalidField(`/${name}`, code, detail);

const notCounting = ({ error }: UcanReport): AppError =>
  new AppError('delegation_invalid', error?.message ?? 'The token is not valid.', {
    extra: {
      reason: error?.code,
      ...(error?.cid === undefined ? {} : { cid: error.cid }),
      ...(error?.missing.length ? { prf: error.missing } : {}),
    },
  });

const lettersAbilities = Object.values(abilityNeeded);

const valuesOfCaveats: Record<string, readonly string[]> = {
  countries: countryCodes,
  services: serviceIds,
  intents,
};

const letterIdPattern = new RegExp(`^${uuidPattern}$`, 'i');

/** Why no letter meets a caveat: it names a country, service, intent or letter that cannot exist, or none at all. */
const unknownValue = (caveat: Caveat): string | undefined => {
  const { letter_id: letterId, max_letters: most } = caveat;
  if (letterId !== undefined && !letterIdPattern.test(String(letterId))) {
    return `The caveat letter_id is "${String(letterId).slice(0, 64)}", which is not the id of a letter.`;
  }
  if (most === 0) return 'The caveat max_letters must be at least 1. With 0, nothing can be sent.';
  for (const [name, values] of Object.entries(valuesOfCaveats)) {
    const given = [caveat[name] ?? []].flat().map(String);
    const unknown = given.find((value) => !values.includes(value));
    if (unknown === undefined) continue;
    return `The caveat ${name} contains "${unknown.slice(0, 64)}". The values are ${values.join(', ')}.`;
  }
  return undefined;
};

const letterPart = new RegExp(`^letter/(?:${uuidPattern})?$`, 'i');

/** Why no request is about a resource: its account has no such part. Malformed resources are judged with the chain. */
const unknownPart = (resource: string): string | undefined => {
  const account = accountOf(resource);
  if (account === undefined) return undefined;
  const whole = accountResource(account);
  const part = resource.slice(whole.length);
  const isKnown = part === '' || letterPart.test(part) || accountParts.some((one) => one === part);
  if (isKnown) return undefined;
  const parts = ['', 'letter/<letter_id>', ...accountParts].map((one) => whole + one);
  return `${resource.slice(0, 200)} is not a part of an account. The parts are ${parts.join(', ')}.`;
};

/** @throws AppError scope_insufficient, validation_failed */
const assertMayAsk = (wanted: DelegateRequest['wanted'], caller: Caller): void => {
  if ('scope' in wanted) {
    if (!caller.ucan && !scopeCovers(caller.scope, wanted.scope)) {
      throw narrower(wanted.scope, caller.scope);
    }
    return;
  }
  for (const { resource, ability, caveat } of entriesOf(wanted.capabilities)) {
    if (!isLettersResource(resource)) {
      // `ucan:` passes on everything in the parent, and the scope of other schemes is unknown here.
      if (caller.ucan || caller.scope === 'full') continue;
      throw narrower(`what is on ${resource.slice(0, 200)}`, caller.scope);
    }
    const noPart = unknownPart(resource);
    if (noPart) throw field('capabilities', 'resource_unknown', noPart);
    // A caveat that no operation honours would make a token without a use.
    const problem = caveatProblem(caveat) ?? unknownValue(caveat);
    if (problem) throw field('capabilities', 'caveat_unknown', problem);
    if (!lettersAbilities.some((one) => abilityCovers(ability, one))) {
      const detail = `${ability.slice(0, 64)} is not an ability. The abilities are ${lettersAbilities.join(', ')}.`;
      throw field('capabilities', 'ability_unknown', detail);
    }
    const has = abilitiesOfScope[caller.scope].some((own) => abilityCovers(own, ability));
    if (!caller.ucan && !has) throw narrower(ability, caller.scope);
  }
};

/** The capabilities of a new root: never more than is delegated, and none of other accounts. */
const rootCapabilities = (wanted: DelegateRequest['wanted'], accountId: string): Capabilities => {
  if ('scope' in wanted) return capabilitiesOf(wanted.scope, accountId);
  const foreign = Object.keys(wanted.capabilities).find((one) => accountOf(one) !== accountId);
  if (foreign === undefined) return wanted.capabilities;
  throw escalates(
    `${foreign.slice(0, 200)} is not a resource of your account. Yours is letters://${accountId}/.`,
  );
};

/** The abilities of a scope, as far and under the caveats under which the parent has them. */
const narrowedTo = (scope: Scope, grants: readonly Grant[]): Capabilities => {
  const cap = new Map<string, Map<string, Caveat[]>>();
  for (const ability of abilitiesOfScope[scope]) {
    const held = grants.filter(
      (grant) => isLettersResource(grant.resource) && abilityCovers(grant.ability, ability),
    );
    if (held.length === 0) throw escalates(`The delegated token does not give ${ability}.`);
    for (const { resource, caveat } of held) {
      const abilities = cap.get(resource) ?? new Map<string, Caveat[]>();
      cap.set(resource, abilities.set(ability, [...(abilities.get(ability) ?? []), caveat]));
    }
  }
  return Object.fromEntries(
    [...cap].map(([resource, abilities]) => [resource, Object.fromEntries(abilities)]),
  );
};

/** @param hasToken whether the request names a token that it delegates */
const keyOf = ({ key, did }: CallerIdentity, hasToken: boolean): SigningKey => {
  if (key) return key;
  const first = hasToken ? '' : ' First get a token with scope alone from POST /api/identity/ucan.';
  throw new AppError(
    'did_self_custody',
    `You keep the key of ${did} yourself.${first} Sign the delegation with that key, with the CID of your token in prf.`,
  );
};

const byCid = (tokens: string[]): Map<string, string> =>
  new Map(tokens.map((token) => [cidOf(token), token]));

/** @throws AppError delegation_invalid when the token is not valid, or is somebody else's */
const assertDelegable = (report: UcanReport, did: string): Ucan => {
  const { ucan } = report;
  if (!report.valid || !ucan) throw notCounting(report);
  const holder = withoutFragment(ucan.payload.aud);
  if (holder === did) return ucan;
  throw new AppError(
    'delegation_invalid',
    `The token was issued to ${holder.slice(0, 200)}, not to ${did}. Its holder can delegate it with a token signed by that DID, with this token's CID in prf.`,
    { extra: { reason: 'invalid_delegation', cid: ucan.cid } },
  );
};

/** @throws AppError ucan_not_found, scope_insufficient, validation_failed, policy_protected */
const givenBy = async (
  { check, keepLimits }: Pick<IssuePorts, 'check' | 'keepLimits'>,
  { token, cid, proofs = [] }: DelegateRequest,
  { caller }: IssueContext,
  did: string,
): Promise<Given | undefined> => {
  if (token !== undefined && cid !== undefined) {
    throw field('cid', 'one_of', 'Send either token or cid, not both.');
  }
  const { ucan } = caller;
  if (ucan) {
    // Its bearer is not the account: it can only pass on the rights that it was given.
    const named = token === undefined ? cid : cidOf(token);
    if (named !== undefined && named !== ucan.cid) {
      throw new AppError('scope_insufficient', 'A UCAN can only delegate itself.');
    }
    const [shown = '', ...others] = ucan.tokens;
    return { token: shown, proofs: byCid(others) };
  }
  if (token !== undefined) return { token, proofs: byCid(proofs) };
  if (cid === undefined) return undefined;
  const { issued } = await check.load(cid);
  const isTheirs =
    issued?.accountId === caller.accountId || withoutFragment(issued?.audience ?? '') === did;
  if (issued?.token && isTheirs) {
    if (!isMadeBy(issued, caller)) {
      const why = 'its policy does not limit that UCAN';
      await keepLimits.assertUnlimited(caller, 'delegate a UCAN that it did not make', why);
    }
    return { token: issued.token, proofs: byCid(proofs) };
  }
  throw new AppError('ucan_not_found', 'No UCAN with this cid was issued to you.');
};

export const createUcanDelegator = (ports: IssuePorts, keeper: UcanKeeper) => {
  const { clock, authority, callerDids, check } = ports;

  /** Signs a delegation of what counts. @throws AppError delegation_invalid, delegation_escalates */
  const sign = async (
    request: DelegateRequest,
    given: Given,
    did: string,
    key: SigningKey,
    exp: number,
  ): Promise<Made> => {
    const report = await check.verify(given.token, { proofs: given.proofs });
    const parent = assertDelegable(report, did);
    const { nbf, exp: parentExp } = parent.payload;
    const { wanted } = request;
    const child = issueUcan(
      {
        aud: request.audience,
        exp: Math.min(exp, parentExp ?? exp),
        cap: 'scope' in wanted ? narrowedTo(wanted.scope, report.grants) : wanted.capabilities,
        nnc: newNonce(),
        prf: [parent.cid],
        ...(nbf === undefined ? {} : { nbf }),
      },
      key,
    );
    const chain = new Map(report.chain.map((one) => [one.cid, one.token]));
    const verified = await check.verify(child.token, { proofs: chain });
    if (verified.valid) return child;
    if (verified.error?.code === 'invalid_delegation') throw escalates(verified.error.message);
    throw notCounting(verified);
  };

  return {
    /**
     * Delegates what the caller's DID was given, or a new root, to another DID.
     * @throws AppError delegation_escalates, delegation_invalid, did_self_custody, ucan_not_found,
     * scope_insufficient, validation_failed, account_not_found, idempotency_key_reused
     */
    async delegate(request: DelegateRequest, context: IssueContext): Promise<IssuedUcan> {
      const { caller } = context;
      assertMayAsk(request.wanted, caller);
      const identity = await callerDids.ensure(caller.accountId, context);
      const given = await givenBy(ports, request, context, identity.did);
      const shown = new Map(given?.proofs);
      // The caller has the token of the request already.
      if (given && (request.token !== undefined || caller.ucan)) {
        shown.set(cidOf(given.token), given.token);
      }
      const before = await keeper.earlier(context);
      if (before) return keeper.keep(before, shown, context);
      const key = keyOf(identity, given !== undefined);
      const exp = expiryFor(caller, clock(), request.lifetimeSeconds);
      if (given) {
        const child = await sign(request, given, identity.did, key, exp);
        return keeper.keep([child], shown, context);
      }
      const cap = rootCapabilities(request.wanted, caller.accountId);
      const root = makeRoot(authority, { audience: identity.did, cap, exp });
      const from = { token: root.token, proofs: new Map<string, string>() };
      const child = await sign(request, from, identity.did, key, exp);
      return keeper.keep([root, child], shown, context);
    },
  };
};

export type UcanDelegator = ReturnType<typeof createUcanDelegator>;
