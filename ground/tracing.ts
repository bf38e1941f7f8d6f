/**
 * Spans of OpenTelemetry, by its API alone. Without an SDK (`infra/tracing`) nothing is recorded, and a span costs
 * less than a microsecond. Names and attributes are the program's own words: nothing of a letter, an address, a
 * credential or a URL. Errors are named by their type, because their messages may quote what a caller sent.
 */
import {
  type Attributes,
  type Context,
  context,
  type Link,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';

export { type Span, SpanKind } from '@opentelemetry/api';

/** Where a span belongs in a trace, as the W3C header `traceparent` writes it. */
export type TraceParent = string;

type About = {
  kind?: SpanKind;
  attributes?: Attributes;
  /** The span that it is a part of. Absent: the running one. `none`: it begins a trace. */
  parent?: Span | 'none' | undefined;
  links?: Link[];
};

const tracer = trace.getTracer('letters');
const header = 'traceparent';
const plainWord = /^[\w.-]{1,64}$/;

const parentOf = ({ parent }: About): Context => {
  if (parent === 'none') return ROOT_CONTEXT;
  return parent ? trace.setSpan(ROOT_CONTEXT, parent) : context.active();
};

/** A span that does not run anything: the caller ends it. */
export const startSpan = (name: string, about: About = {}): Span =>
  tracer.startSpan(name, about, parentOf(about));

const errorType = (error: unknown): string => {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  const word = [code, name].find((one) => typeof one === 'string' && plainWord.test(one));
  return (word as string | undefined) ?? 'Error';
};

/** Marks the work of a span as failed. */
export const markFailed = (span: Span, error: unknown): void => {
  if (!span.isRecording()) return;
  span.setAttribute('error.type', errorType(error));
  span.setStatus({ code: SpanStatusCode.ERROR });
};

/** Runs `work` in a span, which ends with it. Errors of `work` are thrown on. */
export const inSpan = async <T>(
  name: string,
  about: About,
  work: (span: Span) => Promise<T> | T,
): Promise<T> => {
  const outer = parentOf(about);
  const span = tracer.startSpan(name, about, outer);
  try {
    return await context.with(trace.setSpan(outer, span), () => work(span));
  } catch (error) {
    markFailed(span, error);
    throw error;
  } finally {
    span.end();
  }
};

/** The context that a caller sends in `traceparent`. Its `tracestate` is text of others and is left out. */
const contextOf = (parent: TraceParent | undefined): Context =>
  propagation.extract(ROOT_CONTEXT, parent, {
    keys: () => [header],
    get: (carrier, key) => (key === header ? carrier : undefined),
  });

/** Runs the request of a caller in a span, as a part of the trace that the caller names. */
export const inRequestSpan = <T>(
  traceparent: string | string[] | undefined,
  work: (span: Span) => Promise<T> | T,
): Promise<T> => {
  const parent = typeof traceparent === 'string' ? traceparent : undefined;
  return context.with(contextOf(parent), () => inSpan('request', { kind: SpanKind.SERVER }, work));
};

/** The name of a span for other processes. Undefined where it is not recorded. */
export const traceParentOf = (span: Span | undefined): TraceParent | undefined => {
  if (!span?.isRecording()) return undefined;
  const carrier: { value?: string } = {};
  propagation.inject(trace.setSpan(ROOT_CONTEXT, span), carrier, {
    set(to, key, value) {
      if (key === header) to.value = value;
    },
  });
  return carrier.value;
};

/** How others name the running span. */
export const runningTraceParent = (): TraceParent | undefined =>
  traceParentOf(trace.getActiveSpan());

/** The trace of the running span, for log lines. */
export const runningTraceId = (): string | undefined => {
  const span = trace.getActiveSpan();
  return span?.isRecording() ? span.spanContext().traceId : undefined;
};

/** Links to spans, each once, without texts that are no trace context. */
export const linksTo = (parents: Iterable<TraceParent | undefined>): Link[] => {
  const links: Link[] = [];
  for (const parent of new Set(parents)) {
    const found = parent === undefined ? undefined : trace.getSpanContext(contextOf(parent));
    if (found) links.push({ context: found });
  }
  return links;
};
