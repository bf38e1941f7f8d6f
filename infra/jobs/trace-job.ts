/** The trace context in the payload of a job. A task never sees it. */
import { inSpan, linksTo, runningTraceParent, SpanKind } from '../../ground/tracing.ts';

/** The payload of a job, with the span that adds it. */
export const traced = (payload: object): object => {
  const traceparent = runningTraceParent();
  return traceparent === undefined ? payload : { ...payload, traceparent };
};

/** Runs a job in a trace of its own, linked to the span that added it. */
export const inJobSpan = (
  task: string,
  attempt: number,
  stored: unknown,
  work: (payload: unknown) => Promise<void>,
): Promise<void> => {
  if (typeof stored !== 'object' || stored === null || !('traceparent' in stored)) {
    return inSpan(`job ${task}`, { kind: SpanKind.CONSUMER, parent: 'none' }, () => work(stored));
  }
  const { traceparent, ...payload } = stored;
  return inSpan(`job ${task}`, { kind: SpanKind.CONSUMER, parent: 'none' }, (span) => {
    if (span.isRecording() && typeof traceparent === 'string') {
      span.addLinks(linksTo([traceparent]));
    }
    span.setAttribute('letters.attempt', attempt);
    return work(payload);
  });
};
