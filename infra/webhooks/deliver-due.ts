/**
 * Delivers the due messages of one endpoint. One run works at an endpoint at a time, in any process, with a
 * bound on its open requests, so that a slow receiver delays only its own messages. Only the first open
 * message of a lane is ever due: that keeps the order of a letter.
 *
 * A run that was killed loses its lease after ten seconds. Its open requests are sent again, under the same
 * id.
 */

import { randomUUID } from 'node:crypto';
import type { EndpointKind } from '../../reactors/webhook-routes.ts';
import { addJob } from '../jobs/add-job.ts';
import {
  beginRun,
  type DeliveryRunPorts,
  finish,
  leave,
  type Run,
  rest,
  step,
} from './delivery-run.ts';
import { acquire, deliverTask, jobKeyOf, release } from './messages.ts';

export { type DeliveryRunPorts, deliveryResults } from './delivery-run.ts';

const deliverAll = async (run: Run): Promise<void> => {
  const { signal, underWay, finished, queue } = run;
  const onAbort = (): void => run.wake();
  signal.addEventListener('abort', onAbort);
  try {
    for (;;) {
      await step(run);
      if (run.crashed) throw run.crashed;
      const idle = underWay.size === 0 && finished.length === 0;
      if (idle && (run.ended || run.disabled || queue.length === 0)) {
        if (await finish(run)) return;
      } else if (signal.aborted) return await leave(run);
      else await rest(run);
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
};

/** Pauses of an endpoint without a slot. While accounts contend for slots, these are not free again soon. */
const accountPauseMs = 500;
const contendedPauseMs = 2_000;

/** Takes a slot of the account. Without one: the pause until the next try. */
const takeSlot = ({ slots, shares }: DeliveryRunPorts, accountId: string): number | undefined => {
  if (!slots.take(accountId)) return accountPauseMs;
  if (shares.take(accountId, 1)) return undefined;
  slots.giveBack(accountId);
  return contendedPauseMs;
};

/**
 * Delivers the due messages of an endpoint, until none is left or its time is over; then a job is there for
 * the rest.
 * @throws Error when the database is away; to be tried again
 */
export const deliverDue = async (
  ports: DeliveryRunPorts,
  key: { kind: EndpointKind; id: string },
  signal: AbortSignal,
): Promise<void> => {
  const targets = ports.targets[key.kind];
  if (!targets) return;
  const runId = randomUUID();
  const acquired = await acquire(ports.db, key, runId);
  if (!acquired) return;
  if ('busyUntil' in acquired) {
    // The run that is at work looks for more itself, unless it was killed.
    const options = { key: jobKeyOf(key), runAtMs: acquired.busyUntil + 500 };
    await addJob(ports.db, deliverTask, key, { ...options, onConflict: 'earliest' });
    return;
  }
  const endpoint = { ...key, accountId: acquired.accountId };
  const pauseMs = takeSlot(ports, endpoint.accountId);
  if (pauseMs !== undefined) {
    // Other webhooks of the account use all of its slots, or its whole share of the process.
    await release(ports.db, key, runId, ports.clock(), ports.clock() + pauseMs);
    return;
  }
  try {
    await deliverAll(beginRun({ ports, endpoint, targets, runId, signal }));
  } catch (error) {
    await release(ports.db, key, runId, ports.clock(), ports.clock() + 1_000).catch(() => {});
    throw error;
  } finally {
    ports.slots.giveBack(endpoint.accountId);
    ports.shares.giveBack(endpoint.accountId, 1);
  }
};
