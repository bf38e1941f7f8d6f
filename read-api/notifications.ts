import { type AnyOperation, operation } from '../contract/operation.ts';
import { notificationNotFound } from '../contract/refusals.ts';
import type { Db } from '../ground/db.ts';
import { Type } from '../ground/type.ts';
import type { Limits } from '../limits/table.ts';
import {
  eventIdOf,
  Notification,
  type NotificationChannel,
  presentNotification,
  presentWebhookMessage,
  WebhookMessage,
} from '../presenters/account.ts';
import { Cursor, LetterId, Page, RowsPerPage, usualRows } from '../presenters/common.ts';
import { pageOf, placeOf } from '../presenters/paging.ts';
import {
  listNotifications,
  type NotificationRow,
  notificationById,
} from '../projections/notifications/query.ts';

type NotificationReadPorts = {
  db: Db;
  limits: Limits;
  /** The deliveries of an account's notifications, by event id. */
  channelsOf: (
    accountId: string,
    rows: readonly NotificationRow[],
  ) => Promise<Map<string, NotificationChannel[]>>;
  /** The body of the status webhook for a notification, to the byte. */
  webhookBody: (accountId: string, row: NotificationRow) => Promise<string>;
};

const params = Type.Object({ id: Type.String({ maxLength: 64 }) });

/** @throws AppError notification_not_found */
const ownNotification = async (
  db: Db,
  accountId: string,
  notificationId: string,
): Promise<NotificationRow> => {
  const eventId = eventIdOf(notificationId);
  const row = eventId && (await notificationById(db, accountId, eventId));
  if (!row) throw notificationNotFound();
  return row;
};

const readMessage = ({ db, webhookBody }: NotificationReadPorts): AnyOperation =>
  operation({
    name: 'get_webhook_message',
    method: 'GET',
    path: '/api/notifications/{id}/webhook',
    tag: 'Notifications',
    summary: 'Read the webhook message of a notification event',
    description:
      'The headers and the body that were sent or would be sent, whether or not a webhook was set. The body is the same at each attempt, to the byte. The headers `webhook-timestamp` and `webhook-signature` are made for each attempt and are not part of the answer.',
    access: 'read',
    permit: { about: 'account' },
    readsOwnWrites: true,
    input: { params },
    responses: { 200: { description: 'The message', schema: WebhookMessage } },
    errors: ['notification_not_found'],
    async handle({ caller: { accountId }, params: { id } }) {
      const row = await ownNotification(db, accountId, id);
      return { body: presentWebhookMessage(row, await webhookBody(accountId, row)) };
    },
  });

export const notificationReadOperations = (ports: NotificationReadPorts): AnyOperation[] => {
  const list = operation({
    name: 'list_notifications',
    method: 'GET',
    path: '/api/notifications',
    tag: 'Notifications',
    summary: 'List notification events',
    description:
      'Each event says what happened to a letter, to the wallet or to the webhook. Read the list to find events whose webhooks you missed.',
    access: 'read',
    permit: { about: 'account' },
    input: {
      query: Type.Exact({
        letter_id: Type.Optional(LetterId),
        limit: Type.Optional(RowsPerPage(ports.limits)),
        cursor: Type.Optional(Cursor),
      }),
    },
    responses: { 200: { description: 'Newest first', schema: Page(Notification) } },
    errors: ['invalid_cursor'],
    async handle({ caller, query }) {
      const { letter_id: letterId, limit = usualRows(ports.limits) } = query;
      const before = placeOf(query.cursor);
      const filter = { accountId: caller.accountId, letterId, before, limit: limit + 1 };
      const rows = await listNotifications(ports.db, filter);
      const channels = await ports.channelsOf(caller.accountId, rows);
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
    description: 'The event shows the state of its delivery on each channel, with every attempt.',
    access: 'read',
    permit: { about: 'account' },
    input: { params },
    responses: { 200: { description: 'The event', schema: Notification } },
    errors: ['notification_not_found'],
    async handle({ caller, params }) {
      const row = await ownNotification(ports.db, caller.accountId, params.id);
      const channels = await ports.channelsOf(caller.accountId, [row]);
      return { body: presentNotification(row, channels.get(row.event_id) ?? []) };
    },
  });

  return [list, get, readMessage(ports)];
};
