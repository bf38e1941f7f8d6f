/**
 * A process that wants to own `work` and, while it does, writes down who owns it: in a guarded transaction
 * as often as it can, and on its standard output after a check, ten times a second. Argument: the times of
 * leases, as JSON.
 */
import { randomUUID } from 'node:crypto';
import { type Lease, LeaseLost } from '../../events/lease.ts';
import { pause } from '../../ground/pause.ts';
import { createLeases } from '../../infra/postgres/leases.ts';
import { createReadDb } from '../../infra/postgres/read-db.ts';

const { DATABASE_URL: url = '' } = process.env;
const times = JSON.parse(process.argv[2] ?? '{}');
const db = createReadDb({ url, max: 3, applicationName: 'lease-worker', onError: () => {} });
let leases: Awaited<ReturnType<typeof createLeases>> | undefined;
while (!leases) leases = await createLeases({ db, url, times }).catch(() => undefined);
const say = (what: string, session: string): void => {
  process.stdout.write(`${JSON.stringify({ what, session, at: Date.now() })}\n`);
};

const writeEffects = async (lease: Lease, session: string): Promise<void> => {
  while (!lease.signal.aborted) {
    try {
      await db.transaction(async (tx) => {
        await lease.guard(tx);
        await tx.query('insert into effects (session) values ($1)', [session]);
      });
    } catch (error) {
      if (error instanceof LeaseLost) return;
    }
    await pause(5, lease.signal);
  }
};

const sayEffects = async (lease: Lease, session: string): Promise<void> => {
  while (!lease.signal.aborted) {
    try {
      await lease.check();
      say('did', session);
    } catch (error) {
      if (error instanceof LeaseLost) return;
    }
    await pause(100, lease.signal);
  }
};

process.on('disconnect', () => process.exit(0));
let current: Lease | undefined;
process.on('SIGTERM', async () => {
  await current?.release();
  process.exit(0);
});
for (;;) {
  const lease = await leases.own('work', new AbortController().signal);
  if (!lease) break;
  current = lease;
  const session = randomUUID();
  lease.signal.addEventListener('abort', () => say('lost', session));
  say('owns', session);
  // Tasks that hang in a query are left behind, as a follower leaves its tasks behind.
  void writeEffects(lease, session);
  void sayEffects(lease, session);
  await new Promise((resolve) => lease.signal.addEventListener('abort', resolve));
  await lease.release();
}
