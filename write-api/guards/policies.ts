/** Policies: what the keys of an account may send. */
import type { Static } from 'typebox';
import type { PolicyChanges } from '../../commands/guards/change-book.ts';
import { type CredentialLines, keyIdsOf } from '../../commands/guards/credential-line.ts';
import { accountSubject, type PolicyBook } from '../../commands/guards/policy-book.ts';
import type { UcanRevoker } from '../../commands/ucans/revoke-ucan.ts';
import { AppError } from '../../contract/errors.ts';
import { ucanSubject } from '../../contract/frozen.ts';
import {
  type AnyOperation,
  type Caller,
  operation,
  type RequestCommand,
} from '../../contract/operation.ts';
import { type Clock, toTimestamp } from '../../ground/clock.ts';
import { Type } from '../../ground/type.ts';
import { isFullOnAccount } from '../../identity/ucan/permits.ts';
import { OneOf } from '../../presenters/common.ts';
import {
  PolicyAnswer,
  presentPolicy,
  RemovedPolicy,
  WantedPolicyBody,
} from '../../presenters/policy.ts';
import { PolicyChangeAnswer, presentPolicyChange } from '../../presenters/policy-change.ts';
import { Cid } from '../ucans/schemas.ts';
import { noPolicy, wantedPolicy } from './wanted-policy.ts';

type PolicyPorts = {
  policies: PolicyBook;
  changes: Pick<PolicyChanges, 'request'>;
  lines: CredentialLines;
  /** Keyed digest under which a personal value is found again. */
  indexOf: (kind: string, value: string) => string;
  revoker: Pick<UcanRevoker, 'judge'>;
  clock: Clock;
  /** The page of an approval, without a token. */
  approvalUrl: (approvalId: string) => string;
};

type Asking = {
  caller: Caller;
  command: RequestCommand;
  ifMatch: bigint | undefined;
  /** The key whose policy it is; absent: it is no policy of a key. */
  keyId?: string;
};

const UcanParams = Type.Object({ cid: Cid });
const KeyParams = Type.Object({ id: Type.String({ pattern: '^key_[0-9a-f]{32}$' }) });

const Removing = Type.Exact({
  request_approval: Type.Optional(
    OneOf(['true', 'false'] as const, 'Asks for an approval where the caller cannot delete it.'),
  ),
});
type Removing = Static<typeof Removing>;

const common = {
  tag: 'Guards',
  whileFrozen: 'account' as const,
  permit: { about: 'account' as const },
};
const key = { ...common, input: { params: KeyParams } };

const changing =
  'Lowering limits needs scope send and holds from the answer on. Raising them, or naming approvers, needs scope full and a credential without a policy, or an approval: `request_approval`.';
const ucanErrors = ['ucan_not_found', 'revocation_not_allowed'] as const;

const oneSentence =
  'Once the account or a key has a policy, whatever that policy does not allow is denied.';

const examplePolicy = {
  time_zone: 'Europe/Berlin',
  rules: [
    {
      id: 'germany',
      effect: 'allow',
      when: { countries: ['DE'] },
      limit: { amount: 20, per: 'day' },
    },
  ],
};

type SetOutcome = Awaited<ReturnType<PolicyBook['set']>>;

const presentSet = (subject: string, { policy, emails, position }: SetOutcome) => {
  if (!policy) throw noPolicy(subject);
  return { body: presentPolicy(policy, emails), version: BigInt(policy.version), position };
};

