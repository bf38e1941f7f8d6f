/** The trace context in the payload of a job. A task never sees it. */
import { inSpan, linksTo, runningTraceParent, SpanKind } from '../../ground/tracing.ts';
import type { ClaimedJob } from './claims.ts';

/** The payload of a job, with the span that adds it. */
export const traced = (payload: object): object => {
  const traceparent = runningTraceParent();
  return traceparent === undefined ? payload : { ...payload, traceparent };
};

const parted = (stored: unknown): { parent?: string; payload: unknown } => {
  if (typeof stored !== 'object' || stored === null || !('traceparent' in stored)) {
    return { payload: stored };
  }
  const { traceparent, ...payload } = stored;
  return { parent: String(traceparent), payload };
};

/** Runs a job in a trace of its own, linked to the span that added it. */
export const inJobSpan = (
  { task, attempt, payload: stored }: Pick<ClaimedJob, 'task' | 'attempt' | 'payload'>,
  work: (payload: unknown) => Promise<void>,
): Promise<void> => {
  const { parent, payload } = parted(stored);
  const attributes = { 'letters.attempt': attempt };
  return inSpan(
    `job ${task}`,
    { kind: SpanKind.CONSUMER, parent: 'none', attributes },
    async (span) => {
      if (span.isRecording()) span.addLinks(linksTo([parent]));
      await work(payload);
    },
  );
};
