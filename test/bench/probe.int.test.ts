import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { probeArguments, startProbes, withProbe } from '../../bench/probe/probe.ts';
import { freshDatabase } from '../support/postgres.ts';

/** For each line that it reads, the program asks PostgreSQL twice and allocates 64 MB. */
const program = `
import { createInterface } from 'node:readline';
import pg from 'pg';
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
await pool.query('select 0');
console.log('ready');
for await (const line of createInterface({ input: process.stdin })) {
  await pool.query({ name: 'numbered', text: 'select $1::int', values: [1] });
  await pool.query('select 2');
  for (let n = 0; n < 8_192; n++) new Array(1_024).fill(n);
  console.log('done');
}
await pool.end();`;

describe('the probe of the benchmark in a process', function () {
  this.timeout(180_000);

  it('counts statements and allocated bytes between two moments', async () => {
    const { url, drop } = await freshDatabase();
    const folder = await mkdtemp(join(tmpdir(), 'letters-probe-'));
    const settings = withProbe(folder);
    const args = [...probeArguments(settings), '--input-type=module', '-e', program];
    const child = spawn(process.execPath, args, {
      cwd: new URL('../..', import.meta.url),
      env: { ...process.env, ...settings, DATABASE_URL: url },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    try {
      await once(child.stdout, 'data');
      const probes = await startProbes(folder, child.pid ?? 0, { detail: false });
      child.stdin.write('work\n');
      await once(child.stdout, 'data');
      const [report] = await probes.stop();
      expect(report?.statements).to.deep.equal({ numbered: 1, 'select 2': 1 });
      // Sampled every 256 kB.
      expect(report?.allocatedBytes).to.be.within(32_000_000, 256_000_000);
    } finally {
      child.stdin.end();
      await once(child, 'exit');
      await rm(folder, { recursive: true });
      await drop();
    }
  });
});
