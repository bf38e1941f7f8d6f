import { type EventMark, OtherLog } from '../../events/event-store.ts';

type EventAt = (position: bigint) => Promise<Pick<EventMark, 'id'> | undefined>;

/**
 * The last event that a store gave or took: while it stands where it stood, the log is the same up to there. Asked
 * whenever the server was away, which may have come back with a backup, or as another one.
 */
export const createSameLogCheck = ({ eventAt }: { eventAt: EventAt }) => {
  let newest: EventMark | undefined;
  /** The newest at the last check. Another log may have given events behind it since then. */
  let confirmed: EventMark | undefined;
  let isInDoubt = false;
  return {
    keep(event: EventMark | undefined): void {
      if (event && !isInDoubt && event.position > (newest?.position ?? 0n)) {
        newest = { id: event.id, position: event.position };
      }
    },
    isInDoubt: (): boolean => isInDoubt,
    /** The server was away: until the next check, nothing counts that it gives. */
    doubt(): void {
      isInDoubt = true;
    },
    /** @param ask absent: over any connection. @throws OtherLog */
    async check(ask = eventAt): Promise<void> {
      const asked = newest;
      for (const known of new Set([confirmed, asked])) {
        if (!known) continue;
        const found = await ask(known.position);
        if (found?.id === known.id) continue;
        isInDoubt = true;
        throw new OtherLog(known, found);
      }
      confirmed = asked;
      isInDoubt = false;
    },
  };
};
