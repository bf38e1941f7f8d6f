/** l) Lists with filters over the letters of many accounts, in every state. */
import { randomBytes, randomUUID } from 'node:crypto';
import { encodeEvent } from '../events/envelope.ts';
import type { EventToAppend } from '../events/event-store.ts';
import { type LetterEvent, letterStream } from '../events/letter.ts';
import { createLogger } from '../infra/log.ts';
import { readConfig } from '../service/config/config.ts';
import type { Foundation } from '../service/foundation/wing.ts';
import { openFoundation } from '../service/run/foundation.ts';
import { samplePersonal, sampleTerms } from '../test/support/letter-samples.ts';
import type { Options } from './options.ts';
import { print } from './printed.ts';
import { below, formatTable, type Target } from './report.ts';
import { runLoad } from './run-load.ts';
import { failuresOf, loadColumns, loadRow, serverOn } from './sends.ts';
import {
  host,
  registerAccounts,
  startServiceProcess,
  waitUntilCaughtUp,
} from './service-process.ts';
import { startCluster } from './stage.ts';

const accountsOfAll = 1_000;
const lettersOfAll = 100_000;
const parallel = 512;
const p99Ms = 20;
const afterAllMs = 86_400_000 * 365;

const places = [
  { country: 'DE', service: 'de_standardbrief' },
  { country: 'FR', service: 'fr_lettre_suivie' },
  { country: 'US', service: 'us_first_class' },
] as const;

/** The history of letter `n`: a tenth waits, a tenth was cancelled, the rest is under way or arrived. */
const laterEvents = (n: number): LetterEvent[] => {
  const source = 'partner' as const;
  const started: LetterEvent = {
    type: 'LetterProcessingStarted',
    data: { partner: 'hotfolder', jobId: `job-${n}`, source },
  };
  if (n % 10 === 0) return [];
  if (n % 10 === 1) return [{ type: 'LetterCancelled', data: { from: 'queued' } }];
  if (n % 10 === 2) return [started];
  return [started, { type: 'LetterPosted', data: { source } }];
};

const writeLetter = async (
  { storage: { store }, keys: { dataKeys, indexOf } }: Foundation,
  accountId: string,
  n: number,
): Promise<void> => {
  const stream = letterStream(randomUUID());
  const key = await dataKeys.create(stream);
  const reference = `invoice ${n % 50}`;
  const metadata = { batch: String(n % 20) };
  const at = new Date(Date.now() - (lettersOfAll - n) * 1_000).toISOString();
  const queued: LetterEvent = {
    type: 'LetterQueued',
    data: {
      terms: sampleTerms({
        accountId,
        ...(places[n % places.length] ?? places[0]),
        referenceHash: indexOf('reference', reference),
        metadataHashes: [indexOf('metadata', `batch\n${metadata.batch}`)],
      }),
      attemptId: randomUUID(),
      requestHash: randomBytes(32).toString('base64url'),
      cancellableUntil: new Date(Date.now() + afterAllMs).toISOString(),
      releaseAt: new Date(Date.now() + afterAllMs).toISOString(),
    },
    personal: samplePersonal({ reference, metadata }),
  };
  const events: EventToAppend[] = [];
  let prev = '';
  for (const [version, event] of [queued, ...laterEvents(n)].entries()) {
    const place = { stream, version: BigInt(version), prev };
    const cause = { id: randomUUID(), at, command: randomUUID(), actor: 'bench' };
    const { event: encoded, hash } = encodeEvent(event, place, cause, key);
    events.push(encoded);
    prev = hash;
  }
  await store.append(stream, 'no-stream', events);
};

const accountIdsOf = async ({ storage }: Foundation): Promise<string[]> => {
  const { rows } = await storage.readDb.query<{ stream: string }>(
    "select distinct stream from event_log.events where stream like 'account-%'",
  );
  return rows.map(({ stream }) => stream.slice('account-'.length));
};

const writeLetters = async (dataDir: string): Promise<void> => {
  const config = readConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'silent' });
  await using foundation = await openFoundation(config, createLogger({ level: 'silent' }));
  const accounts = await accountIdsOf(foundation);
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < lettersOfAll) {
      const n = next++;
      await writeLetter(foundation, accounts[n % accounts.length] ?? '', n);
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
};

const lists: Record<string, string[]> = {
  'no filter': ['/api/letters'],
  'one state': ['/api/letters?status=queued', '/api/letters?status=cancelled'],
  'several states': ['/api/letters?status=queued&status=processing'],
  'country, service': ['/api/letters?country=FR', '/api/letters?service=us_first_class'],
  reference: ['/api/letters?reference=invoice%207'],
  metadata: ['/api/letters?metadata[batch]=7', '/api/letters?metadata[batch]=7&status=posted'],
  time: ['/api/letters?created_before=2030-01-01T00:00:00Z&limit=100'],
  notifications: ['/api/notifications', '/api/notifications?limit=100'],
  'counts by state': ['/api/letters/counts'],
};

export const runLists = async (
  options: Options,
): Promise<{ targets: Target[]; problems: string[] }> => {
  const cluster = await startCluster();
  const keys = await registerAccounts(cluster.dataDir, accountsOfAll);
  await writeLetters(cluster.dataDir);
  const process = await startServiceProcess(cluster.dataDir, undefined, {
    ROLES: 'write-api,read-api,projections',
  });
  const server = await serverOn('letters', cluster, keys, process);
  const targets: Target[] = [];
  const problems: string[] = [];
  const rows: string[][] = [];
  try {
    await waitUntilCaughtUp(process.port);
    await server.admin.query('vacuum analyze');
    for (const [name, paths] of Object.entries(lists)) {
      const plan = {
        host,
        port: process.port,
        keys,
        // Few at once: the benchmark judges a list, not a queue of them.
        connections: 4,
        warmUpSeconds: 1,
        seconds: Math.min(options.seconds, 5),
        work: { kind: 'list' as const, paths },
      };
      const observed = await runLoad(plan, { serverPid: process.pid, admin: server.admin });
      rows.push(loadRow(name, observed));
      problems.push(...failuresOf(`lists, ${name}`, observed));
      targets.push(below(`l) list, ${name}, p99`, p99Ms, observed.latency.p99, ' ms'));
    }
  } finally {
    await server.stop();
  }
  print(formatTable({ columns: loadColumns, rows }));
  return { targets, problems };
};
