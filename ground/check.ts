/** Checks of what the service depends on, for the operator. A check stands next to the part that it looks at. */
import { within } from './deadline.ts';
import { messageOf } from './message-of.ts';

export type CheckState = 'ok' | 'warn' | 'fail';

/** The result of a check in one line, without secrets. */
export type Finding = {
  state: CheckState;
  found: string;
  /** Advice for the operator. */
  remedy?: string;
};

export type Check = {
  /** The part that is checked, such as `disk`. */
  name: string;
  /** How long the check may take. */
  timeLimitMs?: number;
  /** An error counts as a failed check; its message must contain no secret. */
  run(): Promise<Finding>;
  /** Advice for the operator when the check throws or takes too long. */
  remedy: string;
};

export type CheckResult = Finding & { name: string };

export const ok = (found: string): Finding => ({ state: 'ok', found });
export const warn = (found: string, remedy: string): Finding => ({ state: 'warn', found, remedy });
export const fail = (found: string, remedy: string): Finding => ({ state: 'fail', found, remedy });

/** The worst of several states. */
export const worstOf = (states: readonly CheckState[]): CheckState => {
  if (states.includes('fail')) return 'fail';
  return states.includes('warn') ? 'warn' : 'ok';
};

const usualLimitMs = 10_000;

/** Why it failed, in one line. `fetch failed` alone says nothing: its cause does. */
const reasonOf = (error: unknown): string => {
  const { cause, code } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  const message = messageOf(error) || String(code ?? 'unknown error');
  const reason = cause === undefined ? message : `${message}: ${reasonOf(cause)}`;
  return reason.replaceAll(/\s+/g, ' ');
};

/** Runs a check, which can neither throw nor hang. */
export const runCheck = async (check: Check): Promise<CheckResult> => {
  const { name, timeLimitMs = usualLimitMs, remedy } = check;
  const late = (): Error => new Error(`no answer within ${timeLimitMs / 1_000} s`);
  try {
    return { name, ...(await within(timeLimitMs, check.run(), late)) };
  } catch (error) {
    return { name, ...fail(reasonOf(error), remedy) };
  }
};
