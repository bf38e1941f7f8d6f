/**
 * Spans of commands. Commands of many requests share an append, so an append has one span for each command that it
 * writes for, in the trace of that command.
 */
import type { DomainEvent } from '../../events/definition.ts';
import {
  markFailed,
  type Span,
  SpanKind,
  startSpan,
  type TraceParent,
  traceParentOf,
} from '../../ground/tracing.ts';
import type { Aggregate } from './aggregate.ts';
import type { Decided } from './decide-round.ts';

/** The kind of a stream: its name without ids. */
const kindOf = <S, E extends DomainEvent>(aggregate: Aggregate<S, E>): string =>
  aggregate.stream('', 0).replace(/[-\d]+$/, '');

export const startCommand = <S, E extends DomainEvent>(aggregate: Aggregate<S, E>): Span => {
  const span = startSpan('command');
  if (span.isRecording()) span.updateName(`command ${kindOf(aggregate)}`);
  return span;
};

/** The two ends of a command, each of which ends its span. */
export const endsWith = <T extends { events: unknown[] }>(
  span: Span,
  resolve: (outcome: T) => void,
  reject: (error: unknown) => void,
) => ({
  resolve(outcome: T): void {
    span.setAttribute('letters.events', outcome.events.length);
    span.end();
    resolve(outcome);
  },
  reject(error: unknown): void {
    markFailed(span, error);
    span.end();
    reject(error);
  },
});

/** Appends what commands decided, in a span for each of them. `lot`: the commands, in the same order. */
export const inAppendSpans = async <E, T>(
  lot: readonly { span: Span }[],
  decided: readonly Decided<E>[],
  append: (writing: (Decided<E> & { traceparent: TraceParent | undefined })[]) => Promise<T>,
): Promise<T> => {
  const spans: Span[] = [];
  const writing = decided.flatMap((one, index) => {
    if (one.events.length === 0) return [];
    const command = lot[index]?.span;
    if (!command?.isRecording()) return [{ ...one, traceparent: undefined }];
    const span = startSpan('append', { kind: SpanKind.CLIENT, parent: command });
    spans.push(span);
    return [{ ...one, traceparent: traceParentOf(span) }];
  });
  for (const span of spans) {
    span.setAttributes({
      'db.operation.name': 'append',
      'db.operation.batch.size': writing.length,
    });
  }
  try {
    return await append(writing);
  } catch (error) {
    for (const span of spans) markFailed(span, error);
    throw error;
  } finally {
    for (const span of spans) span.end();
  }
};
