/** Freezing: one call stops a key, a UCAN or the account, and leaves reading and cancelling. */

import { type CredentialLines, keyIdsOf } from '../../commands/guards/credential-line.ts';
import type { FreezeState, Freezes } from '../../commands/guards/freezes.ts';
import type { UcanRevoker } from '../../commands/ucans/revoke-ucan.ts';
import { AppError } from '../../contract/errors.ts';
import { accountSubject, ucanSubject } from '../../contract/frozen.ts';
import {
  type AnyOperation,
  type Caller,
  operation,
  type RequestCommand,
} from '../../contract/operation.ts';
import { scopeCovers } from '../../contract/scopes.ts';
import { Type } from '../../ground/type.ts';
import type { Limits } from '../../limits/table.ts';
import { Freeze, FrozenList, presentFreeze } from '../../presenters/freeze.ts';
import { Cid, Proofs, Token } from '../ucans/schemas.ts';

type FreezePorts = {
  freezes: Freezes;
  lines: CredentialLines;
  revoker: Pick<UcanRevoker, 'judge'>;
  limits: Limits;
};

type Asking = { caller: Caller; command: RequestCommand };
type Change = 'freeze' | 'unfreeze';

const KeyParams = Type.Object({ id: Type.String({ pattern: '^key_[0-9a-f]{32}$' }) });

const goesOn =
  'Reading and cancelling letters go on, and letters that are queued are still printed; everything that spends, sends or makes something answers 403 `frozen`, in every process within a second. Money stops with the answer.';
const unfreezing =
  'Nothing that is frozen can unfreeze itself or anything else: use a key with scope full that is neither frozen nor has a policy.';

const common = { tag: 'Guards', method: 'POST' as const, whileFrozen: 'account' as const };
const freezing = {
  ...common,
  whileBlocked: true,
  responses: { 200: { description: 'It is frozen', schema: Freeze } },
};
const lifting = {
  ...common,
  responses: { 200: { description: 'It is not frozen', schema: Freeze } },
};

const answer = (state: FreezeState) => ({ body: presentFreeze(state), position: state.position });

const changeOf =
  ({ freezes, lines }: FreezePorts) =>
  async (change: Change, subject: string, { caller, command }: Asking) => {
    const { accountId } = caller;
    const ids = keyIdsOf(caller);
    const { line: subjects } = lines.known(accountId, ids) ?? (await lines.load(accountId, ids));
    return answer(await freezes[change](accountId, subject, { subjects }, command));
  };

const accountOperations = (ports: FreezePorts): AnyOperation[] => {
  const change = changeOf(ports);
  const input = {};
  const permit = { about: 'account' as const };
  return [
    operation({
      ...freezing,
      name: 'freeze_account',
      path: '/api/account/freeze',
      summary: 'Freeze the account',
      description: `All keys, UCANs and wallets of the account stop spending. ${goesOn} Policies can still be changed, and keys revoked.`,
      access: 'full',
      permit,
      input,
      errors: ['conflict'],
      handle: (asking) => change('freeze', accountSubject, asking),
    }),
    operation({
      ...lifting,
      name: 'unfreeze_account',
      path: '/api/account/unfreeze',
      summary: 'Unfreeze the account',
      description: `Keys and UCANs that were frozen one by one stay frozen. ${unfreezing}`,
      access: 'full',
      permit,
      input,
      errors: ['policy_protected', 'conflict'],
      handle: (asking) => change('unfreeze', accountSubject, asking),
    }),
    operation({
      tag: 'Guards',
      name: 'list_frozen',
      method: 'GET',
      path: '/api/account/frozen',
      summary: 'See what is frozen',
      description: 'The account, keys and UCANs that are frozen, the latest first.',
      access: 'read',
      permit,
      input,
      responses: { 200: { description: 'The subjects that are frozen', schema: FrozenList } },
      errors: [],
      handle: async ({ caller }) => ({
        body: { data: await ports.freezes.list(caller.accountId) },
      }),
    }),
  ];
};

const keyOperations = (ports: FreezePorts): AnyOperation[] => {
  const change = changeOf(ports);
  const subjectOf = ({ accountId }: Caller, id: string) => ports.lines.subjectOf(accountId, id);
  const input = { params: KeyParams };
  const permit = { about: 'keys' as const };
  return [
    operation({
      ...freezing,
      name: 'freeze_key',
      path: '/auth/keys/{id}/freeze',
      summary: 'Freeze a key',
      description: `The key, the key that replaces it, and the keys and UCANs that it made stop spending. ${goesOn} Any key may freeze itself; to freeze another key you need scope full.`,
      access: 'full',
      ownKey: true,
      permit,
      input,
      errors: ['key_not_found', 'freeze_limit_reached', 'conflict'],
      handle: async ({ params, ...asking }) =>
        change('freeze', await subjectOf(asking.caller, params.id), asking),
    }),
    operation({
      ...lifting,
      name: 'unfreeze_key',
      path: '/auth/keys/{id}/unfreeze',
      summary: 'Unfreeze a key',
      description: unfreezing,
      access: 'full',
      permit,
      input,
      errors: ['key_not_found', 'policy_protected', 'conflict'],
      handle: async ({ params, ...asking }) =>
        change('unfreeze', await subjectOf(asking.caller, params.id), asking),
    }),
  ];
};

/** @throws AppError scope_insufficient */
const assertMayUnfreeze = ({ scope, wallet }: Caller): void => {
  if (wallet || scopeCovers(scope, 'full')) return;
  throw new AppError('scope_insufficient', 'To unfreeze a UCAN you need scope full.', {
    extra: { required_scope: 'full', scope },
  });
};

const ucanOperations = (ports: FreezePorts): AnyOperation[] => {
  const { revoker, limits } = ports;
  const change = changeOf(ports);
  const permit = { judgesItself: true } as const;
  return [
    operation({
      ...freezing,
      name: 'freeze_ucan',
      path: '/api/identity/ucan/freeze',
      summary: 'Freeze a UCAN',
      description: `The UCAN, everything delegated from it, and what they made stop spending. ${goesOn} A caller that may revoke the UCAN may freeze it.`,
      access: 'auth',
      permit,
      input: {
        body: Type.NamedExact('FreezeUcan', {
          cid: Cid,
          token: Type.Optional(Token(limits)),
          proofs: Type.Optional(Proofs(limits)),
        }),
      },
      errors: ['ucan_not_found', 'revocation_not_allowed', 'freeze_limit_reached', 'conflict'],
      async handle({ body, ...asking }) {
        await revoker.judge(body, asking.caller, 'freeze');
        return change('freeze', ucanSubject(body.cid), asking);
      },
    }),
    operation({
      ...lifting,
      name: 'unfreeze_ucan',
      path: '/api/identity/ucan/unfreeze',
      summary: 'Unfreeze a UCAN',
      description: unfreezing,
      access: 'auth',
      permit: { about: 'account', needs: 'full' },
      input: {
        body: Type.NamedExact('UnfreezeUcan', { cid: Cid }),
      },
      errors: ['policy_protected', 'conflict'],
      async handle({ body, ...asking }) {
        assertMayUnfreeze(asking.caller);
        return change('unfreeze', ucanSubject(body.cid), asking);
      },
    }),
  ];
};

export const freezeOperations = (ports: FreezePorts): AnyOperation[] => [
  ...accountOperations(ports),
  ...keyOperations(ports),
  ...ucanOperations(ports),
];
