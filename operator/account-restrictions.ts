/** Whether an account may send, and whether its address is confirmed. */
import { addressOf } from '../commands/accounts/confirmation.ts';
import { activeKeys } from '../commands/accounts/keys.ts';
import { newDid } from '../commands/accounts/new-did.ts';
import { toTimestamp } from '../ground/clock.ts';
import {
  block as blockAccount,
  oneLine,
  operatorContext,
  unblock as unblockAccount,
} from '../service/operating/account-actions.ts';
import { theAccount } from '../service/operating/find-account.ts';
import { oneAccount } from './account-change.ts';
import { type CommandWork, Refused, UsageError } from './command.ts';
import { defineCommand } from './define-command.ts';

/** @throws UsageError */
const block = (positionals: string[], options: { reason?: string }): CommandWork => {
  const name = oneAccount('block', positionals);
  const reason = oneLine('--reason', options.reason);
  return async (foundation, print) => {
    const account = await theAccount(foundation, name);
    print(
      (await blockAccount(foundation, account, reason))
        ? `Blocked ${account.accountId}. The account can only read, cancel, delete and revoke. Letters that are already queued are still printed. The command account lists its keys.`
        : `${account.accountId} is already blocked (${account.blocked}).`,
    );
  };
};

/** @throws UsageError */
const unblock = (positionals: string[]): CommandWork => {
  const name = oneAccount('unblock', positionals);
  return async (foundation, print) => {
    const account = await theAccount(foundation, name);
    const unblocked = await unblockAccount(foundation, account);
    print(`${account.accountId} is ${unblocked ? 'unblocked' : 'not blocked'}.`);
  };
};

/** @throws UsageError */
const keptOf = (text: string | undefined): 'all' | string[] => {
  if (text === undefined) {
    throw new UsageError(
      'confirm-email ends every earlier key and setting that --keep does not name. Give --keep all, none, or ids of keys and settings (account lists them)',
    );
  }
  if (text === 'all') return text;
  return text === 'none' ? [] : text.split(',').map((id) => id.trim());
};

/** @throws UsageError */
const confirmAddress = (positionals: string[], options: { keep?: string }): CommandWork => {
  const name = oneAccount('confirm-email', positionals);
  const keep = keptOf(options.keep);
  return async (foundation, print) => {
    const account = await theAccount(foundation, name);
    const email = addressOf(account, 'registered');
    if (email === undefined) throw new Refused(`${account.accountId} has no e-mail address`);
    const at = toTimestamp(foundation.clock());
    const { accounts } = foundation.commands;
    const address = { address: 'registered' as const, email, by: 'operator' as const };
    const wanted = { ...address, keep, end: [], did: newDid(), at };
    const { accountId } = account;
    const { events, state } = await accounts.confirmEmail(accountId, wanted, operatorContext());
    if (events.length === 0) {
      print(`The address of ${account.accountId} was already confirmed; nothing was changed.`);
      return;
    }
    const keys = activeKeys(state, at).map(({ keyId }) => keyId);
    const settings = await accounts.settingsOf(state);
    const left = settings.map(({ id, kind, value }) => `${kind} ${value} (${id})`);
    const ended = keep === 'all' ? '' : ' All other earlier keys and settings ended.';
    print(`The address of ${account.accountId} is confirmed.${ended}`);
    print(`Keys: ${keys.join(', ') || 'none; new-key makes one'}`);
    print(`Settings: ${left.join(', ') || 'none'}`);
  };
};

export const confirmEmailCommand = defineCommand({
  name: 'confirm-email',
  usage: 'ACCOUNT --keep all|none|ID,…',
  summary: 'Confirms the e-mail address that an account was registered with.',
  help: 'Ends the keys and settings that the account had before, except those whose ids are in --keep. The command account lists the ids.',
  options: { keep: 'text' },
  read: confirmAddress,
});

export const blockCommand = defineCommand({
  name: 'block',
  usage: 'ACCOUNT --reason TEXT',
  summary: 'Blocks an account: it can only read, cancel, delete and revoke.',
  help: 'Letters that are already queued are still printed.',
  examples: ['block acct_4f… --reason "stolen card"'],
  options: { reason: 'text' },
  read: block,
});

export const unblockCommand = defineCommand({
  name: 'unblock',
  usage: 'ACCOUNT',
  summary: 'Lifts the block of an account.',
  read: unblock,
});
