/** t) The statement of a wallet with 100,000 entries, as CSV. */
import { randomUUID } from 'node:crypto';
import { subjectOf } from '../events/data-keys.ts';
import { encodeEvent, eventHash } from '../events/envelope.ts';
import type { EventToAppend } from '../events/event-store.ts';
import type { WalletEvent } from '../events/wallet.ts';
import { createLogger } from '../infra/log.ts';
import { readConfig } from '../service/config/config.ts';
import { openFoundation } from '../service/run/foundation.ts';
import type { Options } from './options.ts';
import { print } from './printed.ts';
import { below, formatTable, megabytes, tenth, whole } from './report.ts';
import type { Outcome } from './scenarios.ts';
import { serverOn } from './sends.ts';
import {
  host,
  registerAccounts,
  startServiceProcess,
  waitUntilCaughtUp,
} from './service-process.ts';
import { startCluster } from './stage.ts';
import { untilCredentialed } from './verify-printed.ts';

/** As many as a statement may have. */
const entries = 100_000;
const atOnce = 1_000;
const rounds = 5;
const issuedWithinMs = 300_000;

/**
 * Credits of a cent each, with a sealed reference, after the existing events in the wallet of the only
 * account.
 */
const fillWallet = async (dataDir: string): Promise<void> => {
  const config = readConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'silent' });
  await using foundation = await openFoundation(config, createLogger({ level: 'silent' }));
  const { store } = foundation.storage;
  const opened = (await store.readAll({ after: 0n, limit: 100 })).find(
    ({ type }) => type === 'WalletOpened',
  );
  if (!opened) throw new Error('there is no wallet');
  const { stream } = opened;
  const key = await foundation.keys.dataKeys.get(subjectOf(stream));
  const before = await store.readStream(stream);
  const last = before.at(-1) ?? opened;
  let version = BigInt(before.length) - 1n;
  let prev = eventHash(last);
  for (let written = before.length - 1; written < entries; ) {
    const events: EventToAppend[] = [];
    const expected = version;
    for (; events.length < atOnce && written < entries; written++) {
      version += 1n;
      const id = randomUUID();
      const event: WalletEvent = {
        type: 'FundsCredited',
        data: { receipt: { method: 'operator', id }, bucket: 'fiat', amountMicro: 10_000 },
        personal: { reference: `invoice ${written}` },
      };
      const cause = { id, at: new Date().toISOString(), command: randomUUID(), actor: 'bench' };
      const { event: encoded, hash } = encodeEvent(event, { stream, version, prev }, cause, key);
      events.push(encoded);
      prev = hash;
    }
    await store.append(stream, expected, events);
  }
};

export const runStatements = async ({ cpuProfileDir }: Options): Promise<Outcome> => {
  const cluster = await startCluster();
  try {
    const [key = ''] = await registerAccounts(cluster.dataDir, 1);
    await fillWallet(cluster.dataDir);
    const service = await startServiceProcess(cluster.dataDir, cpuProfileDir);
    const server = await serverOn('letters', cluster, [key], service);
    const problems: string[] = [];
    const times: number[] = [];
    let bytes = 0;
    try {
      await waitUntilCaughtUp(service.port);
      // Signing this many events would take a core from the measurement.
      await untilCredentialed(server.admin, issuedWithinMs);
      for (let round = 0; round < rounds; round++) {
        const began = performance.now();
        const answer = await fetch(`http://${host}:${service.port}/api/balance/statement`, {
          headers: { Authorization: `Bearer ${key}` },
        });
        const text = await answer.text();
        times.push(performance.now() - began);
        bytes = text.length;
        // A heading, the opening and the closing balance, and nothing after the last line's end.
        const lines = text.split('\r\n').length - 4;
        if (lines !== entries)
          problems.push(`${answer.status}, ${lines} entries: ${text.slice(0, 200)}`);
      }
    } finally {
      await server.stop();
    }
    const median = times.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0;
    print(
      formatTable({
        columns: ['what', 'entries', 'size', 'median ms'],
        rows: [['GET /api/balance/statement', whole(entries), megabytes(bytes), tenth(median)]],
      }),
    );
    return { targets: [below('statement', 1_000, median, ' ms')], problems };
  } finally {
    await cluster.stop();
  }
};