const changesOf = ({ policies, indexOf, changes, lines, clock, approvalUrl }: PolicyPorts) => {
  const lineOf = async (caller: Caller) => {
    const ids = keyIdsOf(caller);
    return lines.known(caller.accountId, ids) ?? (await lines.load(caller.accountId, ids));
  };
  const makerOf = async ({ caller, keyId }: Pick<Asking, 'caller' | 'keyId'>) => {
    const credential = await lineOf(caller);
    const otherKeyScope =
      keyId === undefined
        ? undefined
        : await lines.scopeOfOther(caller.accountId, keyId, credential);
    return {
      subjects: credential.line,
      mayRaise: isFullOnAccount(caller),
      otherKeyScope,
    };
  };
  return {
    async set(subject: string, body: WantedPolicyBody, asking: Asking) {
      const { caller, command, ifMatch } = asking;
      const { accountId } = caller;
      const { policy } = await policies.find(accountId, subject);
      const wanted = await wantedPolicy(body, {
        accountId,
        indexOf,
        subjectOf: (keyId) => policies.subjectOf(accountId, keyId),
        faultOf: (keyId) => lines.approverFault(accountId, keyId, subject, toTimestamp(clock())),
        present: policy?.approvals?.approvers ?? [],
      });
      const maker = await makerOf(asking);
      if (body.request_approval) {
        const requester = await lineOf(caller);
        const request = { subject, wanted, maker, requester, ifMatch };
        const { asked, ...now } = await changes.request(accountId, request, command);
        if (asked) {
          const body = presentPolicyChange(asked, approvalUrl);
          return { status: 202, body, position: now.position };
        }
        return presentSet(subject, now);
      }
      const set = await policies.set(accountId, { subject, wanted, maker, ifMatch }, command);
      return presentSet(subject, set);
    },

    async remove(subject: string, query: Removing, { caller, command, ifMatch }: Asking) {
      const maker = await makerOf({ caller });
      const { accountId } = caller;
      const body = { policy: subject, deleted: true as const };
      if (query.request_approval === 'true') {
        const requester = await lineOf(caller);
        const request = { subject, wanted: undefined, maker, requester, ifMatch };
        const { asked, position } = await changes.request(accountId, request, command);
        return asked
          ? { status: 202, body: presentPolicyChange(asked, approvalUrl), position }
          : { status: 200, body, position };
      }
      const position = await policies.remove(accountId, { subject, maker, ifMatch }, command);
      return { status: 200, body, position };
    },

    /** @throws AppError policy_not_found */
    async read(subject: string, { accountId }: Caller) {
      const { policy, emails } = await policies.find(accountId, subject);
      if (!policy) throw noPolicy(subject);
      return { body: presentPolicy(policy, emails), version: BigInt(policy.version) };
    },
  };
};

const setResponses = {
  200: { description: 'The policy as it is now', schema: PolicyAnswer },
  202: { description: 'The change waits for approval', schema: PolicyChangeAnswer },
};

const removing = {
  access: 'send' as const,
  conditional: true,
  responses: {
    200: { description: 'There is no policy any more', schema: RemovedPolicy },
    202: setResponses[202],
  },
};
const lifting =
  'Needs scope full and a credential without a policy, or an approval: `request_approval=true`.';

const waitErrors = ['policy_limit_reached', 'approval_pending'] as const;
const changeErrors = ['policy_protected', 'conflict'] as const;

const accountOperations = (ports: PolicyPorts): AnyOperation[] => {
  const { read, set, remove } = changesOf(ports);
  const path = '/api/policy';
  return [
    operation({
      ...common,
      name: 'get_policy',
      method: 'GET',
      path,
      summary: 'Read the policy of the account',
      description:
        'Recipients are shown by their digests. 404 `policy_not_found` where there is none.',
      access: 'read',
      input: {},
      responses: { 200: { description: 'The policy', schema: PolicyAnswer } },
      errors: ['policy_not_found'],
      handle: ({ caller }) => read(accountSubject, caller),
    }),
    operation({
      ...common,
      name: 'set_policy',
      method: 'PUT',
      path,
      summary: 'Set the policy of the account',
      description: `Applies to every letter of the account, by whichever key, UCAN or wallet. ${oneSentence} ${changing}`,
      access: 'send',
      conditional: true,
      input: { body: Type.Unsafe<WantedPolicyBody>(WantedPolicyBody) },
      responses: setResponses,
      errors: [...waitErrors, ...changeErrors],
      examples: [{ summary: '$20 a day, Germany only', body: examplePolicy }],
      handle: ({ body, ...asking }) => set(accountSubject, body, asking),
    }),
    operation({
      ...common,
      name: 'delete_policy',
      method: 'DELETE',
      path,
      summary: 'Delete the policy of the account',
      description: `Lifts its limits. Policies of keys stay. ${lifting}`,
      ...removing,
      input: { query: Removing },
      errors: [...waitErrors, ...changeErrors],
      handle: ({ query, ...asking }) => remove(accountSubject, query, asking),
    }),
  ];
};

/** @throws AppError scope_insufficient */
const assertMayRead = async (policies: PolicyBook, subject: string, caller: Caller) => {
  if (isFullOnAccount(caller)) return;
  const own = await policies.subjectsOf(caller.accountId, keyIdsOf(caller));
  if (own.includes(subject)) return;
  throw new AppError(
    'scope_insufficient',
    'A credential can read its own policy. To read the policy of another one you need scope full.',
  );
};

