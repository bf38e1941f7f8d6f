/** A restore that ended early, and what that means for a drill. */
import { messageOf } from '../../ground/message-of.ts';
import { isDiskFull } from '../../service/run/explain-start.ts';

/** `cause`: why it ended. */
export class RestoreIncomplete extends Error {}

/** Nobody has to empty the place of a drill: it is removed at the end. `within`: the folder in which it was made. */
export const drillFault = (error: unknown, within: string): string => {
  const why = error instanceof RestoreIncomplete ? error.cause : error;
  return isDiskFull(why)
    ? `the disk of ${within} is full (${why.message}): make room there, or name a folder of another disk with --in`
    : messageOf(why);
};
