/**
 * x) Calls over MCP, compared with the same calls over REST, on one service. They take turns, so that other
 * load of the machine affects both alike. The CPU cost of a call to the service hardly depends on such load.
 */
import { during, p50 } from './during.ts';
import { type Connection, openConnection } from './load/connection.ts';
import type { Options } from './options.ts';
import { print } from './printed.ts';
import { cpuMs } from './process-stats.ts';
import { atLeast, below, formatTable, type Target, tenth, whole } from './report.ts';
import { host, registerAccounts, startServiceProcess } from './service-process.ts';
import { startCluster } from './stage.ts';

const callers = 16;
/** Windows of each kind of call. */
const turns = 5;
const quoted = { to_country: 'DE', pages: 1 };
const revision = '2026-07-28';
const _meta = {
  'io.modelcontextprotocol/protocolVersion': revision,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
};

type Call = { path: string; body: object; headers?: Record<string, string> };

const message = (method: string, params: Record<string, unknown> = {}): Call => ({
  path: '/mcp',
  headers: {
    'Mcp-Protocol-Version': revision,
    'Mcp-Method': method,
    ...(typeof params.name === 'string' ? { 'Mcp-Name': params.name } : {}),
  },
  body: { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } },
});

const calls = {
  rest: { path: '/api/quote', body: quoted },
  call: message('tools/call', { name: 'quote_letter', arguments: quoted }),
  list: message('tools/list'),
} satisfies Record<string, Call>;
type Kind = keyof typeof calls;
const kinds = Object.keys(calls) as Kind[];

const requestOf = ({ path, body, headers = {} }: Call, key: string): Buffer => {
  const text = JSON.stringify(body);
  const head = Object.entries({
    Host: host,
    Authorization: `Bearer ${key}`,
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(text)),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from([`POST ${path} HTTP/1.1`, ...head, '', text].join('\r\n'));
};

type Measured = { perSecond: number[]; p50: number[]; cpuMs: number; count: number };

export const runMcp = async ({
  seconds,
  warmUpSeconds,
  cpuProfileDir,
}: Options): Promise<{ targets: Target[]; problems: string[] }> => {
  await using stack = new AsyncDisposableStack();
  const cluster = await startCluster();
  stack.defer(() => cluster.stop());
  const [key = ''] = await registerAccounts(cluster.dataDir, 1);
  const service = await startServiceProcess(cluster.dataDir, cpuProfileDir);
  stack.defer(() => service.stop());
  const connections = await Promise.all(
    Array.from({ length: callers }, () => openConnection(host, service.port)),
  );
  stack.defer(() => {
    for (const connection of connections) connection.close();
  });
  const problems = new Set<string>();
  const refused = Buffer.from('"isError":true');
  const asks = (kind: Kind) => {
    const request = requestOf(calls[kind], key);
    return async (caller: number): Promise<void> => {
      const { status, body } = await (connections[caller] as Connection).ask(request);
      if (status >= 300 || body.includes(refused)) {
        problems.add(`${calls[kind].path}: ${status} ${body.toString('utf8', 0, 200)}`);
      }
    };
  };

  const usedMs = (): number => cpuMs(service.process.pid ?? 0) ?? Number.NaN;
  const measured = (): Measured => ({ perSecond: [], p50: [], cpuMs: 0, count: 0 });
  const results = { rest: measured(), call: measured(), list: measured() };
  const measure = async (kind: Kind): Promise<void> => {
    const before = usedMs();
    const { perSecond, p50, count } = await during(callers, seconds / turns, asks(kind));
    const result = results[kind];
    result.cpuMs += usedMs() - before;
    result.count += count;
    result.perSecond.push(perSecond);
    result.p50.push(p50);
  };
  for (const kind of kinds) await during(callers, warmUpSeconds, asks(kind));
  for (let turn = 0; turn < turns; turn++) for (const kind of kinds) await measure(kind);

  const { rest, call, list } = results;
  const row = (what: string, { perSecond, p50: halves, cpuMs, count }: Measured): string[] => [
    what,
    whole(p50(perSecond)),
    tenth(p50(halves)),
    (cpuMs / count).toFixed(2),
  ];
  print(
    formatTable({
      columns: ['what', 'per s', 'p50 ms', 'CPU ms'],
      rows: [
        row('POST /api/quote', rest),
        row('tools/call quote_letter', call),
        row('tools/list', list),
      ],
    }),
  );
  print(
    `  Medians of ${turns} windows each, in turns; CPU of the service and its background process for one call.`,
  );
  /** Of adjacent windows. */
  const pairs = (of: (mcp: number, rest: number) => number, what: 'perSecond' | 'p50'): number =>
    p50(call[what].map((value, turn) => of(value, rest[what][turn] ?? Number.NaN)));
  return {
    targets: [
      atLeast(
        'x) quote_letter, of the throughput of REST',
        60,
        pairs((mcp, beside) => (mcp / beside) * 100, 'perSecond'),
        ' %',
      ),
      below(
        'x) quote_letter, p50 above REST',
        2,
        pairs((a, b) => a - b, 'p50'),
        ' ms',
      ),
      atLeast('x) tools/list', 2_000, p50(list.perSecond), '/s'),
    ],
    problems: [...problems],
  };
};
