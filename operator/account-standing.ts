/** What an operator does about an account and its keys. */
import { randomUUID } from 'node:crypto';
import { type Account, accountAggregate, type Quotas } from '../commands/accounts/account.ts';
import { addressOf, confirmEmail } from '../commands/accounts/confirmation.ts';
import { activeKeys, endKeys } from '../commands/accounts/keys.ts';
import { newDid } from '../commands/accounts/register-account.ts';
import { settingsOf } from '../commands/accounts/settings-before-proof.ts';
import { blockAccount, setQuotas, unblockAccount } from '../commands/accounts/standing.ts';
import { toTimestamp } from '../contract/clock.ts';
import { numberOf } from '../contract/plural.ts';
import { type Scope, scopes } from '../contract/scopes.ts';
import type { AccountEvent } from '../events/account.ts';
import type { Foundation } from '../service/wing.ts';
import { type Command, exitCodes, Refused, UsageError } from './command.ts';
import { theAccount } from './find-account.ts';

const context = () => ({ commandId: randomUUID(), actor: 'operator' });

const oneAccount = (command: string, [name, ...rest]: string[]): string => {
  if (name !== undefined && rest.length === 0) return name;
  throw new UsageError(`${command} takes one ACCOUNT`);
};

const change = async (
  { commands }: Foundation,
  { accountId }: Account,
  decide: (account: Account) => AccountEvent[],
): Promise<AccountEvent[]> => {
  const { events } = await commands.handler.handle(accountAggregate, accountId, context(), decide);
  return events;
};

const oneLine = (name: string, text: string | undefined): string => {
  const line = text?.trim() ?? '';
  if (line === '' || /\p{Cc}/u.test(line) || line.length > 200) {
    throw new UsageError(`${name} is missing or is not one line of at most 200 characters`);
  }
  return line;
};

