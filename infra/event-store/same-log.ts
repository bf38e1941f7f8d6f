import { type EventMark, type EventStore, OtherLog } from '../../events/event-store.ts';

/**
 * The last event that a store gave: while it stands where it stood, the log is the same up to there. Asked
 * whenever the server was away, which may have come back with a backup, or as another one.
 */
export const createSameLogCheck = ({ eventAt }: Pick<EventStore, 'eventAt'>) => {
  let last: EventMark | undefined;
  return {
    keep(event: EventMark | undefined): void {
      if (event && event.position > (last?.position ?? 0n)) {
        last = { id: event.id, position: event.position };
      }
    },
    /** @throws OtherLog */
    async check(): Promise<void> {
      const known = last;
      if (!known) return;
      const found = await eventAt(known.position);
      if (found?.id !== known.id) throw new OtherLog(known, found);
    },
  };
};
