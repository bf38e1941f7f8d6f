/**
 * When a webhook is attempted, and what an attempt's outcome means. Pure: times are epoch ms, and
 * randomness comes in. Source of the schedule: Standard Webhooks, "Delivery attempts".
 */

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** The delay before each attempt, from the failure of the one before. Published: 3 days and 3 hours. */
export const attemptDelaysMs = [
  0,
  5 * secondMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  24 * hourMs,
] as const;

/**
 * A share of the delay, in either direction, so that attempts that failed together are not repeated together.
 */
const jitter = 0.1;

/** After this time of failures only, an endpoint is disabled. */
const disableAfterMs = 5 * 24 * hourMs;

/** The outcome of an attempt: an answer, or the code of an error. */
export type AttemptResult = { status: number; retryAfter?: string | undefined } | { error: string };

export type Outcome =
  | { kind: 'delivered' }
  /** The receiver says that it is gone for good (410). */
  | { kind: 'disable' }
  /** `notBefore` (epoch ms): when the receiver asked to be left alone until then. */
  | { kind: 'failed'; code: string; notBefore?: number };

/**
 * Reads `Retry-After`, in seconds or as a date (RFC 9110 §10.2.3), as epoch ms; undefined for other texts.
 */
export function retryAfterAt(value: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return now + Number(text) * secondMs;
  const at = /^[A-Z][a-z]{2,8}, .* GMT$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}

/** 2xx delivers, 410 disables, everything else has failed: a redirect too, as none is followed. */
export function classify(result: AttemptResult, now: number): Outcome {
  if ('error' in result) return { kind: 'failed', code: result.error };
  const { status } = result;
  if (status >= 200 && status <= 299) return { kind: 'delivered' };
  if (status === 410) return { kind: 'disable' };
  const failed = { kind: 'failed', code: `http_${status}` } as const;
  if (status !== 429 && status !== 503) return failed;
  const notBefore = retryAfterAt(result.retryAfter, now);
  return notBefore === undefined ? failed : { ...failed, notBefore };
}

/**
 * When to try again, as epoch ms; undefined when the schedule is over.
 * @param attempt how many attempts were made; 0 for a new delivery
 * @param now when the last of them failed
 * @param random in [0, 1)
 * @param notBefore what the receiver asked for; kept up to the delay of the step after the next one, so
 * that no receiver puts a delivery off for ever
 */
export function nextAttemptAt(
  attempt: number,
  now: number,
  random: number,
  notBefore = now,
): number | undefined {
  const delayMs = attemptDelaysMs[attempt];
  if (delayMs === undefined) return undefined;
  const longestMs = attemptDelaysMs[attempt + 1] ?? delayMs;
  const scheduled = now + Math.round(delayMs * (1 - jitter + 2 * jitter * random));
  return Math.max(scheduled, Math.min(notBefore, now + longestMs));
}

/** `failingSince` (epoch ms): the first failure after the last success. */
export type EndpointHealth = { failingSince?: number };

/** The health of an endpoint after an attempt that ended at `now`. */
export const healthAfter = (
  health: EndpointHealth,
  outcome: Outcome,
  now: number,
): EndpointHealth =>
  outcome.kind === 'delivered' ? {} : { failingSince: health.failingSince ?? now };

/** Whether nothing has been delivered to the endpoint over five days of failure. */
export const isTimeToDisable = (health: EndpointHealth, now: number): boolean =>
  health.failingSince !== undefined && now - health.failingSince >= disableAfterMs;
