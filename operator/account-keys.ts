/** New keys for an account, and the end of old ones. */
import { accountAggregate } from '../commands/accounts/account.ts';
import { activeKeys } from '../commands/accounts/keys.ts';
import { type Scope, scopes } from '../contract/scopes.ts';
import { toTimestamp } from '../ground/clock.ts';
import { numberOf } from '../ground/plural.ts';
import {
  assertKey,
  oneLine,
  operatorContext,
  revokeKeys as revoke,
} from '../service/operating/account-actions.ts';
import { theAccount } from '../service/operating/find-account.ts';
import { oneAccount } from './account-change.ts';
import { type CommandWork, UsageError } from './command.ts';
import { defineCommand } from './define-command.ts';

/** @throws UsageError */
const newKey = (
  positionals: string[],
  options: { scope?: string; label?: string },
): CommandWork => {
  const name = oneAccount('new-key', positionals);
  const { scope = 'full' } = options;
  if (!scopes.includes(scope as Scope)) {
    throw new UsageError(`--scope ${scope} is not one of ${scopes.join(', ')}`);
  }
  const label = oneLine('--label', options.label ?? 'operator');
  return async (foundation, print) => {
    const { accountId, test } = await theAccount(foundation, name);
    const command = operatorContext();
    const key = await foundation.commands.accounts.createKey(
      accountId,
      {
        label,
        scope: scope as Scope,
        makerScope: 'full',
        test,
        maker: { keyId: 'operator' },
        hasEnded: foundation.authority.check.hasEnded,
        requestHash: command.commandId,
      },
      command,
    );
    print(`Key ${key.keyId} (${scope}) of ${accountId}; it is shown only this once:`);
    print(key.secret);
  };
};

/** @throws UsageError */
const revokeKeys = (
  positionals: string[],
  options: { key?: string; keep?: string },
): CommandWork => {
  const name = oneAccount('revoke-keys', positionals);
  const { key: only, keep } = options;
  if (only !== undefined && keep !== undefined) throw new UsageError('give either --key or --keep');
  return async (foundation, print) => {
    const account = await theAccount(foundation, name);
    const named = only ?? keep;
    const at = toTimestamp(foundation.clock());
    if (named !== undefined) assertKey(account, named, at);
    const ended = await revoke(foundation, account, ({ keyId }) =>
      only === undefined ? keyId !== keep : keyId === only,
    );
    print(
      `Revoked ${numberOf(ended.length, 'key')} of ${account.accountId}, and their UCANs with them.`,
    );
    for (const keyId of ended) print(`  ${keyId}`);
    const { state } = await foundation.commands.handler.load(accountAggregate, account.accountId);
    if (!activeKeys(state, at).some(({ scope }) => scope === 'full')) {
      print(
        'The account has no full key left. new-key makes one, or the owner recovers the account by e-mail.',
      );
    }
  };
};

export const newKeyCommand = defineCommand({
  name: 'new-key',
  usage: 'ACCOUNT [--scope full|send|read] [--label TEXT]',
  summary: 'Makes a key for an account whose owner lost the keys, and shows it once.',
  examples: ['new-key anna@example.com --label "by phone"'],
  options: { scope: 'text', label: 'text' },
  read: newKey,
});

export const revokeKeysCommand = defineCommand({
  name: 'revoke-keys',
  usage: 'ACCOUNT [--key KEY_ID | --keep KEY_ID]',
  summary:
    'Revokes all keys of an account, one of them, or all but one, with the UCANs that they issued.',
  options: { key: 'text', keep: 'text' },
  read: revokeKeys,
});
