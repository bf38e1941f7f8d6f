import { type EventMark, OtherLog } from '../../events/event-store.ts';

type EventAt = (position: bigint) => Promise<Pick<EventMark, 'id'> | undefined>;

/**
 * The last event that a store gave or took: while it stands where it stood, the log is the same up to there. Asked
 * whenever the server was away, which may have come back with a backup, or as another one.
 */
export const createSameLogCheck = ({ eventAt }: { eventAt: EventAt }) => {
  let last: EventMark | undefined;
  return {
    keep(event: EventMark | undefined): void {
      if (event && event.position > (last?.position ?? 0n)) {
        last = { id: event.id, position: event.position };
      }
    },
    /** Whether there is an event to ask for. */
    isKnown: (): boolean => last !== undefined,
    /** @param ask absent: over any connection. @throws OtherLog */
    async check(ask = eventAt): Promise<void> {
      const known = last;
      if (!known) return;
      const found = await ask(known.position);
      if (found?.id !== known.id) throw new OtherLog(known, found);
    },
  };
};