const keyOperations = (ports: PolicyPorts): AnyOperation[] => {
  const { policies } = ports;
  const { read, set, remove } = changesOf(ports);
  const path = '/auth/keys/{id}/policy';
  const subjectOf = ({ accountId }: Caller, id: string) => policies.subjectOf(accountId, id);
  return [
    operation({
      ...key,
      name: 'get_key_policy',
      method: 'GET',
      path,
      summary: 'Read the policy of a key',
      description: 'A key can read its own policy; to read another you need scope full.',
      access: 'read',
      responses: { 200: { description: 'The policy', schema: PolicyAnswer } },
      errors: ['policy_not_found', 'key_not_found'],
      async handle({ params, caller }) {
        const subject = await subjectOf(caller, params.id);
        await assertMayRead(policies, subject, caller);
        return read(subject, caller);
      },
    }),
    operation({
      ...key,
      name: 'set_key_policy',
      method: 'PUT',
      path,
      summary: 'Set the policy of a key',
      description: `Applies to the key, to the key that replaces it, and to the keys and UCANs that it makes. ${oneSentence} The policy of the account applies too. No key can change its own policy, nor the policy of a key that it came from. Limiting a key with scope full needs scope full, and a key that has a policy limits only keys that come from it. ${changing}`,
      access: 'send',
      conditional: true,
      input: { params: KeyParams, body: Type.Unsafe<WantedPolicyBody>(WantedPolicyBody) },
      responses: setResponses,
      errors: [...waitErrors, 'key_not_found', ...changeErrors],
      examples: [{ summary: '$20 a day, Germany only', body: examplePolicy }],
      async handle({ params, body, ...asking }) {
        const { id: keyId } = params;
        return set(await subjectOf(asking.caller, keyId), body, { ...asking, keyId });
      },
    }),
    operation({
      ...key,
      name: 'delete_key_policy',
      method: 'DELETE',
      path,
      summary: 'Delete the policy of a key',
      description: `Lifts its limits. The policy of the account stays. ${lifting}`,
      ...removing,
      input: { params: KeyParams, query: Removing },
      errors: [...waitErrors, 'key_not_found', ...changeErrors],
      async handle({ params, query, ...asking }) {
        return remove(await subjectOf(asking.caller, params.id), query, asking);
      },
    }),
  ];
};

const ucanOperations = (ports: PolicyPorts): AnyOperation[] => {
  const { policies, revoker } = ports;
  const { read, set, remove } = changesOf(ports);
  const ucan = {
    ...common,
    permit: { judgesItself: true } as const,
    input: { params: UcanParams },
  };
  const path = '/api/identity/ucan/{cid}/policy';
  const judged = async (cid: string, caller: Caller): Promise<string> => {
    await revoker.judge({ cid }, caller, 'limit');
    return ucanSubject(cid);
  };
  /** A UCAN asks for a change of its own policy, which it cannot make. */
  const subjectFor = async (cid: string, caller: Caller, asks: boolean): Promise<string> => {
    const own = ucanSubject(cid);
    const line = asks ? await policies.subjectsOf(caller.accountId, keyIdsOf(caller)) : [];
    return line.includes(own) ? own : judged(cid, caller);
  };
  return [
    operation({
      ...ucan,
      name: 'get_ucan_policy',
      method: 'GET',
      path,
      summary: 'Read the policy of a UCAN',
      description: 'A UCAN can read its own policy; to read another you need scope full.',
      access: 'read',
      responses: { 200: { description: 'The policy', schema: PolicyAnswer } },
      errors: ['policy_not_found'],
      async handle({ params, caller }) {
        const subject = ucanSubject(params.cid);
        await assertMayRead(policies, subject, caller);
        return read(subject, caller);
      },
    }),
    operation({
      ...ucan,
      name: 'set_ucan_policy',
      method: 'PUT',
      path,
      summary: 'Set the policy of a UCAN',
      description: `Applies to the UCAN and to everything delegated from it, which share its limits. ${oneSentence} The policies of the account, of the key that issued the UCAN and of the UCANs before it apply too. A caller that may revoke the UCAN may set its policy. ${changing}`,
      access: 'send',
      conditional: true,
      input: { params: UcanParams, body: Type.Unsafe<WantedPolicyBody>(WantedPolicyBody) },
      responses: setResponses,
      errors: [...waitErrors, ...ucanErrors, ...changeErrors],
      examples: [{ summary: '$20 a day, Germany only', body: examplePolicy }],
      async handle({ params, body, ...asking }) {
        const asks = body.request_approval === true;
        return set(await subjectFor(params.cid, asking.caller, asks), body, asking);
      },
    }),
    operation({
      ...ucan,
      name: 'delete_ucan_policy',
      method: 'DELETE',
      path,
      summary: 'Delete the policy of a UCAN',
      description: `Lifts its limits. Its caveats and all other policies stay. ${lifting}`,
      ...removing,
      input: { params: UcanParams, query: Removing },
      errors: [...waitErrors, ...ucanErrors, ...changeErrors],
      async handle({ params, query, ...asking }) {
        const asks = query.request_approval === 'true';
        return remove(await subjectFor(params.cid, asking.caller, asks), query, asking);
      },
    }),
  ];
};

export const policyOperations = (ports: PolicyPorts): AnyOperation[] => [
  ...accountOperations(ports),
  ...keyOperations(ports),
  ...ucanOperations(ports),
];
