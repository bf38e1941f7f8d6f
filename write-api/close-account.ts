/** The end of an account: asked for with a second proof, and taken back until it begins. */

import type { Static } from 'typebox';
import {
  type Account,
  accountAggregate,
  certificateAddress,
} from '../commands/accounts/account.ts';
import type { Blocker } from '../commands/accounts/blockers.ts';
import { closureProof } from '../commands/accounts/close-account.ts';
import type { ClosureCodes } from '../commands/accounts/closure-codes.ts';
import type { Closures } from '../commands/accounts/closures.ts';
import type { KeepLimits } from '../commands/guards/keep-limits.ts';
import type { CommandHandler } from '../commands/handling/handle.ts';
import { AppError } from '../contract/errors.ts';
import { type AnyOperation, type Caller, operation } from '../contract/operation.ts';
import { invalidField } from '../contract/refusals.ts';
import { type Clock, toTimestamp } from '../ground/clock.ts';
import { dayMs } from '../ground/day.ts';
import { Type } from '../ground/type.ts';
import { AccountClosure, presentClosure } from '../presenters/account-closure.ts';

type ClosurePorts = {
  handler: CommandHandler;
  closures: Pick<Closures, 'request' | 'withdraw'>;
  keepLimits: Pick<KeepLimits, 'assertUnlimited'>;
  codes: Pick<ClosureCodes, 'isValid'>;
  mailConfigured: boolean;
  /** Mails a code to the account's address, unless it just got one. */
  sendCode(accountId: string): Promise<void>;
  blockersOf(accountId: string, how: { forfeitsBalance: boolean }): Promise<Blocker[]>;
  /** From the request to the erasure. */
  erasureDays: number;
  clock: Clock;
};

const tag = 'Account';
const permit = { about: 'account' } as const;
const ending = { whileBlocked: true, whileFrozen: 'account', ownWallet: true } as const;

const CloseAccount = Type.NamedExact('CloseAccount', {
  code: Type.Optional(
    Type.String({ minLength: 1, maxLength: 40, description: 'The code that was mailed.' }),
  ),
  confirm: Type.Optional(
    Type.String({
      maxLength: 64,
      description:
        'The id of the account, where it has no confirmed e-mail address. The refusal without it names the id.',
    }),
  ),
  forfeit_balance: Type.Optional(
    Type.Boolean({
      description:
        'True: what is left in the wallet at the erasure is given up. Default: a balance stands in the way until it is spent or paid out.',
    }),
  ),
});

/** It ends the account for all its keys. @throws AppError scope_insufficient, policy_protected */
const assertMayClose = async (
  { keepLimits }: Pick<ClosurePorts, 'keepLimits'>,
  caller: Caller,
): Promise<void> => {
  if (caller.bounds === undefined && caller.ucan === undefined) {
    const why = 'that ends the account for all of its keys';
    return keepLimits.assertUnlimited(caller, 'close the account or take that back', why);
  }
  throw new AppError(
    'scope_insufficient',
    'Only a key with scope full that does not expire can close the account or take that back.',
  );
};

/** @throws AppError closure_code_required, closure_code_invalid, validation_failed */
const assertProved = async (
  ports: ClosurePorts,
  account: Account,
  { code, confirm }: Static<typeof CloseAccount>,
): Promise<void> => {
  const { accountId } = account;
  const email = certificateAddress(account) ?? '';
  if (closureProof(account, ports.mailConfigured) === 'confirm') {
    if (confirm === accountId) return;
    throw invalidField(
      '/confirm',
      'not_allowed',
      `Send confirm: "${accountId}", the id of the account, to confirm that it is to be erased.`,
    );
  }
  if (code === undefined) {
    await ports.sendCode(accountId);
    throw new AppError(
      'closure_code_required',
      'A code is on its way to the confirmed e-mail address of the account. Repeat the request with it as `code` within 15 minutes.',
    );
  }
  if (ports.codes.isValid(code, { accountId, email }, ports.clock())) return;
  throw new AppError(
    'closure_code_invalid',
    'The code is wrong or too old. Send the request without `code` to get another one.',
  );
};

