/** An account as the operator's console shows it. */
import { type Account, accountAggregate } from '../../../commands/accounts/account.ts';
import { activeKeys } from '../../../commands/accounts/keys.ts';
import { walletAggregate } from '../../../commands/wallets/wallet.ts';
import { toTimestamp } from '../../../ground/clock.ts';
import { decimalOf } from '../../../money/amounts.ts';
import type {
  AccountFilter,
  AccountLine,
  AccountList,
  AccountView,
  QuotaLine,
} from '../../../pages/console/operator/desk.ts';
import { listAccounts } from '../../../projections/accounts/query.ts';
import { countLetters } from '../../../projections/letters/query.ts';
import type { Foundation } from '../../foundation/wing.ts';
import { type QuotaName, quotaNames } from '../account-actions.ts';

const mostListed = 50;

export const accountLines = async (
  { storage }: Foundation,
  { blocked, before }: AccountFilter,
): Promise<AccountList> => {
  const filter = { limit: mostListed, before, ...(blocked ? { blocked: true } : {}) };
  const rows = await listAccounts(storage.readDb, filter);
  const accounts = rows.map(
    (row): AccountLine => ({
      accountId: row.account_id,
      mode: row.test ? 'test' : 'live',
      kind: row.kind,
      createdAt: row.created_at.toISOString(),
      keys: row.keys,
      confirmed: row.confirmed_at !== null,
      blocked: row.blocked,
      erased: row.closure_state === 'erasing' || row.closure_state === 'erased',
    }),
  );
  const last = rows.length < mostListed ? undefined : rows.at(-1);
  return { accounts, older: last?.account_id ?? null };
};

/** Undefined: there is none. */
export const loadAccount = async (
  { commands }: Foundation,
  accountId: string,
): Promise<Account | undefined> => {
  if (!/^acct_[\w-]{1,59}$/.test(accountId)) return undefined;
  const { state } = await commands.handler.load(accountAggregate, accountId);
  return state.status === 'none' ? undefined : state;
};

const quotaLines = ({ config }: Foundation, { quotas }: Account): QuotaLine[] =>
  Object.entries(quotaNames).map(([name, quota]) => ({
    name: name as QuotaName,
    own: quotas[quota],
    usual: config.limits[quota],
  }));

const webhookOf = ({ settings, webhookDisabled }: Account): AccountView['webhook'] => {
  if (settings.webhookUrl === undefined) return 'not set';
  return webhookDisabled === undefined ? 'set' : 'disabled';
};

export const accountView = async (
  foundation: Foundation,
  account: Account,
): Promise<AccountView> => {
  const { commands, storage, clock } = foundation;
  const { accountId, test, kind, confirmedAt, blocked } = account;
  const [wallet, letters] = await Promise.all([
    commands.handler.load(walletAggregate, accountId),
    countLetters(storage.readDb, accountId),
  ]);
  const { available, guards } = wallet.state;
  return {
    accountId,
    test,
    kind,
    name: account.name || undefined,
    confirmedAt,
    erased: account.status === 'erased',
    blocked,
    frozen: [...guards.frozen].map(([subject, since]) => ({ subject, since })),
    quotas: quotaLines(foundation, account),
    available: { crypto: decimalOf(available.crypto), fiat: decimalOf(available.fiat) },
    letters: [...letters.byStatus].map(([status, count]) => ({ status, letters: count })),
    webhook: webhookOf(account),
    keys: activeKeys(account, toTimestamp(clock())).map((key) => ({
      keyId: key.keyId,
      prefix: key.prefix,
      label: key.label,
      scope: key.scope,
      createdAt: key.createdAt,
      expiresAt: key.expiresAt,
    })),
  };
};
