import { createCommandHandler } from '../../commands/handling/handle.ts';
import { createLettersAtHand, type LettersAtHand } from '../../commands/letters/letters-at-hand.ts';
import type { Foundation } from '../foundation/wing.ts';

const atHand = new WeakMap<Foundation['storage'], LettersAtHand>();

/** Letters on their way, folded once for production and for the wallet that follows them. */
export const lettersAtHandOf = ({ storage, keys, clock }: Foundation): LettersAtHand => {
  const known = atHand.get(storage);
  if (known) return known;
  const { store } = storage;
  const letters = createLettersAtHand(
    createCommandHandler({ store, dataKeys: keys.dataKeys, clock }),
  );
  atHand.set(storage, letters);
  return letters;
};
