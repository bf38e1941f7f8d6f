/** v) Offers, and accepting them, over HTTP: 100 accounts. */
import { type Connection, openConnection, postRequest } from './load/connection.ts';
import type { Options } from './options.ts';
import { print } from './printed.ts';
import { atLeast, formatTable, tenth, whole } from './report.ts';
import type { Outcome } from './scenarios.ts';
import { host, registerAccounts, startServiceProcess } from './service-process.ts';
import { startCluster } from './stage.ts';

const accounts = 100;

const requestOf = (path: string, body: object, key: string): Buffer =>
  postRequest(host, path, body, key);

type Measured = { perSecond: number; p50: number; p99: number };

/** Every connection asks again and again, until the time is over or `next` gives nothing. */
const during = async (
  connections: readonly Connection[],
  seconds: number,
  next: (connection: number) => Buffer | undefined,
  answered: (status: number, body: Buffer, connection: number) => void,
): Promise<Measured> => {
  const times: number[] = [];
  const began = performance.now();
  const until = began + seconds * 1_000;
  await Promise.all(
    connections.map(async (connection, n) => {
      for (;;) {
        const request = performance.now() < until ? next(n) : undefined;
        if (request === undefined) return;
        const at = performance.now();
        const { status, body } = await connection.ask(request);
        times.push(performance.now() - at);
        answered(status, body, n);
      }
    }),
  );
  const perSecond = (times.length * 1_000) / (performance.now() - began);
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;
  return { perSecond, p50: at(0.5), p99: at(0.99) };
};

export const runNegotiation = async ({
  seconds,
  warmUpSeconds,
  connections: count,
  cpuProfileDir,
}: Options): Promise<Outcome> => {
  await using stack = new AsyncDisposableStack();
  const cluster = await startCluster();
  stack.defer(() => cluster.stop());
  const settings = { LIMIT_RATE_PER_CREDENTIAL: '0', LIMIT_RATE_PER_ADDRESS: '0' };
  const keys = await registerAccounts(cluster.dataDir, accounts, settings);
  const service = await startServiceProcess(cluster.dataDir, cpuProfileDir, settings);
  stack.defer(() => service.stop());
  const connections = await Promise.all(
    Array.from({ length: count }, () => openConnection(host, service.port)),
  );
  stack.defer(() => {
    for (const connection of connections) connection.close();
  });

  const problems = new Set<string>();
  const offers: { id: string; key: string }[] = [];
  const keyOf = (n: number): string => keys[n % keys.length] ?? '';
  const wish = { intent: 'transactional', to_country: 'DE', pages: 2 };
  const makeOffers = (lasting: number) =>
    during(
      connections,
      lasting,
      (n) => requestOf('/api/anp/offer', wish, keyOf(n)),
      (status, body, n) => {
        const id = /"offer_id":"([^"]*)"/.exec(body.toString('latin1', 0, 100))?.[1];
        if (status === 200 && id !== undefined) offers.push({ id, key: keyOf(n) });
        else problems.add(`an offer: ${status} ${body.toString().slice(0, 200)}`);
      },
    );
  await makeOffers(warmUpSeconds);
  const offered = await makeOffers(seconds);
  const waiting = offers.slice();
  let accepted = 0;
  const accepting = await during(
    connections,
    seconds,
    () => {
      const offer = waiting.pop();
      if (!offer) return undefined;
      const body = { offer_id: offer.id, tier: 'standard', payment_method: 'fiat' };
      return requestOf('/api/anp/accept', body, offer.key);
    },
    (status, body) => {
      if (status === 201) accepted += 1;
      else problems.add(`an acceptance: ${status} ${body.toString().slice(0, 200)}`);
    },
  );
  print(
    formatTable({
      columns: ['what', 'per s', 'p50 ms', 'p99 ms'],
      rows: [
        ['offers', whole(offered.perSecond), tenth(offered.p50), tenth(offered.p99)],
        ['accept', whole(accepting.perSecond), tenth(accepting.p50), tenth(accepting.p99)],
      ],
    }),
  );
  print(`  ${offers.length} offers, ${accepted} accepted, each once`);
  return {
    targets: [
      atLeast('offers', 2_000, offered.perSecond, '/s'),
      atLeast('accept', 1_500, accepting.perSecond, '/s'),
    ],
    problems: [...problems],
  };
};