const answerOf = async (ports: ClosurePorts, account: Account) => {
  const { accountId, closure } = account;
  const forfeitsBalance = closure?.forfeitsBalance ?? false;
  const blockers = await ports.blockersOf(accountId, { forfeitsBalance });
  return presentClosure(closure, blockers, closureProof(account, ports.mailConfigured));
};

const closeAccount = (ports: ClosurePorts): AnyOperation =>
  operation({
    ...ending,
    name: 'close_account',
    method: 'DELETE',
    path: '/api/account',
    tag,
    summary: 'Close the account and erase its data',
    description:
      'Needs a second proof. Where the account has a confirmed e-mail address, a request without `code` mails one and answers 403 `closure_code_required`. Where it has none, send its id as `confirm`. The account of a wallet is closed by its wallet, which signs in for this request. From the answer on, everything that spends, sends or makes something answers 403 `account_closing`; reading and cancelling go on. The account is erased at `erases_at`, or as soon after it as no blocker is left. Until then DELETE /api/account/closure takes it back. Repeated with another `forfeit_balance`, the request changes that.',
    access: 'full',
    permit,
    readsOwnWrites: true,
    input: { body: CloseAccount },
    responses: { 202: { description: 'The account is closing', schema: AccountClosure } },
    errors: [
      'account_not_found',
      'closure_code_required',
      'closure_code_invalid',
      'policy_protected',
      'conflict',
    ],
    examples: [
      { summary: 'With the code from the e-mail', body: { code: 'K7QXM-2RBTA' } },
      { summary: 'Without an e-mail address', body: { confirm: 'acct_4fT9qLr2' } },
    ],
    async handle({ body, caller, command }) {
      await assertMayClose(ports, caller);
      const { accountId } = caller;
      const { state } = await ports.handler.load(accountAggregate, accountId);
      await assertProved(ports, state, body);
      const wanted = {
        closureId: command.commandId,
        requestHash: command.requestHash,
        erasesAt: toTimestamp(ports.clock() + ports.erasureDays * dayMs),
        forfeitsBalance: body.forfeit_balance ?? state.closure?.forfeitsBalance ?? false,
      };
      const { account, position } = await ports.closures.request(accountId, wanted, command);
      return { body: await answerOf(ports, account), position };
    },
  });

const withdrawClosure = (ports: ClosurePorts): AnyOperation =>
  operation({
    ...ending,
    name: 'withdraw_account_closure',
    method: 'DELETE',
    path: '/api/account/closure',
    tag,
    summary: 'Take the closure of the account back',
    description:
      'Possible until the erasure begins. The account then works as before. Without a closure nothing changes.',
    access: 'full',
    permit,
    readsOwnWrites: true,
    input: {},
    responses: { 200: { description: 'The account goes on', schema: AccountClosure } },
    errors: ['account_not_found', 'policy_protected', 'conflict'],
    async handle({ caller, command }) {
      await assertMayClose(ports, caller);
      const { account, position } = await ports.closures.withdraw(caller.accountId, command);
      return { body: await answerOf(ports, account), position };
    },
  });

const readClosure = (ports: ClosurePorts): AnyOperation =>
  operation({
    name: 'get_account_closure',
    method: 'GET',
    path: '/api/account/closure',
    tag,
    summary: 'See whether the account is closing, and what stands in the way',
    description: 'Without a closure the blockers are those that it would have now.',
    access: 'read',
    permit,
    input: {},
    responses: { 200: { description: 'The state of the closure', schema: AccountClosure } },
    errors: ['account_not_found'],
    async handle({ caller }) {
      const { state } = await ports.handler.load(accountAggregate, caller.accountId);
      return { body: await answerOf(ports, state) };
    },
  });

export const closureOperations = (ports: ClosurePorts): AnyOperation[] => [
  closeAccount(ports),
  withdrawClosure(ports),
  readClosure(ports),
];
