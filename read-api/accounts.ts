import type { BoundTo } from '../contract/bounds.ts';
import { AppError } from '../contract/errors.ts';
import { type AnyOperation, operation } from '../contract/operation.ts';
import { type Clock, toTimestamp } from '../ground/clock.ts';
import type { Db } from '../ground/db.ts';
import type { Language } from '../postal/stationery.ts';
import {
  Balance,
  Keys,
  presentBalance,
  presentKeys,
  presentScopes,
  presentSettings,
  Scopes,
  Settings,
  type StoredSettings,
} from '../presenters/account.ts';
import { accountById, activeKeys } from '../projections/accounts/query.ts';
import { lastEntries, walletAccount } from '../projections/ledger/query.ts';
import { madeBy } from '../projections/makers/query.ts';
import { walletOf } from '../projections/wallets/query.ts';

const shownTransactions = 10;

export type AccountReadPorts = {
  db: Db;
  clock: Clock;
  /** Opens texts that were sealed under an account's data key, each for its event. */
  openForAccount: <T>(
    accountId: string,
    sealed: { sealed: string | null; eventId: string | null }[],
  ) => Promise<(T | undefined)[]>;
  /** Whether the notification address, if there is one, gets mail; undefined where none can be sent. */
  isEmailConfirmed: (accountId: string) => Promise<boolean | undefined>;
  /** The language of an account's mails, where one was chosen. */
  languageOf: (accountId: string) => Promise<Language | undefined>;
  /** Whether the account has a wallet, by its event stream. */
  hasWallet: (accountId: string) => Promise<boolean>;
  /** The DID of a paying wallet; undefined for other accounts. */
  payerOf: (accountId: string) => Promise<string | undefined>;
  /** How many bytes of documents an account keeps, and may keep. */
  storedBytes: (accountId: string) => Promise<{ bytes: number; quota: number }>;
  /** When keys were used last, by their ids. */
  lastUsed: (keyIds: string[]) => Promise<Map<string, Date>>;
  /** Whether something has ended that a key is bound to. */
  hasEnded: (boundTo: BoundTo) => Promise<boolean>;
  /** The key under whose id the policy of a key stands. */
  policyKeys: (accountId: string) => Promise<(keyId: string) => string>;
};

const listScopes = (): AnyOperation =>
  operation({
    name: 'list_scopes',
    method: 'GET',
    path: '/auth/scopes',
    tag: 'Keys',
    summary: 'The scopes of keys',
    description:
      'A scope limits what a key can do. Choose the smallest one that fits when you create a key.',
    access: 'public',
    input: {},
    responses: {
      200: { description: 'full contains send, send contains read', schema: Scopes },
    },
    errors: [],
    handle: () => ({ body: presentScopes() }),
  });

const listKeys = (ports: AccountReadPorts): AnyOperation =>
  operation({
    name: 'list_keys',
    method: 'GET',
    path: '/auth/keys',
    tag: 'Keys',
    summary: 'List active keys',
    description:
      'By prefix; a secret is never shown again. Each key shows how much it made and under which id its limits stand.',
    access: 'full',
    permit: { about: 'keys' },
    input: {},
    responses: { 200: { description: 'Newest first', schema: Keys } },
    errors: [],
    async handle({ caller }) {
      const known = await activeKeys(ports.db, caller.accountId, toTimestamp(ports.clock()));
      const ended = await Promise.all(
        known.map(({ bound_to: boundTo }) => boundTo && ports.hasEnded(boundTo)),
      );
      const rows = known.filter((_, index) => !ended[index]);
      const keyIds = rows.map((row) => row.key_id);
      const [labels, used, policyOf, made] = await Promise.all([
        ports.openForAccount<{ label: string }>(
          caller.accountId,
          rows.map((row) => ({ sealed: row.sealed, eventId: row.event_id })),
        ),
        ports.lastUsed(keyIds),
        ports.policyKeys(caller.accountId),
        madeBy(ports.db, caller.accountId, keyIds),
      ]);
      return {
        body: presentKeys(
          rows.map((row, index) => ({
            row,
            label: labels[index]?.label,
            lastUsedAt: used.get(row.key_id),
            policy: policyOf(row.key_id),
            made: made(row.key_id),
          })),
        ),
      };
    },
  });

/** A balance of zero would be wrong. */
const walletNotShown = (): AppError =>
  new AppError('read_model_behind', 'The wallet is new and not shown yet. Retry in a second.', {
    headers: { 'Retry-After': '1' },
  });

const getBalance = (ports: AccountReadPorts): AnyOperation =>
  operation({
    name: 'get_balance',
    method: 'GET',
    path: '/api/balance',
    tag: 'Wallet',
    summary: 'Balance and the last 10 transactions',
    description:
      'Amounts are in US dollars. `held` is reserved for letters that are not in production yet, and `held_for` lists its parts; `available` is what you can spend.',
    access: 'read',
    permit: { about: 'wallet' },
    payable: true,
    input: {},
    responses: { 200: { description: 'The wallet', schema: Balance } },
    errors: [],
    async handle({ caller }) {
      const [wallet, entries, payer, storage] = await Promise.all([
        walletOf(ports.db, caller.accountId),
        lastEntries(ports.db, walletAccount(caller.accountId), shownTransactions),
        ports.payerOf(caller.accountId),
        ports.storedBytes(caller.accountId),
      ]);
      if (!wallet && (await ports.hasWallet(caller.accountId))) throw walletNotShown();
      const references = await ports.openForAccount<{ reference: string }>(
        caller.accountId,
        entries,
      );
      const transactions = entries.map((entry, index) => ({
        entry,
        reference: references[index]?.reference,
      }));
      const about = { accountId: caller.accountId, test: caller.test, payer, storage };
      return { body: presentBalance(wallet, transactions, about) };
    },
  });

const getSettings = (ports: AccountReadPorts): AnyOperation =>
  operation({
    name: 'get_settings',
    method: 'GET',
    path: '/api/settings',
    tag: 'Settings',
    summary: 'Webhook URL and notification e-mail',
    description:
      'The service sends news about letters and the wallet to both. The secret of the webhook is shown once, when it is new.',
    access: 'read',
    permit: { about: 'settings' },
    input: {},
    responses: { 200: { description: 'The settings', schema: Settings } },
    errors: [],
    async handle({ caller }) {
      const [account, emailConfirmed, language] = await Promise.all([
        accountById(ports.db, caller.accountId),
        ports.isEmailConfirmed(caller.accountId),
        ports.languageOf(caller.accountId),
      ]);
      const sealed = account?.settings_sealed ?? null;
      const [settings] = await ports.openForAccount<StoredSettings>(caller.accountId, [
        { sealed, eventId: account?.settings_event_id ?? null },
      ]);
      return {
        body: presentSettings(settings ?? {}, {
          disabled: account?.webhook_disabled,
          emailConfirmed,
          language,
        }),
      };
    },
  });

export const accountReadOperations = (ports: AccountReadPorts): AnyOperation[] => [
  listScopes(),
  listKeys(ports),
  getBalance(ports),
  getSettings(ports),
];
