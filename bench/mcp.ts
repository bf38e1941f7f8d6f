/** x) Calls over MCP beside the same calls over REST, on one service. */
import { during } from './during.ts';
import type { Options } from './options.ts';
import { atLeast, below, formatTable, type Target, tenth, whole } from './report.ts';
import { host, registerAccounts, startServiceProcess } from './service-process.ts';
import { startCluster } from './stage.ts';

const callers = 16;
const quoted = { to_country: 'DE', pages: 1 };
const revision = '2026-07-28';
const _meta = {
  'io.modelcontextprotocol/protocolVersion': revision,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
};
const message = (method: string, params: object = {}) => ({
  headers: { 'Mcp-Protocol-Version': revision, 'Mcp-Method': method },
  body: { ...{ jsonrpc: '2.0', id: 1, method }, params: { ...params, _meta } },
});

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
  const problems = new Set<string>();
  const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const answer = await fetch(`http://${host}:${service.port}${path}`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Authorization: `Bearer ${key}`,
        ...headers,
      },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok || text.includes('"isError":true'))
      problems.add(`${path}: ${text.slice(0, 200)}`);
  };
  const call = message('tools/call', { name: 'quote_letter', arguments: quoted });
  const list = message('tools/list');
  const work = {
    rest: () => post('/api/quote', quoted),
    call: () => post('/mcp', call.body, { ...call.headers, 'Mcp-Name': 'quote_letter' }),
    list: () => post('/mcp', list.body, list.headers),
  };
  for (const one of Object.values(work)) await during(callers, warmUpSeconds, one);
  const rest = await during(callers, seconds, work.rest);
  const mcp = await during(callers, seconds, work.call);
  const lists = await during(callers, seconds, work.list);
  console.log(
    formatTable({
      columns: ['what', 'per s', 'p50 ms'],
      rows: [
        ['POST /api/quote', whole(rest.perSecond), tenth(rest.p50)],
        ['tools/call quote_letter', whole(mcp.perSecond), tenth(mcp.p50)],
        ['tools/list', whole(lists.perSecond), tenth(lists.p50)],
      ],
    }),
  );
  const share = (mcp.perSecond / rest.perSecond) * 100;
  return {
    targets: [
      atLeast('x) quote_letter, of the throughput of REST', 60, share, ' %'),
      below('x) quote_letter, p50 above REST', 2, mcp.p50 - rest.p50, ' ms'),
      atLeast('x) tools/list', 2_000, lists.perSecond, '/s'),
    ],
    problems: [...problems],
  };
};
