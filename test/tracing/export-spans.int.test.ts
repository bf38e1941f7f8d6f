import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { type OtlpCollector, startOtlpCollector } from '../support/otlp-collector.ts';

const run = promisify(execFile);

/** A process of its own, because the SDK is set up once in a process. */
const programOf = (endpoint: string, ratio: number, until: string): string => `
  import { exportSpans } from './infra/tracing/export-spans.ts';
  import { createLogger } from './infra/log.ts';
  import { inSpan, runningTraceParent } from './ground/tracing.ts';
  const told = Promise.withResolvers();
  const log = createLogger({ level: 'info' }, {
    write(line) {
      process.stdout.write(line);
      if (line.includes('${until}')) told.resolve();
    },
  });
  const to = { endpoint: '${endpoint}', headers: {}, serviceName: 'letters', ratio: ${ratio} };
  const stop = exportSpans(to, { version: '1', roles: ['write-api'] }, log);
  await inSpan('outer', {}, async () => {
    log.info({ parent: runningTraceParent() }, 'inside');
    await inSpan('inner', {}, () => {
      throw Object.assign(new TypeError('told by the caller'), { code: 'bad code' });
    }).catch(() => {});
  });
  log.info({}, 'outside');
  const alive = setInterval(() => {}, 1_000);
  await told.promise;
  clearInterval(alive);
  await stop();
`;

/** Its log. It stops when it has logged `until`. */
const logOf = async (
  endpoint: string,
  { ratio = 1, until = 'outside' } = {},
): Promise<Record<string, string>[]> => {
  const args = ['--input-type=module', '--eval', programOf(endpoint, ratio, until)];
  const { stdout } = await run(process.execPath, args, { cwd: new URL('../..', import.meta.url) });
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
};

describe('a process that exports spans', function () {
  this.timeout(180_000);
  let collector: OtlpCollector;
  beforeEach(async () => {
    collector = await startOtlpCollector();
  });
  afterEach(() => collector.stop());

  it('exports what it has when it stops, and names an error by its type alone', async () => {
    await logOf(collector.url);
    const inner = collector.spans.find(({ name }) => name === 'inner');
    const outer = collector.spans.find(({ name }) => name === 'outer');
    expect(inner?.parentId).to.equal(outer?.spanId);
    expect(inner).to.deep.include({ status: 2, attributes: { 'error.type': 'TypeError' } });
    expect(collector.text()).to.not.include('told by the caller');
  });

  it('names the trace in its log lines', async () => {
    const [inside, outside] = await logOf(collector.url);
    const traceId = collector.spans[0]?.traceId;
    expect(inside?.trace_id).to.equal(traceId);
    expect(inside?.parent).to.match(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
    expect(outside).to.not.have.property('trace_id');
  });

  it('records the configured ratio of traces', async () => {
    const [inside] = await logOf(collector.url, { ratio: 0 });
    expect(inside).to.not.have.any.keys('trace_id', 'parent');
    expect(collector.requests).to.deep.equal([]);
  });

  it('goes on without its collector, and says so', async () => {
    await collector.stop();
    const lines = await logOf(collector.url, { until: 'the collector takes no spans' });
    const messages = ['inside', 'outside', 'the collector takes no spans'];
    expect(lines.map(({ message }) => message)).to.deep.equal(messages);
    collector = await startOtlpCollector();
  });
});
