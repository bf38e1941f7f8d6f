/** Where spans are exported to. The names are those of OpenTelemetry. */
import type { SpanExport } from '../../../infra/tracing/export-spans.ts';
import { endpoint, orFail, text } from '../config-parsers.ts';
import { group, plain, secret, stated } from '../group.ts';

/** `name=value,…`, the values percent-encoded. */
const headersIn = (list: string): Record<string, string> | undefined => {
  try {
    const pairs = list.split(',').map((pair) => /^\s*([\w-]+)\s*=(.*)$/s.exec(pair));
    if (pairs.includes(null)) return undefined;
    return Object.fromEntries(
      pairs.map((pair) => [pair?.[1] ?? '', decodeURIComponent(pair?.[2]?.trim() ?? '')]),
    );
  } catch {
    return undefined;
  }
};

const ratioIn = (value: string): number | undefined => {
  const ratio = Number(value);
  return value !== '' && ratio >= 0 && ratio <= 1 ? ratio : undefined;
};

export const tracing = group({
  settings: {
    OTEL_EXPORTER_OTLP_ENDPOINT: plain(
      endpoint,
      'exports spans to this OpenTelemetry collector, by OTLP over HTTP at `/v1/traces`; absent: no spans, see [Tracing](#tracing)',
    ),
    OTEL_EXPORTER_OTLP_HEADERS: secret(
      orFail(headersIn, 'must be name=value, with commas between, values percent-encoded'),
      '`name=value,…`: headers for the collector, such as a token; values percent-encoded',
    ),
    OTEL_SERVICE_NAME: plain(text, '`letters`', 'name of the service in spans'),
    OTEL_TRACES_SAMPLER_ARG: plain(
      orFail(ratioIn, 'must be a number from 0 to 1'),
      '1',
      'ratio of traces that are recorded, from 0 to 1, whatever the caller decided for its own',
    ),
  },
  read: (set): { tracing: SpanExport | undefined } => ({
    tracing: set.OTEL_EXPORTER_OTLP_ENDPOINT
      ? {
          endpoint: set.OTEL_EXPORTER_OTLP_ENDPOINT,
          headers: set.OTEL_EXPORTER_OTLP_HEADERS ?? {},
          serviceName: set.OTEL_SERVICE_NAME ?? 'letters',
          ratio: set.OTEL_TRACES_SAMPLER_ARG ?? 1,
        }
      : undefined,
  }),
  describe: ({ tracing: found }) => [
    stated(
      'spans',
      found,
      found ? `to ${new URL(found.endpoint).host}` : '',
      'not exported (OTEL_EXPORTER_OTLP_ENDPOINT)',
    ),
  ],
});
