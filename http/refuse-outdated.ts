import { OutdatedProgram, outdatedRefusal } from '../contract/store-refusals.ts';
import type { Rule } from './rule.ts';

/** These go on telling operators what they know of the process. */
const alwaysAnswered = new Set(['/health', '/metrics']);

/**
 * Refuses all requests once the process is known to be older than its data.
 * @param reason why it is; undefined while it is not
 */
export const refuseOutdated =
  (reason: () => string | undefined): Rule =>
  (ctx, next) => {
    const why = reason();
    if (why === undefined || alwaysAnswered.has(ctx.path)) return next();
    const outdated = new OutdatedProgram(why);
    throw ctx.path === '/ready' ? outdatedRefusal(outdated, `Not ready: ${why}`) : outdated;
  };
