import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { OpenApi } from '../clients/generated.ts';
import { pythonProgram, smallestCalls } from '../clients/minimal-calls.ts';
import { fencesOf, root } from '../docs/guides.ts';
import { useService } from '../support/client.ts';
import { startPaidService } from '../support/evm/paid-service.ts';
import { paymentHeader, payTo } from '../support/evm/x402.ts';
import { skip } from '../support/skip.ts';
import { type Installed, installClient, sources } from './installed.ts';
import { findVenv } from './venv.ts';

/** Runs a program to its end. @throws Error with what it printed where it fails */
const ran = (program: string, args: string[], env: Record<string, string> = {}, cwd?: string) =>
  new Promise<string>((resolve, reject) => {
    const options = { cwd, env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env } };
    execFile(program, args, options, (error, stdout, stderr) =>
      error ? reject(new Error(`${args.at(-1)} failed:\n${stdout}${stderr}`)) : resolve(stdout),
    );
  });

const guides = ['clients/python/README.md', 'docs/clients.md'];

/** The runnable snippets of a guide. */
const snippetsIn = (guide: string) =>
  fencesOf(readFileSync(join(root, guide), 'utf8')).filter(
    ({ language, mark }) => `${language} ${mark}` === 'python run',
  );

const tests = join(import.meta.dirname, 'python');

/** Operations that answer pages for people alone: they have no method in Python. */
const pagesIn = ({ paths }: OpenApi): Set<string> => {
  const isPage = (status: string, content: object): boolean =>
    status.startsWith('2') &&
    Object.keys(content).length > 0 &&
    Object.keys(content).every((type) => type.startsWith('text/html'));
  return new Set(
    Object.values(paths)
      .flatMap((item) => Object.values(item))
      .filter(({ responses }) =>
        Object.entries(responses).some(([status, { content = {} }]) => isPage(status, content)),
      )
      .map(({ operationId }) => operationId),
  );
};

describe('the Python client, installed', function () {
  this.timeout(240_000);
  const api = useService({ ALLOW_PRIVATE_FETCH: 'true' });
  let frameworks: string | undefined;
  let installed: Installed | undefined;

  before(async function () {
    frameworks = await findVenv();
    if (frameworks === undefined) {
      return skip(this, 'its frameworks are not there; .ci/run fetches them');
    }
    installed = await installClient(frameworks);
  });
  after(() => installed?.remove());

  const python = (kind: 'bare' | 'full'): string => installed?.[kind] ?? '';
  const test = (name: string, kind: 'bare' | 'full', env: Record<string, string> = {}) =>
    ran(python(kind), ['-W', 'ignore', join(tests, `${name}_test.py`)], env);
  const caller = async () => ({
    SERVICE_URL: api.service().url,
    SERVICE_API_KEY: (await api.register()).key,
  });

  it('is whole, typed, without dependencies and small to import', () => test('package', 'bare'));

  it('tells what goes wrong by typed errors, and repeats only what is safe', () =>
    test('errors', 'bare'));

  it('pays once for a request, within its caps', () => test('payments', 'bare'));

  it('gives agents the tools that were chosen, and asks before it spends', () =>
    test('tools', 'bare'));

  for (const kind of ['bare', 'full'] as const) {
    it(`verifies webhooks, ${kind === 'bare' ? 'without' : 'with'} a crypto library`, () =>
      test('webhooks', kind));
  }

  it('does what the running service does', async () => test('service', 'full', await caller()));

  it('brings the tools to each framework, with an example that runs', async () =>
    test('adapters', 'full', { ...(await caller()), EXAMPLES: join(sources, 'examples') }));

  it('shares its frameworks with docs/mcp.md, whose agent works, and sends no letter that its program did not approve', async () => {
    const shown = fencesOf(readFileSync(join(root, 'docs/mcp.md'), 'utf8'));
    const text = shown.find(({ mark }) => mark === 'agent')?.text ?? '';
    expect(text).to.contain('https://letters.example/mcp');
    const folder = await mkdtemp(join(tmpdir(), 'letters-agent-'));
    try {
      const SNIPPET = join(folder, 'agent.py');
      await writeFile(SNIPPET, text.replace('https://letters.example', api.service().url));
      await test('mcp', 'full', { ...(await caller()), SNIPPET });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  for (const guide of guides) {
    it(`does what ${guide} shows`, async () => {
      const shown = snippetsIn(guide);
      expect(shown).to.not.have.length(0);
      await ran(python('bare'), ['-c', shown.map((one) => one.text).join('\n')], await caller());
    });
  }

  it('types every operation so that its smallest request, and what the guides show, pass mypy --strict', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'letters-mypy-'));
    try {
      const document = (await (await fetch(`${api.service().url}/openapi.json`)).json()) as OpenApi;
      delete document.paths['/mcp'];
      const pages = pagesIn(document);
      await writeFile(
        join(folder, 'calls.py'),
        pythonProgram(smallestCalls(document).filter(({ name }) => !pages.has(name))),
      );
      for (const [index, guide] of guides.entries()) {
        const shown = snippetsIn(guide);
        await writeFile(join(folder, `guide_${index}.py`), shown.map((one) => one.text).join('\n'));
      }
      const strict = ['--strict', '--python-executable', python('bare')];
      const cache = ['--cache-dir', join(frameworks ?? '', 'mypy-guides')];
      await ran(
        join(frameworks ?? '', 'bin', 'python'),
        ['-B', '-m', 'mypy', ...strict, ...cache, '.'],
        {},
        folder,
      );
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('passes mypy --strict and ruff', async () => {
    const check = (...args: string[]) =>
      ran(join(frameworks ?? '', 'bin', 'python'), ['-B', '-m', ...args], {}, sources);
    await check('mypy', '--cache-dir', join(frameworks ?? '', 'mypy'), 'src', 'examples');
    const settings = ['--no-cache', '--config', join(sources, 'pyproject.toml')];
    await check('ruff', 'check', ...settings, '.');
    // Imports of the project and others have another order here.
    await check('ruff', 'check', ...settings, '--ignore', 'I001', tests);
    await check('ruff', 'format', ...settings, '--check', '.', tests);
  });

  it('sends a letter that is paid by x402, once', async () => {
    const paid = await startPaidService();
    const wallet = await paid.chain.newPayer(50_000_000n);
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      response.end(await paymentHeader(wallet, JSON.parse(Buffer.concat(chunks).toString())));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const address = server.address();
      const port = typeof address === 'object' ? address?.port : 0;
      const env = { SERVICE_URL: paid.service.url, SIGNER_URL: `http://127.0.0.1:${port}` };
      const { total } = JSON.parse(await test('x402', 'bare', env)) as { total: number };
      const transfers = await paid.chain.received(payTo);
      expect(transfers.map(({ value }) => Number(value) / 1e6)).to.deep.equal([total]);
    } finally {
      server.close();
      await paid.stop();
    }
  });
});
