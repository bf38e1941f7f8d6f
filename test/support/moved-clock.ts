import { injected } from './injected.ts';

/** A clock that runs from `startsAt` (RFC 3339), and that a test can move. */
export const createMovedClock = (startsAt: string) => {
  let aheadMs = Date.parse(startsAt) - Date.now();
  return {
    clock: (): number => Date.now() + aheadMs,
    moveTo(at: string): void {
      injected('clock moved');
      aheadMs = Date.parse(at) - Date.now();
    },
  };
};
