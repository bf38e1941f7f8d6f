/** The resources of a rotation's steps: a connection of their own, the roots, and the key over them. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Client } from 'pg';
import type { Log } from '../../ground/log.ts';
import { openClient } from '../../infra/event-store/postgres/connection.ts';
import { unawareOf } from '../../infra/keys/follow-roots.ts';
import type { Roots } from '../../infra/keys/keyring.ts';
import { findProvider } from '../../infra/keys/providers/find-provider.ts';
import type { KeyProvider } from '../../infra/keys/providers/provider.ts';
import { openStoredRoots, readStoredRoots, type StoredRoots } from '../../infra/keys/root-table.ts';
import type { Config } from '../../service/config/config.ts';
import { openDerivedKeys } from '../../service/foundation/keys.ts';
import { type Print, Refused } from '../command.ts';
import { openStores } from '../open-stores.ts';

/** One rotation at a time. */
const lock = 7_305_513_271;

export type RotationState = { stored: StoredRoots; roots: Roots };

export type Session = {
  config: Config;
  client: Client;
  provider: KeyProvider;
  print: Print;
  /** The roots as they are now. */
  read(): Promise<RotationState>;
  /** Waits until every process knows the roots as they are. @throws Refused */
  untilKnown(): Promise<void>;
};

const lookMs = 200;

const waitForAll = async (client: Client, waitMs: number): Promise<void> => {
  const { version } = await readStoredRoots(client);
  const endMs = performance.now() + waitMs;
  for (;;) {
    const unaware = await unawareOf(client, version);
    if (unaware.length === 0) return;
    if (performance.now() > endMs) {
      const listed = unaware.map(
        ({ pid, from, since }) => `connection ${pid} from ${from}, open since ${since}`,
      );
      throw new Refused(
        `${unaware.length} processes do not know the new root: restart them with the key settings of this command, and repeat it (${listed.join('; ')})`,
      );
    }
    await wait(lookMs);
  }
};

const waitMs = 60_000;

/** @throws Refused while another rotation runs */
export const withSession = async <T>(
  config: Config,
  log: Log,
  print: Print,
  work: (session: Session) => Promise<T>,
): Promise<T> => {
  await using storage = await openStores(config, log);
  // Data of a version without roots gets its first one.
  await openDerivedKeys(config, log, storage);
  const provider = await findProvider(config);
  if (!provider) throw new Refused('there is no master key');
  const client = await openClient({ url: storage.url, applicationName: 'letters-rotate-master' });
  try {
    const { rows } = await client.query<{ locked: boolean }>(
      `select pg_try_advisory_lock(${lock}) as locked`,
    );
    if (!rows[0]?.locked) throw new Refused('another rotate-master is running');
    return await work({
      config,
      client,
      provider,
      print,
      async read() {
        const stored = await readStoredRoots(client);
        return { stored, roots: await openStoredRoots(provider, stored) };
      },
      untilKnown: () => waitForAll(client, waitMs),
    });
  } finally {
    await client.end();
  }
};
