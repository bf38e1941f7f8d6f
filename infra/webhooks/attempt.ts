import type { Traces } from '../../events/traces.ts';
import {
  type AttemptResult,
  classify,
  nextAttemptAt,
  type Outcome,
} from '../../reactors/delivery-schedule.ts';
import { OutboundError } from '../fetch/outbound-error.ts';
import type { SafeFetch } from '../fetch/safe-fetch.ts';
import { signWebhook } from '../signing/standard-webhooks.ts';
import type { DueMessage, Settled } from './messages.ts';
import type { Target } from './targets.ts';
import { inAttemptSpan } from './trace-attempt.ts';

/** Of one attempt, from the name to the end of the answer. */
const timeoutMs = 12_000;

export type Attempted = Settled & { outcome: Outcome; endedAt: number };

export type AttemptPorts = {
  /** Absent: no spans are exported. */
  traces?: Pick<Traces, 'of'> | undefined;
  fetch: Pick<SafeFetch, 'post'>;
  clock: () => number;
  /** In [0, 1). */
  random: () => number;
};

const send = async (
  fetch: AttemptPorts['fetch'],
  target: Target,
  webhook: { id: string; body: string; timestampS: number },
  signal: AbortSignal,
): Promise<AttemptResult> => {
  try {
    const signed = signWebhook({ ...webhook, secrets: target.secrets, ed25519: target.signers });
    const { status, headers } = await fetch.post(target.url, {
      headers: { 'content-type': 'application/json', ...signed },
      body: webhook.body,
      timeoutMs,
      signal,
      statusOnly: true,
    });
    // A header that was sent more than once is a list, whatever its type says.
    const [retryAfter] = [headers['retry-after']].flat();
    return { status, retryAfter };
  } catch (error) {
    if (error instanceof OutboundError) return { error: error.code };
    throw error;
  }
};

const settle = (
  message: DueMessage,
  outcome: Outcome,
  now: number,
  random: number,
): Pick<Settled, 'state' | 'nextAt'> => {
  if (outcome.kind === 'delivered') return { state: 'delivered' };
  if (outcome.kind === 'disable') return { state: 'failed' };
  const nextAt = nextAttemptAt(message.attempts + 1, now, random, outcome.notBefore);
  return nextAt === undefined ? { state: 'failed' } : { state: 'due', nextAt };
};

/**
 * Posts a message once. Failures on the way are outcomes, not errors.
 * @param signal gives it up; its outcome is then of no use
 * @throws Error where the webhook cannot be signed
 */
export const attemptDelivery = async (
  ports: AttemptPorts,
  target: Target,
  message: DueMessage,
  webhook: { id: string; body: string },
  signal: AbortSignal,
): Promise<Attempted> => {
  const at = ports.clock();
  const startedMs = performance.now();
  const timestampS = Math.floor(at / 1_000);
  const result = await inAttemptSpan(ports.traces, message, () =>
    send(ports.fetch, target, { ...webhook, timestampS }, signal),
  );
  const durationMs = Math.round(performance.now() - startedMs);
  const endedAt = ports.clock();
  const outcome = classify(result, endedAt);
  const { error, status } = { error: undefined, status: undefined, ...result };
  return {
    message,
    outcome,
    endedAt,
    ...settle(message, outcome, endedAt, ports.random()),
    attempt: {
      at,
      durationMs,
      ...(status === undefined ? {} : { status }),
      ...(error === undefined ? {} : { error }),
    },
  };
};
