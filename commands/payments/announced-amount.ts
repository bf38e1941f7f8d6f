/**
 * Amounts by which transfers are told apart. Each has a stream of its own, so that no two top-ups have the
 * same one at a time, in any process. The slots of an account are streams of the same kind: they limit how
 * many of its top-ups wait at a time.
 */
import { type AnnouncedAmountEvent, announcedAmountStream } from '../../events/top-up.ts';
import type { Aggregate } from '../handling/aggregate.ts';

type Announced = Extract<AnnouncedAmountEvent, { type: 'TransferAmountAnnounced' }>['data'];

/** The last top-up that had it. `at`: since when. */
export type AnnouncedAmount = { last: (Announced & { at: string }) | undefined };

const initialState = (): AnnouncedAmount => ({ last: undefined });

const evolve = (
  _state: AnnouncedAmount,
  { data }: AnnouncedAmountEvent,
  at: string,
): AnnouncedAmount => ({ last: { ...data, at } });

type AnnounceAmount = { type: 'AnnounceAmount'; announced: Announced; isFree: boolean };

/**
 * Gives it to a top-up. `isFree`: whether its last holder no longer needs it. No event: another one has it.
 */
export const announceAmount = (
  { last }: AnnouncedAmount,
  { announced, isFree }: AnnounceAmount,
): AnnouncedAmountEvent[] =>
  last?.topUpId === announced.topUpId || (last && !isFree)
    ? []
    : [{ type: 'TransferAmountAnnounced', data: announced }];

export const announcedAmountAggregate: Aggregate<AnnouncedAmount, AnnouncedAmountEvent> = {
  stream: announcedAmountStream,
  initialState,
  evolve,
};
