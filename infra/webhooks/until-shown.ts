import type { Position } from '../../events/event-store.ts';

/** Whether the API shows what happened up to a position; waits for a bounded time. */
type IsShown = (position: Position) => Promise<boolean>;

/**
 * Waits until the API shows a position. Webhooks may come late, but always come: after a wait in vain it does
 * not wait again until the API has caught up with a requested position.
 */
export const createUntilShown = (isShown: IsShown): ((position: Position) => Promise<void>) => {
  let gaveUp = false;
  let looking = false;

  const look = async (position: Position): Promise<void> => {
    looking = true;
    gaveUp = !(await isShown(position));
    looking = false;
  };

  return async (position) => {
    if (!gaveUp) await look(position);
    else if (!looking) void look(position);
  };
};
