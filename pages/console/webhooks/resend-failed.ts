/** Delivers again what failed since a time, one message after the other. */
import type { Static } from 'typebox';
import type { Notification } from '../../../presenters/account.ts';
import type { Done } from '../frame-words.ts';
import { attempt, type Outcome, type Visit } from '../visit.ts';

type Message = Static<typeof Notification>;
type Found = { data: Message[]; next_cursor: string | null };

const most = 50;
/** Lists that are read: 2,000 messages. */
const mostLists = 20;

const hasFailed = ({ channels }: Message): boolean =>
  channels.some(({ channel, state }) => channel === 'webhook' && state === 'failed');

/** The messages that failed, newest first; one more than are sent again at a time. */
const failedSince = async (visit: Visit, since: string): Promise<Outcome<Message[]>> => {
  const failed: Message[] = [];
  let cursor: string | null = '';
  for (let list = 0; list < mostLists && cursor !== null && failed.length <= most; list += 1) {
    const query: Record<string, string> =
      cursor === '' ? { limit: '100' } : { limit: '100', cursor };
    const found: Outcome<Found> = await attempt<Found>(visit, 'list_notifications', { query });
    if ('problem' in found) return found;
    const { data, next_cursor: next } = found.done;
    const recent = data.filter(({ created_at: at }) => at >= since);
    failed.push(...recent.filter(hasFailed));
    cursor = recent.length === data.length ? next : null;
  }
  return { done: failed.slice(0, most + 1), version: undefined };
};

/**
 * @param since ISO 8601, UTC
 * @param formKey makes a form that is sent twice count once
 */
export const resendFailed = async (
  visit: Visit,
  since: string,
  formKey: string | undefined,
): Promise<Outcome<Done>> => {
  const found = await failedSince(visit, since);
  if ('problem' in found) return found;
  for (const { id } of found.done.slice(0, most)) {
    const headers: Record<string, string> =
      formKey === undefined ? {} : { 'idempotency-key': `${formKey}:${id}` };
    const outcome = await attempt(visit, 'replay_notification', { params: { id }, headers });
    if ('problem' in outcome) return outcome;
  }
  const count = found.done.length;
  const rest: Done = count > most ? 'replayed_some' : 'replayed_failed';
  return { done: count === 0 ? 'nothing_failed' : rest, version: undefined };
};
