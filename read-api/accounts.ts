import Type from 'typebox';
import { toTimestamp } from '../contract/clock.ts';
import { AppError } from '../contract/errors.ts';
import { type AnyOperation, operation } from '../contract/operation.ts';
import { scopes } from '../contract/scopes.ts';
import {
  Balance,
  eventIdOf,
  Key,
  Notification,
  presentBalance,
  presentKey,
  presentNotification,
  presentSettings,
  Settings,
  type StoredSettings,
} from '../presenters/account.ts';
import { Cursor, LetterId, OneOf, Page, RowsPerPage, usualRows } from '../presenters/common.ts';
import { accountById, activeKeys } from '../projections/accounts/query.ts';
import {
  listNotifications,
  type NotificationRow,
  notificationById,
} from '../projections/notifications/query.ts';
import { lastTransactions, walletOf } from '../projections/wallets/query.ts';
import { pageOf, placeOf, type ReadContext } from './context.ts';

const shownTransactions = 10;

type AccountReadContext = Pick<
  ReadContext,
  'db' | 'openForAccount' | 'limits' | 'channelsOf' | 'lastUsed' | 'clock'
>;

export const accountReadOperations = (context: AccountReadContext): AnyOperation[] => {
  const listScopes = operation({
    name: 'list_scopes',
    method: 'GET',
    path: '/auth/scopes',
    tag: 'Keys',
    summary: 'The scopes of keys',
    access: 'public',
    input: {},
    responses: {
      200: {
        description: 'full contains send, send contains read',
        schema: Type.Object(
          { scopes: Type.Array(Type.Object({ scope: OneOf(scopes), description: Type.String() })) },
          { title: 'Scopes' },
        ),
      },
    },
    errors: [],
    handle: () => ({
      body: {
        scopes: [
          { scope: 'full', description: 'Everything: keys and settings, and what send may.' },
          {
            scope: 'send',
            description: 'Send, change, cancel and delete letters, top up; and what read may.',
          },
          {
            scope: 'read',
            description: 'Quote, list, read, track; balance, settings, notifications.',
          },
        ],
      },
    }),
  });

  const listKeys = operation({
    name: 'list_keys',
    method: 'GET',
    path: '/auth/keys',
    tag: 'Keys',
    summary: 'List active keys',
    description: 'By prefix; a secret is never shown again.',
    access: 'full',
    input: {},
    responses: {
      200: {
        description: 'Newest first',
        schema: Type.Object({ data: Type.Array(Key) }, { title: 'Keys' }),
      },
    },
    errors: [],
    async handle({ caller }) {
      const rows = await activeKeys(context.db, caller.accountId, toTimestamp(context.clock()));
      const [labels, used] = await Promise.all([
        context.openForAccount<{ label: string }>(
          caller.accountId,
          rows.map((row) => ({ sealed: row.sealed, eventId: row.event_id })),
        ),
        context.lastUsed(rows.map((row) => row.key_id)),
      ]);
      const data = rows.map((row, index) =>
        presentKey(row, labels[index]?.label, used.get(row.key_id)),
      );
      return { body: { data } };
    },
  });

  const getBalance = operation({
    name: 'get_balance',
    method: 'GET',
    path: '/api/balance',
    tag: 'Wallet',
    summary: 'Balance and the last 10 transactions',
    access: 'read',
    payable: true,
    input: {},
    responses: { 200: { description: 'The wallet', schema: Balance } },
    errors: [],
    async handle({ caller }) {
      const [wallet, rows] = await Promise.all([
        walletOf(context.db, caller.accountId),
        lastTransactions(context.db, caller.accountId, shownTransactions),
      ]);
      const references = await context.openForAccount<{ reference: string }>(
        caller.accountId,
        rows,
      );
      const transactions = rows.map((row, index) => ({
        row,
        reference: references[index]?.reference,
      }));
      return { body: presentBalance(wallet, transactions, caller.test) };
    },
  });

  const getSettings = operation({
    name: 'get_settings',
    method: 'GET',
    path: '/api/settings',
    tag: 'Settings',
    summary: 'Webhook URL and notification e-mail',
    access: 'read',
    input: {},
    responses: { 200: { description: 'The settings', schema: Settings } },
    errors: [],
    async handle({ caller }) {
      const account = await accountById(context.db, caller.accountId);
      const sealed = account?.settings_sealed ?? null;
      const [settings] = await context.openForAccount<StoredSettings>(caller.accountId, [
        { sealed, eventId: account?.settings_event_id ?? null },
      ]);
      return { body: presentSettings(settings ?? {}, account?.webhook_disabled) };
    },
  });

  return [listScopes, listKeys, getBalance, getSettings, ...notificationOperations(context)];
};

const notificationOperations = (context: AccountReadContext): AnyOperation[] => {
  const list = operation({
    name: 'list_notifications',
    method: 'GET',
    path: '/api/notifications',
    tag: 'Notifications',
    summary: 'List notification events',
    access: 'read',
    input: {
      query: Type.Object(
        {
          letter_id: Type.Optional(LetterId),
          limit: Type.Optional(RowsPerPage(context.limits)),
          cursor: Type.Optional(Cursor),
        },
        { additionalProperties: false },
      ),
    },
    responses: { 200: { description: 'Newest first', schema: Page(Notification) } },
    errors: ['invalid_cursor'],
    async handle({ caller, query }) {
      const { letter_id: letterId, limit = usualRows(context.limits) } = query;
      const before = placeOf(query.cursor);
      const filter = { accountId: caller.accountId, letterId, before, limit: limit + 1 };
      const rows = await listNotifications(context.db, filter);
      const channels = await context.channelsOf(
        caller.accountId,
        rows.map((row) => row.event_id),
      );
      const present = (row: NotificationRow) =>
        presentNotification(row, channels.get(row.event_id) ?? []);
      return { body: pageOf(rows, limit, (row) => row.position, present) };
    },
  });

  const get = operation({
    name: 'get_notification',
    method: 'GET',
    path: '/api/notifications/{id}',
    tag: 'Notifications',
    summary: 'Read a notification event',
    access: 'read',
    input: { params: Type.Object({ id: Type.String({ maxLength: 64 }) }) },
    responses: { 200: { description: 'The event', schema: Notification } },
    errors: ['notification_not_found'],
    async handle({ caller, params }) {
      const eventId = eventIdOf(params.id);
      const row = eventId && (await notificationById(context.db, caller.accountId, eventId));
      if (!row) {
        throw new AppError(
          'notification_not_found',
          'There is no notification with this id in your account.',
        );
      }
      const channels = await context.channelsOf(caller.accountId, [row.event_id]);
      return { body: presentNotification(row, channels.get(row.event_id) ?? []) };
    },
  });

  return [list, get];
};
