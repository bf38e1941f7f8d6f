/**
 * The tables of webhooks: the subscribers, the messages to deliver, and the checkpoint in the log. They
 * replace infra/schema/14-deliveries.sql, whose rules they keep: a message is known once for an event and an
 * endpoint, and only the first open message of a lane is due.
 */
import { PlaceMoved } from '../../events/follow-log.ts';
import type { Position } from '../../events/position.ts';
import {
  applyRouteChange,
  emptyRoutes,
  type Message,
  type RouteChange,
} from '../../reactors/webhook-routes.ts';
import type { Broken } from './broken.ts';
import type { Schedule } from './schedule.ts';

export type WebhookRow = Message & { state: 'open' | 'delivered'; nextAt: number };

const pumpForMs = 10_000;

export const createWebhookTables = (schedule: Schedule, broken: Broken) => {
  const rows: WebhookRow[] = [];
  const changes: RouteChange[] = [];
  const pumps = new Map<string, { pump: object; until: number }>();
  let place: Position = 0n;

  const laneOf = ({ endpointId, lane, eventId }: Message): string =>
    `${endpointId} ${broken.lanes ? eventId : lane}`;

  return {
    rows,
    place: () => place,
    load: () => {
      const routes = emptyRoutes();
      for (const change of changes) applyRouteChange(routes, change);
      return { routes, place };
    },
    /** @throws PlaceMoved */
    tell(
      from: Position,
      to: Position,
      told: { changes: RouteChange[]; messages: Message[] },
    ): void {
      if (place !== from) throw new PlaceMoved('another process tells webhooks of the log');
      place = to;
      changes.push(...told.changes);
      for (const message of told.messages) {
        const isKnown = rows.some(
          ({ eventId, endpointId }) =>
            eventId === message.eventId && endpointId === message.endpointId,
        );
        if (!isKnown) rows.push({ ...message, state: 'open', nextAt: 0 });
      }
    },
    /** The first open message of each lane that is due, for one pump at a time. */
    take(pump: object): WebhookRow[] {
      const lanes = new Map<string, WebhookRow>();
      for (const row of rows) {
        if (row.state !== 'open') continue;
        const first = lanes.get(laneOf(row));
        if (!first || row.position < first.position) lanes.set(laneOf(row), row);
      }
      const now = schedule.now();
      return [...lanes.values()].filter(({ endpointId, nextAt }) => {
        const other = pumps.get(endpointId);
        if (nextAt > now || (other && other.pump !== pump && other.until > now)) return false;
        pumps.set(endpointId, { pump, until: now + pumpForMs });
        return true;
      });
    },
    settle(row: WebhookRow, delivered: boolean): void {
      if (delivered) row.state = 'delivered';
      else row.nextAt = schedule.now() + 500;
    },
  };
};