/** @throws UsageError */
export const block = (positionals: string[], options: { reason?: string }): Command => {
  const name = oneAccount('block', positionals);
  const reason = oneLine('--reason', options.reason);
  return async (foundation, print) => {
    const account = await theAccount(foundation, name);
    const events = await change(foundation, account, (state) =>
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
export const unblock = (positionals: string[]): Command => {
  const name = oneAccount('unblock', positionals);
  return async (foundation, print) => {
    const account = await theAccount(foundation, name);
    const events = await change(foundation, account, unblockAccount);
    print(`${account.accountId} is ${events.length > 0 ? 'unblocked' : 'not blocked'}.`);
    return exitCodes.done;
  };
};

/** @throws UsageError */
export const newKey = (
  positionals: string[],
  options: { scope?: string; label?: string },
): Command => {
  const name = oneAccount('new-key', positionals);
  const { scope = 'full' } = options;
  if (!scopes.includes(scope as Scope)) {
    throw new UsageError(`--scope ${scope} is none of ${scopes.join(', ')}`);
  }
  const label = oneLine('--label', options.label ?? 'operator');
  return async (foundation, print) => {
    const { accountId, test } = await theAccount(foundation, name);
    const command = context();
    const key = await foundation.commands.accounts.createKey(
      accountId,
      {
        ...{ label, scope: scope as Scope, makerScope: 'full', test },
        ...{ maker: { keyId: 'operator' }, requestHash: command.commandId },
      },
      command,
    );
    print(`Key ${key.keyId} (${scope}) of ${accountId}; it is shown this once:`);
    print(key.secret);
    return exitCodes.done;
  };
};

/** @throws UsageError */
export const revokeKeys = (
  positionals: string[],
  options: { key?: string; keep?: string },
): Command => {
  const name = oneAccount('revoke-keys', positionals);
  const { key: only, keep } = options;
  if (only !== undefined && keep !== undefined) throw new UsageError('--key or --keep, not both');
  return async (foundation, print) => {
    const account = await theAccount(foundation, name);
    const named = only ?? keep;
    if (named !== undefined && !account.keys.has(named)) {
      throw new Refused(`${account.accountId} has no key ${named}; account ${name} lists them`);
    }
    const at = toTimestamp(foundation.clock());
    const events = await change(foundation, account, (state) =>
      endKeys(
        state,
        [...state.keys.values()].filter(({ keyId }) =>
          only === undefined ? keyId !== keep : keyId === only,
        ),
        at,
      ),
    );
    const ended = events.flatMap((event) =>
      event.type === 'KeyRevoked' ? [event.data.keyId] : [],
    );
    print(
      `Revoked ${numberOf(ended.length, 'key')} of ${account.accountId}, and their UCANs with them.`,
    );
    for (const keyId of ended) print(`  ${keyId}`);
    const { state } = await foundation.commands.handler.load(accountAggregate, account.accountId);
    if (!activeKeys(state, at).some(({ scope }) => scope === 'full')) {
      print('It has no full key any more: new-key makes one, or its owner recovers it by e-mail.');
    }
    return exitCodes.done;
  };
};

/** @throws UsageError */
const keptOf = (text: string | undefined): 'all' | string[] => {
  if (text === undefined) {
    throw new UsageError(
      'confirm-email ends everything of before that --keep does not name: give --keep all, none, or ids of keys and settings (account lists them)',
    );
  }
  if (text === 'all') return text;
  return text === 'none' ? [] : text.split(',').map((id) => id.trim());
};

/** @throws UsageError */
export const confirmAddress = (positionals: string[], options: { keep?: string }): Command => {
  const name = oneAccount('confirm-email', positionals);
  const keep = keptOf(options.keep);
  return async (foundation, print) => {
    const account = await theAccount(foundation, name);
    const email = addressOf(account, 'registered');
    if (email === undefined) throw new Refused(`${account.accountId} has no e-mail address`);
    const at = toTimestamp(foundation.clock());
    const events = await change(foundation, account, (state) =>
      confirmEmail(state, {
        type: 'ConfirmEmail',
        address: 'registered',
        by: 'operator',
        end: [],
        did: newDid(),
        email,
        keep,
        at,
      }),
    );
    if (events.length === 0) {
      print(`The address of ${account.accountId} was confirmed already: nothing was changed.`);
      return exitCodes.done;
    }
    const { state } = await foundation.commands.handler.load(accountAggregate, account.accountId);
    const keys = activeKeys(state, at).map(({ keyId }) => keyId);
    const left = settingsOf(state).map(({ id, kind, value }) => `${kind} ${value} (${id})`);
    print(`The address of ${account.accountId} is confirmed. Everything else of before ended.`);
    print(`Keys: ${keys.join(', ') || 'none; new-key makes one'}`);
    print(`Settings: ${left.join(', ') || 'none'}`);
    return exitCodes.done;
  };
};

const quotaNames = {
  'live-letters': 'liveLettersPerDay',
  'test-letters': 'testLettersPerDay',
  drafts: 'draftsPerAccount',
  bytes: 'storedBytesPerAccount',
} as const satisfies Record<string, keyof Quotas>;

export type QuotaOptions = { [K in keyof typeof quotaNames]?: string };

/** @throws UsageError */
export const quotas = (positionals: string[], options: QuotaOptions): Command => {
  const name = oneAccount('quotas', positionals);
  const wanted = Object.entries(options).map(([option, text]) => {
    if (!/^(\d{1,15}|default)$/.test(text ?? '')) {
      throw new UsageError(`--${option} ${text} must be a whole number, or default`);
    }
    return [quotaNames[option as keyof QuotaOptions], text] as const;
  });
  return async (foundation, print) => {
    const account = await theAccount(foundation, name);
    const changed: Quotas = { ...account.quotas };
    for (const [quota, text] of wanted) {
      if (text === 'default') delete changed[quota];
      else changed[quota] = Number(text);
    }
    await change(foundation, account, (state) =>
      setQuotas(state, { type: 'SetQuotas', quotas: changed }),
    );
    for (const quota of Object.values(quotaNames)) {
      print(`${quota}: ${changed[quota] ?? `${foundation.config.limits[quota]} (default)`}`);
    }
    return exitCodes.done;
  };
};
