/** Whether an account may send, and whether its address is confirmed. */
import { addressOf, confirmEmail } from '../commands/accounts/confirmation.ts';
import { activeKeys } from '../commands/accounts/keys.ts';
import { blockAccount, unblockAccount } from '../commands/accounts/standing.ts';
import { toTimestamp } from '../contract/clock.ts';
import { changeAccount, oneAccount, oneLine } from './account-change.ts';
import { type Command, exitCodes, Refused } from './command.ts';
import { defineCommand } from './define-command.ts';
import { theAccount } from './find-account.ts';

/** @throws UsageError */
const block = (positionals: string[], options: { reason?: string }): Command => {
  const name = oneAccount('block', positionals);
  const reason = oneLine('--reason', options.reason);
  return async (foundation, print) => {
    const account = await theAccount(foundation, name);
    const events = await changeAccount(foundation, account, (state) =>
      blockAccount(state, { type: 'BlockAccount', reason }),
    );
    print(
      events.length > 0
        ? `Blocked ${account.accountId}: it may read, cancel, delete and revoke, and nothing else. Letters that it queued go on; its keys are listed by account.`
        : `${account.accountId} is blocked already (${account.blocked}).`,
    );
    return exitCodes.done;
  };
};

/** @throws UsageError */
const unblock = (positionals: string[]): Command => {
  const name = oneAccount('unblock', positionals);
  return async (foundation, print) => {
    const account = await theAccount(foundation, name);
    const events = await changeAccount(foundation, account, unblockAccount);
    print(`${account.accountId} is ${events.length > 0 ? 'unblocked' : 'not blocked'}.`);
    return exitCodes.done;
  };
};

/** @throws UsageError */
const confirmAddress = (positionals: string[], options: { keep?: string }): Command => {
  const name = oneAccount('confirm-email', positionals);
  return async (foundation, print) => {
    const account = await theAccount(foundation, name);
    const email = addressOf(account, 'registered');
    if (email === undefined) throw new Refused(`${account.accountId} has no e-mail address`);
    const at = toTimestamp(foundation.clock());
    const { keep: kept } = options;
    const all = activeKeys(account, at).map(({ keyId }) => keyId);
    const keep = kept === 'all' ? all : (kept?.split(',').map((id) => id.trim()) ?? []);
    const events = await changeAccount(foundation, account, (state) =>
      confirmEmail(state, {
        ...{ type: 'ConfirmEmail', address: 'registered', email, by: 'operator' },
        ...{ keep, end: [], at },
      }),
    );
    print(
      events.length > 0
        ? `The address of ${account.accountId} is confirmed. ${account.test ? 'Its keys work as before.' : `Keys that may go on spending: ${keep.join(', ') || 'none of those of before'}.`}`
        : `The address of ${account.accountId} was confirmed already: nothing was changed.`,
    );
    return exitCodes.done;
  };
};

export const confirmEmailCommand = defineCommand({
  name: 'confirm-email',
  usage: 'ACCOUNT [--keep KEY_ID,…|all]',
  summary: 'Confirms the e-mail address that an account was registered with.',
  help: 'Keys that the account had before may only read from then on; --keep names the exceptions.',
  options: { keep: 'text' },
  read: confirmAddress,
});

export const blockCommand = defineCommand({
  name: 'block',
  usage: 'ACCOUNT --reason TEXT',
  summary: 'Blocks an account: it may read, cancel, delete and revoke, and nothing else.',
  help: 'Letters that the account queued before are printed.',
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
