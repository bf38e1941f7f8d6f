/**
 * Measures the service and its peers side by side on this machine. See `npm run bench -- --help`.
 * Exits with 1 when a run was not correct (a letter lost, doubled or charged wrongly); a figure that is
 * not reached is said, but is no failure.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../ground/message-of.ts';
import { runAppends } from './appends.ts';
import { runAudits } from './audits.ts';
import { runBurst } from './burst.ts';
import { runClients } from './clients.ts';
import { runArrivalRates, runConnections } from './connections.ts';
import { runContract } from './contracts.ts';
import { runCredentials } from './credentials.ts';
import { runEndToEnd } from './end-to-end.ts';
import { runEventStoreDb } from './eventstoredb.ts';
import { runGuards } from './guards.ts';
import { runIdle } from './idle.ts';
import { runKafka } from './kafka.ts';
import { runLists } from './lists.ts';
import { printMachine } from './machine.ts';
import { runMcp } from './mcp.ts';
import { runNegotiation } from './negotiation.ts';
import { type Benchmark, type Options, readOptions } from './options.ts';
import { performancePage } from './performance-page.ts';
import { openSection, printedSections } from './printed.ts';
import { runProcesses } from './processes.ts';
import { runProduction } from './production.ts';
import { runRendering } from './rendering.ts';
import { formatTargets, type Target } from './report.ts';
import { runScale } from './scale.ts';
import { type Outcome, runHotWallet, runManyAccounts, title } from './scenarios.ts';
import { cleanUp } from './stage.ts';
import { runStatements } from './statements.ts';
import { runUcans } from './ucans.ts';
import { runWebhooks } from './webhooks.ts';
import { runX402 } from './x402.ts';

const peersFolder = fileURLToPath(new URL('./peers', import.meta.url));

const installPeers = (): void => {
  if (existsSync(`${peersFolder}/node_modules`)) return;
  console.log('Installing the peers …\n');
  const args = ['ci', '--prefix', peersFolder, '--no-audit', '--no-fund'];
  const { status } = spawnSync('npm', args, {
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error('the peers could not be installed; try --no-peers');
};

const runAll = async (options: Options): Promise<Outcome> => {
  const outcome: Outcome = { targets: [], problems: [] };
  const add = ({ targets, problems }: Outcome): void => {
    outcome.targets.push(...targets);
    outcome.problems.push(...problems);
  };
  const { only } = options;
  if (only.has('a')) {
    title('a', `, a new stream each, 200 B of JSON, ${options.seconds} s`);
    add(await runAppends(options));
  }
  if (['b', 'd', 'e', 'm'].some((one) => only.has(one as Benchmark)))
    add(await runManyAccounts(options));
  if (only.has('c')) add(await runHotWallet(options));
  if (only.has('f')) {
    title('f', `, one core, ${options.seconds} s`);
    add(await runUcans(options));
  }
  if (only.has('g')) {
    title('g', ', with a slow and a healthy receiver');
    add(await runWebhooks());
  }
  if (only.has('h')) {
    title('h');
    add(await runAudits());
  }
  if (only.has('i')) {
    title('i', `, ${options.seconds} s`);
    add(await runCredentials(options));
  }
  if (only.has('j')) {
    title('j', `, ${options.seconds} s each`);
    add(await runRendering(options));
  }
  if (only.has('k')) {
    title('k');
    add(await runIdle());
  }
  if (only.has('l')) {
    title('l');
    add(await runLists(options));
  }
  if (only.has('n')) {
    title('n', ', text letters, hotfolder');
    add(await runProduction(options));
  }
  if (only.has('o')) {
    title('o', `, ${options.rate}/s for ${options.seconds} s, a window of 5 s`);
    add(await runEndToEnd(options));
  }
  if (only.has('p')) {
    title('p', `, ${options.due} of them, ${options.connections} connections`);
    add(await runBurst(options));
  }
  if (only.has('q')) {
    title('q', ', compared with a bare producer');
    add(await runKafka(options));
  }
  if (only.has('r') && options.eventStoreDb !== undefined) {
    title('r', `, ${options.connections} connections, ${options.seconds} s each`);
    add(await runEventStoreDb(options.eventStoreDb, options));
  }
  if (only.has('s')) {
    title('s', `, anvil that mines at once, ${options.seconds} s each`);
    add(await runX402(options));
  }
  if (only.has('t')) {
    title('t', ', 100,000 entries');
    add(await runStatements(options));
  }
  if (only.has('u')) {
    title('u');
    add(await runClients());
  }
  if (only.has('v')) {
    title('v', `, ${options.connections} connections, ${options.seconds} s each`);
    add(await runNegotiation(options));
  }
  if (only.has('w')) {
    title('w', `, ${options.connections} connections`);
    add(await runContract(options));
  }
  if (only.has('x')) {
    title('x', `, 16 callers, ${options.seconds} s each`);
    add(await runMcp(options));
  }
  if (only.has('y')) {
    title('y', `, ${options.seconds} s each`);
    add(await runConnections(options));
  }
  if (only.has('z')) {
    title('z', `, ${options.seconds} s each`);
    add(await runArrivalRates(options));
  }
  if (only.has('guards')) {
    title('guards', `, ${options.connections} connections, ${options.seconds} s each`);
    add(await runGuards(options));
  }
  if (only.has('processes')) {
    title('processes', `, ${options.connections} connections, ${options.seconds} s each`);
    add(await runProcesses(options));
  }
  if (only.has('scale')) {
    title('scale', `, ${options.connections} connections, ${options.seconds} s each`);
    add(await runScale(options));
  }
  return outcome;
};

const page = new URL('../docs/performance.md', import.meta.url);

const writePage = async (targets: Target[]): Promise<void> => {
  const [machine, ...sections] = printedSections();
  if (!machine) throw new Error('nothing was measured');
  const today = new Date().toISOString().slice(0, 10);
  await writeFile(page, performancePage(machine, sections, targets, today));
  console.log('\n  docs/performance.md is written.');
};

const main = async (options: Options): Promise<void> => {
  if (options.peers) installPeers();
  if (options.cpuProfileDir !== undefined) await mkdir(options.cpuProfileDir, { recursive: true });
  openSection('Machine');
  await printMachine();
  const { targets, problems } = await runAll(options);
  console.log(`\nTargets\n\n${formatTargets(targets)}`);
  if (problems.length === 0) {
    console.log('\n  Every acknowledged write exists once and was charged once.');
    if (options.write) await writePage(targets);
    return;
  }
  console.log(`\nNOT CORRECT\n\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  process.exitCode = 1;
};

let stoppedBy: NodeJS.Signals | undefined;
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.on(signal, () => {
    stoppedBy = signal;
    console.error(`Stopped by ${signal} before the end.`);
    // Work that is still running loses its database now. Its errors do not matter.
    process.on('uncaughtException', () => {});
    void cleanUp().finally(() => process.exit(code));
  });
}

try {
  const options = readOptions(process.argv.slice(2));
  if (options) {
    const { cpuProfileDir } = options;
    await main({ ...options, cpuProfileDir: cpuProfileDir && resolve(cpuProfileDir) });
  }
} catch (error) {
  if (stoppedBy === undefined) console.error(messageOf(error));
  process.exitCode = 1;
} finally {
  await cleanUp();
}
