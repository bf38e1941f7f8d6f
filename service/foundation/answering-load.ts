/** The load of the process that answers requests, reported to the background process. */
import type { ChildProcess } from 'node:child_process';
import { performance } from 'node:perf_hooks';

const everyMs = 100;
/** A process that has reported nothing for this long answers no requests. */
const staleMs = 1_000;

type Message = { answering: number };

const isMessage = (message: unknown): message is Message =>
  typeof (message as Message | undefined)?.answering === 'number';

/** Tells a child how busy this process is, until it is called. */
export const tellAnswering = (child: ChildProcess): (() => void) => {
  let before = performance.eventLoopUtilization();
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    if (child.connected) child.send({ answering: utilization } satisfies Message, () => {});
  }, everyMs);
  return () => clearInterval(timer);
};

/** Listens to the parent until `stopping`. From 0 to 1; 0 without reports. */
export const hearAnswering = (stopping: AbortSignal): (() => number) => {
  let heard = 0;
  let heardMs = Number.NEGATIVE_INFINITY;
  const hear = (message: unknown): void => {
    if (!isMessage(message)) return;
    heard = message.answering;
    heardMs = performance.now();
  };
  process.on('message', hear);
  stopping.addEventListener('abort', () => void process.off('message', hear));
  return () => (performance.now() - heardMs < staleMs ? heard : 0);
};
