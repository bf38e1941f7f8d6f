import type { Account } from '../commands/accounts/account.ts';
import { isNotificationEmailConfirmed } from '../commands/accounts/confirmation.ts';
import { activeKeys } from '../commands/accounts/keys.ts';
import { heldIn } from '../commands/wallets/state.ts';
import { walletAggregate } from '../commands/wallets/wallet.ts';
import { toTimestamp } from '../ground/clock.ts';
import { equal, nothing } from '../money/buckets.ts';
import { listAccounts } from '../projections/accounts/query.ts';
import { countLetters } from '../projections/letters/query.ts';
import type { Foundation } from '../service/foundation/wing.ts';
import { quotaNames } from '../service/operating/account-actions.ts';
import { findAccounts } from '../service/operating/find-account.ts';
import { keptBooks } from '../service/operating/kept-books.ts';
import { inBuckets } from './buckets.ts';
import { type CommandWork, type Print, UsageError } from './command.ts';
import { defineCommand } from './define-command.ts';
import { printList, table } from './table.ts';

const mostListed = 1_000;

export const parseLimit = (text: string | undefined, usual: number): number => {
  if (text === undefined) return usual;
  const limit = Number(text);
  if (/^\d{1,5}$/.test(text) && limit > 0) return limit;
  throw new UsageError(`--limit ${text} must be a whole number from 1 to 99999`);
};

/** @throws UsageError */
const accounts = (
  positionals: string[],
  options: { blocked?: boolean; limit?: string; json?: boolean },
): CommandWork => {
  if (positionals.length > 0) throw new UsageError('accounts takes no arguments, only options');
  const limit = parseLimit(options.limit, mostListed);
  return async ({ storage }, print) => {
    const filter = { limit, ...(options.blocked ? { blocked: true } : {}) };
    const rows = (await listAccounts(storage.readDb, filter)).map((row) => [
      row.account_id,
      row.test ? 'test' : 'live',
      row.kind,
      row.created_at.toISOString(),
      String(row.keys),
      row.confirmed_at ? 'confirmed' : '',
      [row.closure_state, row.blocked && 'blocked'].filter(Boolean).join(', '),
    ]);
    const head = ['account', 'mode', 'kind', 'registered', 'keys', 'address', 'state'];
    printList(print, head, rows, options);
    if (rows.length === limit && !options.json) print(`The newest ${limit}; --limit shows more.`);
  };
};

const showKeys = (account: Account, nowMs: number, print: Print): void => {
  const keys = activeKeys(account, toTimestamp(nowMs));
  const rows = keys.map((key) => [
    key.keyId,
    key.prefix,
    key.label,
    key.scope,
    key.createdAt,
    key.expiresAt ?? '',
    key.unconfirmed ? 'reads only' : '',
  ]);
  const head = ['key', 'prefix', 'label', 'scope', 'made', 'expires', 'note'];
  if (rows.length > 0) for (const line of table([head, ...rows])) print(line);
};

const showMoneyAndLetters = async (
  { commands, storage }: Foundation,
  accountId: string,
  print: Print,
): Promise<void> => {
  const { state } = await commands.handler.load(walletAggregate, accountId);
  const { byStatus } = await countLetters(storage.readDb, accountId);
  print(`Available: ${inBuckets(state.available)}.`);
  const held = heldIn(state);
  if (!equal(held, nothing)) print(`Held: ${inBuckets(held)}.`);
  const letters = [...byStatus].map(([status, count]) => `${count} ${status}`);
  print(`Letters: ${letters.join(', ') || 'none'}`);
};

const showErased = async (
  foundation: Foundation,
  { accountId, test, closure }: Account,
  print: Print,
): Promise<void> => {
  print(`Account ${accountId} (${test ? 'test' : 'live'})`);
  print(closure?.erasedAt ? `Erased: ${closure.erasedAt}` : 'It is being erased.');
  print(`Certificate: GET /api/account/closure/${closure?.closureId}`);
  await showMoneyAndLetters(foundation, accountId, print);
  for (const { year, name = 'no longer kept' } of await keptBooks(foundation, accountId)) {
    print(`Books of ${year}: ${name}`);
  }
};

const show = async (foundation: Foundation, account: Account, print: Print): Promise<void> => {
  const { commands, clock } = foundation;
  const { accountId, settings } = account;
  const { guards } = (await commands.handler.load(walletAggregate, accountId)).state;
  print(`Account ${accountId} (${account.test ? 'test' : 'live'})`);
  print(`${account.kind === 'email' ? 'E-mail' : 'Agent'}: ${account.name || '[erased]'}`);
  if (account.kind === 'email') print(`Address confirmed: ${account.confirmedAt ?? 'no'}`);
  if (account.emailChange) {
    const { email, expiresAt } = account.emailChange;
    print(`Change of address asked for: ${email}, can be confirmed until ${expiresAt}`);
  }
  for (const { email, stoppableUntil } of account.formerEmails) {
    print(`Address before: ${email}, can take the change back until ${stoppableUntil}`);
  }
  if (account.blocked !== undefined) print(`Blocked: ${account.blocked || 'no reason given'}`);
  for (const [subject, since] of guards.frozen) print(`Frozen: ${subject}, since ${since}`);
  if (settings.webhookUrl) {
    const disabled = account.webhookDisabled ? ` (disabled: ${account.webhookDisabled})` : '';
    print(`Webhook: ${settings.webhookUrl}${disabled}`);
  }
  if (settings.notificationEmail) {
    const confirmed = isNotificationEmailConfirmed(account) ? '' : ' (not confirmed)';
    print(`Notifications: ${settings.notificationEmail}${confirmed}`);
  }
  for (const { id, kind, value, unproven } of await commands.accounts.settingsOf(account)) {
    if (unproven) print(`Set before the address was confirmed: ${kind} ${value} (${id})`);
  }
  for (const [option, quota] of Object.entries(quotaNames)) {
    if (account.quotas[quota] !== undefined) print(`Quota ${option}: ${account.quotas[quota]}`);
  }
  await showMoneyAndLetters(foundation, accountId, print);
  showKeys(account, clock(), print);
};

/** @throws UsageError */
const account = (positionals: string[]): CommandWork => {
  const [name, ...rest] = positionals;
  if (name === undefined || rest.length > 0) {
    throw new UsageError('account takes one ACCOUNT: an id, an e-mail address or a reference');
  }
  return async (foundation, print) => {
    for (const found of await findAccounts(foundation, name)) {
      await (found.status === 'erased' ? showErased : show)(foundation, found, print);
    }
  };
};

export const accountsCommand = defineCommand({
  name: 'accounts',
  usage: '[--blocked] [--limit N] [--json]',
  summary: 'Lists accounts, the newest first.',
  options: { blocked: 'flag', limit: 'text', json: 'flag' },
  read: accounts,
});

export const accountCommand = defineCommand({
  name: 'account',
  usage: 'ACCOUNT',
  summary: 'Shows an account with its wallet, letters and keys.',
  examples: ['account anna@example.com'],
  read: account,
});
