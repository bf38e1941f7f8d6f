/** How many slots a caller may hold: some are always left for the next one. */
import type { Group, Running } from './turn-groups.ts';

type Slots = { slots: number; briefSlots: number };

/** Whether one more slot leaves `left` slots to others, and `left` of those for long work. */
const leaves = (
  left: number,
  { all, long }: Running,
  brief: boolean,
  { slots, briefSlots }: Slots,
): boolean =>
  all < Math.max(1, slots - left) && (brief || long < Math.max(1, slots - briefSlots - left));

const nothing: Running = { all: 0, long: 0 };

/**
 * Whether a party of a group may have one more slot, if one is free.
 * @param running what the party runs; undefined: nothing
 * @param longRunning how many slots do long work for anybody
 */
export const mayStartIn = <S>(
  group: Group<S>,
  running: Running | undefined,
  { brief, longRunning }: { brief: boolean; longRunning: number },
  options: Slots,
): boolean => {
  if (!brief && longRunning >= options.slots - options.briefSlots) return false;
  if (group.standing === 'service') return true;
  if (group.standing !== 'free') {
    return running === undefined || leaves(1, running, brief, options);
  }
  // One address leaves a slot to the next, and all of them leave one to those who pay.
  return leaves(1, group.running, brief, options) && leaves(2, running ?? nothing, brief, options);
};
