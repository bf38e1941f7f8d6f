/** Delivers what a webhook did not get since a time, one message after the other. */

import type { Static } from 'typebox';
import { facts } from '../../../contract/errors.ts';
import { isDay } from '../../../ground/day.ts';
import type { Notification } from '../../../presenters/account.ts';
import type { AuditDelivery } from '../../../presenters/audit-webhooks.ts';
import { fieldOf, idempotencyHeader } from '../form.ts';
import type { Done } from '../frame-words.ts';
import { attempt, type Outcome, type Problem, type View, type Visit } from '../visit.ts';

type Message = Static<typeof Notification>;
type Delivery = Static<typeof AuditDelivery>;

/** Where messages are found, which the webhook did not get, and how one is sent again. */
type Source<T> = {
  list: { name: string; params?: Record<string, string> };
  isMissed(one: T): boolean;
  idOf(one: T): string;
  replay: { name: string; paramsOf(id: string): Record<string, string> };
};

type Found<T> = { data: T[]; next_cursor: string | null };

const most = 50;
/** Lists that are read: 2,000 messages. */
const mostLists = 20;

/** `cancelled`: the webhook was disabled or removed before. */
const isOver = ({ state }: { state: string }): boolean =>
  state === 'failed' || state === 'cancelled';

/** Messages to the webhook of the account. Those from while there was none, or it was disabled, count as missed. */
export const statusMessages: Source<Message> = {
  list: { name: 'list_notifications' },
  isMissed: ({ type, channels }) =>
    type !== 'webhook.disabled' &&
    channels.filter(({ channel }) => channel === 'webhook').every(isOver),
  idOf: ({ id }) => id,
  replay: { name: 'replay_notification', paramsOf: (id) => ({ id }) },
};

/** Deliveries to one audit webhook. */
export const auditDeliveriesOf = (id: string): Source<Delivery> => ({
  list: { name: 'list_audit_deliveries', params: { id } },
  isMissed: isOver,
  idOf: ({ event_id: eventId }) => eventId,
  replay: { name: 'replay_audit_delivery', paramsOf: (eventId) => ({ id, event_id: eventId }) },
});

/** `isAll`: no messages since the time are left unread. */
type Missed<T> = { messages: T[]; isAll: boolean };

/** The missed messages, the oldest first, so that receivers get them in the order in which they happened. */
const missedSince = async <T extends { created_at: string }>(
  visit: Visit,
  { list: { name, params }, isMissed }: Source<T>,
  since: string,
): Promise<Outcome<Missed<T>>> => {
  const missed: T[] = [];
  let cursor: string | null = '';
  for (let list = 0; list < mostLists && cursor !== null; list += 1) {
    const query: Record<string, string> =
      cursor === '' ? { limit: '100' } : { limit: '100', cursor };
    const input = params === undefined ? { query } : { params, query };
    const found: Outcome<Found<T>> = await attempt<Found<T>>(visit, name, input);
    if ('problem' in found) return found;
    const { data, next_cursor: next } = found.done;
    const recent = data.filter(({ created_at: at }) => at >= since);
    missed.push(...recent.filter(isMissed));
    cursor = recent.length === data.length ? next : null;
  }
  const messages = missed.toReversed();
  return { done: { messages, isAll: cursor === null }, version: undefined };
};

const doneOf = ({ messages, isAll }: Missed<unknown>): Done => {
  if (!isAll) return 'replayed_newest';
  if (messages.length === 0) return 'nothing_failed';
  return messages.length > most ? 'replayed_some' : 'replayed_failed';
};

/**
 * @param since ISO 8601, UTC
 * @param formKey makes a form that is sent twice count once
 */
export const resendFailed = async <T extends { created_at: string }>(
  visit: Visit,
  source: Source<T>,
  since: string,
  formKey: string | undefined,
): Promise<Outcome<Done>> => {
  const found = await missedSince(visit, source, since);
  if ('problem' in found) return found;
  const { name, paramsOf } = source.replay;
  for (const id of found.done.messages.slice(0, most).map(source.idOf)) {
    const headers: Record<string, string> =
      formKey === undefined ? {} : { 'idempotency-key': `${formKey}:${id}` };
    const outcome = await attempt(visit, name, { params: paramsOf(id), headers });
    if ('problem' in outcome) return outcome;
  }
  return { done: doneOf(found.done), version: undefined };
};

/** A day, or a day and a time, as forms send it. Seconds do not count. */
const timePattern = /^(\d{4}-\d{2}-\d{2})(T(?:[01]\d|2[0-3]):[0-5]\d)?(?::[\d.]+)?$/;

const noTime: Problem = {
  status: 422,
  code: 'validation_failed',
  title: 'No time',
  detail: 'Enter a day and a time.',
  errors: [
    {
      pointer: '/since',
      code: 'format',
      detail: 'Enter a day and a time.',
      [facts]: { kind: 'date-time' },
    },
  ],
};

/** Obeys the form that names a time, in UTC. */
export const resendSinceTime = async <T extends { created_at: string }>(
  visit: Visit,
  source: Source<T>,
  { page, show }: { page: string; show(problem: Problem): Promise<View> },
): Promise<View> => {
  const since = fieldOf(visit.form, 'since')?.trim() ?? '';
  const [, day = '', time = 'T00:00'] = timePattern.exec(since) ?? [];
  if (!isDay(day)) return show(noTime);
  const { 'idempotency-key': key } = idempotencyHeader(visit.form);
  const outcome = await resendFailed(visit, source, `${day}${time}:00.000Z`, key);
  return 'problem' in outcome ? show(outcome.problem) : { goTo: `${page}?said=${outcome.done}` };
};
