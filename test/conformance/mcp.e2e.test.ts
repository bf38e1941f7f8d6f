import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { useService } from '../support/client.ts';
import { skip } from '../support/skip.ts';

/** A package of its own; `.ci/run` installs it. */
const folder = fileURLToPath(new URL('mcp', import.meta.url));
const installed = join(folder, 'node_modules');
const suite = (name: string) => join(installed, '@modelcontextprotocol', name, 'dist/index.js');
const inspector = join(installed, '.bin/mcp-inspector');

type Ended = { code: unknown; output: string };

const run = (program: string, args: readonly string[], cwd: string): Promise<Ended> =>
  new Promise((resolve) => {
    const env = { ...process.env, NO_COLOR: '1' };
    const options = { cwd, env, maxBuffer: 64 * 1024 * 1024 };
    execFile(process.execPath, [program, ...args], options, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    );
  });

describe('MCP, as its official suites and its inspector try it', function () {
  this.timeout(300_000);
  const { service, register } = useService({
    LIMIT_RATE_PER_ADDRESS: '0',
    LIMIT_REGISTRATIONS_PER_HOUR: '0',
    LIMIT_REGISTRATIONS_PER_DAY: '0',
    LIMIT_RATE_PER_CREDENTIAL: '0',
  });
  /** The suites take no other name: they try to rebind it. */
  const url = () => `${service().url.replace('127.0.0.1', 'localhost')}/mcp`;
  let work: string;

  before(async function () {
    if (!existsSync(installed)) {
      skip(this, 'test/conformance/mcp is not installed; .ci/run does it');
    }
    work = await mkdtemp(join(tmpdir(), 'letters-mcp-'));
  });
  after(async () => {
    if (work) await rm(work, { recursive: true, force: true });
  });

  const suites: [what: string, program: string, options: string[], baseline: string][] = [
    ['suite 0.1.16', suite('conformance'), [], 'baseline-0.1.16.yml'],
    ...['2025-11-25', '2026-07-28'].map((revision): [string, string, string[], string] => [
      `what ${revision} requires`,
      suite('conformance-next'),
      ['--requirements', revision],
      `baseline-${revision}.yml`,
    ]),
  ];
  for (const [what, program, options, baseline] of suites) {
    it(`passes ${what}, but for what the baseline names with its reason`, async () => {
      const expected = ['--expected-failures', join(folder, baseline)];
      const { code, output } = await run(
        program,
        ['server', '--url', url(), ...options, ...expected],
        work,
      );
      expect(code, output).to.equal(0);
    });
  }

  it('is listed and called by the inspector', async () => {
    const { key } = await register();
    const inspect = (...args: string[]): Promise<Ended> =>
      run(
        inspector,
        [
          '--cli',
          url(),
          '--transport',
          'http',
          '--header',
          `Authorization: Bearer ${key}`,
          ...args,
        ],
        work,
      );
    const call = (tool: string, ...args: string[]) =>
      inspect(
        '--method',
        'tools/call',
        '--tool-name',
        tool,
        ...args.flatMap((arg) => ['--tool-arg', arg]),
      );
    const listed = await inspect('--method', 'tools/list');
    expect(listed.code, listed.output).to.equal(0);
    expect(listed.output).to.contain('"send_letter"');
    const quoted = await call('quote_letter', 'to_country=US', 'pages=2');
    expect(quoted.code, quoted.output).to.equal(0);
    expect(quoted.output).to.contain('quote_id');
    const refused = await call('quote_letter', 'to_country=XX', 'pages=2');
    expect(refused.code, refused.output).to.equal(5);
  });
});
