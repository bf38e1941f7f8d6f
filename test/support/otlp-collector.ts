/** A collector that takes spans by OTLP over HTTP in protobuf, as `opentelemetry-proto` defines it, and keeps them. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

type SpanLink = { traceId: string; spanId: string };
export type ReceivedSpan = SpanLink & {
  parentId: string;
  name: string;
  attributes: Record<string, string | number | boolean>;
  links: SpanLink[];
  /** 2 is an error. */
  status: number;
};

type Field = { number: number; value: bigint | Buffer };

const varint = (bytes: Buffer, at: number): [bigint, number] => {
  let value = 0n;
  for (let shift = 0n, next = at; ; shift += 7n, next += 1) {
    const byte = bytes[next] ?? 0;
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return [value, next + 1];
  }
};

/** The fields of a message; numbers and nested messages alike are left as they are on the wire. */
const fieldsOf = (bytes: Buffer): Field[] => {
  const fields: Field[] = [];
  let at = 0;
  while (at < bytes.length) {
    const [tag, begin] = varint(bytes, at);
    const number = Number(tag >> 3n);
    const kind = Number(tag & 7n);
    if (kind === 0) {
      const [value, end] = varint(bytes, begin);
      fields.push({ number, value });
      at = end;
      continue;
    }
    const [size, start] = kind === 2 ? varint(bytes, begin) : [kind === 1 ? 8n : 4n, begin];
    at = start + Number(size);
    fields.push({ number, value: bytes.subarray(start, at) });
  }
  return fields;
};

const every = (bytes: Buffer, number: number): Buffer[] =>
  fieldsOf(bytes).flatMap((one) =>
    one.number === number && typeof one.value !== 'bigint' ? [one.value] : [],
  );
const first = (bytes: Buffer, number: number): Buffer => every(bytes, number)[0] ?? Buffer.of();
const hex = (bytes: Buffer, number: number): string => first(bytes, number).toString('hex');

const anyValue = (bytes: Buffer): string | number | boolean => {
  const [{ number, value } = { number: 0, value: 0n }] = fieldsOf(bytes);
  if (number === 1 && typeof value !== 'bigint') return value.toString('utf8');
  return number === 2 ? value === 1n : Number(value);
};

const attributesOf = (pairs: Buffer[]) =>
  Object.fromEntries(
    pairs.map((pair) => [first(pair, 1).toString('utf8'), anyValue(first(pair, 2))]),
  );

const linkOf = (bytes: Buffer): SpanLink => ({ traceId: hex(bytes, 1), spanId: hex(bytes, 2) });

const spanOf = (bytes: Buffer): ReceivedSpan => ({
  ...linkOf(bytes),
  parentId: hex(bytes, 4),
  name: first(bytes, 5).toString('utf8'),
  attributes: attributesOf(every(bytes, 9)),
  links: every(bytes, 13).map(linkOf),
  status: Number(fieldsOf(first(bytes, 15)).find(({ number }) => number === 3)?.value ?? 0n),
});

const spansIn = (body: Buffer): ReceivedSpan[] =>
  every(body, 1)
    .flatMap((resource) => every(resource, 2))
    .flatMap((scope) => every(scope, 2))
    .map(spanOf);

export const startOtlpCollector = async () => {
  const spans: ReceivedSpan[] = [];
  const bodies: Buffer[] = [];
  const requests: { path: string | undefined; headers: Record<string, unknown> }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    requests.push({ path: request.url, headers: request.headers });
    bodies.push(body);
    spans.push(...spansIn(body));
    response.writeHead(200, { 'Content-Type': 'application/x-protobuf' }).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    requests,
    /** Everything that was sent, to search in. */
    text: (): string => Buffer.concat(bodies).toString('latin1'),
    async stop(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

export type OtlpCollector = Awaited<ReturnType<typeof startOtlpCollector>>;
