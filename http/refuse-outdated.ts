import { OutdatedProgram, outdatedRefusal } from '../contract/store-refusals.ts';
import type { Outdated, Rule } from './rule.ts';

/** These go on telling operators what they know of the process. */
const alwaysAnswered = new Set(['/health', '/metrics']);

/** Refuses all requests once the process is known to be older than its data. */
export const refuseOutdated =
  (outdated: Outdated): Rule =>
  (ctx, next) => {
    const why = outdated.reason();
    if (why === undefined || alwaysAnswered.has(ctx.path)) return next();
    const error = new OutdatedProgram(why);
    throw ctx.path === '/ready' ? outdatedRefusal(error, `Not ready: ${why}`) : error;
  };
