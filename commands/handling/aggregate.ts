import type { DomainEvent } from '../../events/definition.ts';

/**
 * A decider: its stream, its first state, and how an event changes it. `evolve` leaves the given state
 * unchanged. `at` is when the event happened, `commandId` is the command that made it.
 */
export type Aggregate<S, E extends DomainEvent> = {
  /** The stream's name. An aggregate that closes its books has one stream per period. */
  stream(id: string, period: number): string;
  initialState(): S;
  evolve(state: S, event: E, at: string, commandId?: string): S;
  books?: Books<S, E>;
  /** About how many bytes the state takes. With it, it is kept in memory between commands; undefined: this one is not. */
  cachedBytes?(state: S): number | undefined;
  /** The ids of its events follow from its commands, although it is kept in memory. Otherwise each has one of its own. */
  derivesIds?: boolean;
};

/** Whether the ids of events follow from their commands. */
export const hasDerivedIds = <S, E extends DomainEvent>({
  derivesIds,
  cachedBytes,
}: Pick<Aggregate<S, E>, 'derivesIds' | 'cachedBytes'>): boolean => derivesIds ?? !cachedBytes;

/** How a long-lived aggregate closes one stream and continues in the next. */
type Books<S, E extends DomainEvent> = {
  /** Events that close the period when it is time, otherwise no events. `eventCount` counts this period's. */
  close(state: S, period: number, eventCount: bigint, at: string): E[];
  /** The event count from which `close` is asked again, after it found that it is not time. */
  nextLook(state: S, eventCount: bigint, at: string): bigint;
  /**
   * Once closed: the next period and the events that open it. It is a pure function of the closed state, because the
   * events are written in several appends that another process may continue.
   */
  successor(state: S): { period: number; opening: E[] } | undefined;
  /** Whether the period is open: from the last event of its opening on. No command is decided before. */
  isOpen(state: S): boolean;
};
