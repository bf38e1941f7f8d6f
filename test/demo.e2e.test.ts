import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { startEventStoreDbServer } from './support/eventstoredb-server.ts';
import { freePort } from './support/free-port.ts';

const root = join(import.meta.dirname, '..');

const runDemo = async (more: Record<string, string>) => {
  const { DATABASE_URL: _, BASE_URL: __, ...rest } = process.env;
  const env = { ...rest, PORT: String(await freePort()), ...more };
  const child = spawn(process.execPath, [join(root, 'service/demo/main.ts')], { env, cwd: root });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const [code] = await once(child, 'close');
  return { code: code as number | null, output };
};

const assertWholeWay = async (output: string): Promise<void> => {
  expect(output).to.match(/^service {3}http:\/\/localhost:\d+ \(started for this demo\)\n/);
  const statuses = [...output.matchAll(/Z {2}(\w+) +by (\w+)/g)].map(([, status]) => status);
  expect(statuses).to.deep.equal(['queued', 'processing', 'posted', 'in_transit', 'delivered']);
  const balances = [...output.matchAll(/^balance {3}(\$\S+)/gm)].map(([, balance]) => balance);
  const price = Number(/^quote {5}\$(\S+)/m.exec(output)?.[1]);
  expect(price).to.be.greaterThan(0);
  expect(balances).to.deep.equal(['$100.00', '$100.00', `$${(100 - price).toFixed(2)}`]);
  const pdf = /^pdf {7}(\S+\.pdf) \(pages: 1, sheets: 1\)$/m.exec(output)?.[1] ?? '';
  const bytes = await readFile(pdf, 'latin1');
  await rm(dirname(pdf), { recursive: true });
  expect(bytes.slice(0, 5)).to.equal('%PDF-');
  expect(bytes.match(/\/Type \/Page\b(?!s)/g)).to.have.length(1);
};

describe('npm run demo', function () {
  this.timeout(180_000);

  it("shows a letter's whole way and leaves the PDF", async () => {
    const { code, output } = await runDemo({});
    expect(code, output).to.equal(0);
    await assertWholeWay(output);
  });

  it('does the same on EventStoreDB', async () => {
    const server = await startEventStoreDbServer();
    const { code, output } = await runDemo({
      EVENT_STORE: 'eventstoredb',
      EVENTSTORE_URL: server.connectionString,
    });
    await server.close();
    expect(code, output).to.equal(0);
    await assertWholeWay(output);
    expect(server.calls.append).to.be.greaterThan(4);
  });

  it('says in one line why it cannot start', async () => {
    const { code, output } = await runDemo({ EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: '' });
    expect(code).to.equal(1);
    expect(output).to.equal(
      'The demo failed: EVENTSTORE_URL must be set because EVENT_STORE is eventstoredb\n',
    );
  });
});
