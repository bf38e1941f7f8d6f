/** The SDK of OpenTelemetry, which is loaded by this file alone. Exports spans to a collector by OTLP over HTTP. */
import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { endsWithin } from '../../ground/deadline.ts';
import { createIncident } from '../../ground/incident.ts';
import type { Log } from '../../ground/log.ts';

export type SpanExport = {
  /** Base address of the collector, to which `/v1/traces` is added. */
  endpoint: string;
  headers: Record<string, string>;
  serviceName: string;
  /** Of traces, from 0 to 1. */
  ratio: number;
};

type TroubleLog = Pick<Log, 'warn' | 'error'>;

const exportEveryMs = 1_000;
const maxQueueSize = 8_192;
const flushMs = 2_000;
/** Of an export, with its retries. */
const timeoutMillis = 5_000;
/** A batch of the log is linked to the trace of each of its events. */
const linkCountLimit = 1_024;

/** Says in the log when the collector takes no spans. */
const reporting = (exporter: SpanExporter, log: TroubleLog): SpanExporter => {
  const incident = createIncident(log, {});
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.code === ExportResultCode.SUCCESS) incident.over();
        else incident.report(result.error, 'the collector takes no spans');
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
};

/** Records spans from now on. @returns ends it, after a moment for the spans that are not exported yet */
export const exportSpans = (
  { endpoint, headers, serviceName, ratio }: SpanExport,
  process: { version: string; roles: readonly string[] },
  log: TroubleLog,
): (() => Promise<void>) => {
  const sampled = new TraceIdRatioBasedSampler(ratio);
  const url = `${endpoint.replace(/\/$/, '')}/v1/traces`;
  const exporter = reporting(new OTLPTraceExporter({ url, headers, timeoutMillis }), log);
  const provider = new TracerProvider({
    // The caller names a trace; whether it is recorded is decided here.
    sampler: new ParentBasedSampler({
      root: sampled,
      remoteParentSampled: sampled,
      remoteParentNotSampled: sampled,
    }),
    spanLimits: { linkCountLimit },
    // Named one by one: detectors would add command lines and host names.
    resource: resourceFromAttributes({
      'service.name': serviceName,
      'service.version': process.version,
      'letters.roles': [...process.roles],
    }),
    spanProcessors: [
      new BatchSpanProcessor({ exporter, scheduledDelayMillis: exportEveryMs, maxQueueSize }),
    ],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  return async () => {
    await endsWithin(
      flushMs,
      provider.shutdown().catch(() => {}),
    );
    trace.disable();
    propagation.disable();
    context.disable();
  };
};
