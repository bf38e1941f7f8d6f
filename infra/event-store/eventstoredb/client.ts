import { EventStoreDBClient } from '@eventstore/db-client';
import type { Log } from '../../../contract/log.ts';
import { within } from './calls.ts';
import { parseConnectionString } from './connection-string.ts';

/** @throws WrongConnectionString */
export function openClient(
  connectionString: string,
  log: Pick<Log, 'warn'>,
): { client: EventStoreDBClient; caller: string | undefined } {
  const { forClient, caller, unsent } = parseConnectionString(connectionString);
  if (unsent) {
    log.warn({}, 'EventStoreDB without TLS: the user and password are not sent to the server');
  }
  const client = EventStoreDBClient.connectionString(forClient);
  // Keeps client 6.2.1 off its batch call, in which one error rejects every append in flight and a late
  // answer ends the process. It asks for nothing else.
  Object.assign(client, { supports: async () => false });
  return { client, caller };
}

/** Cancels what is open and closes the connection, which the client itself has no call for. */
export async function releaseClient(client: EventStoreDBClient): Promise<void> {
  await within(5_000, client.dispose()).catch(() => {});
  // biome-ignore lint/complexity/useLiteralKeys: the way TypeScript offers to a protected member
  await within(1_000, client['getChannel']())
    .then((channel) => channel.close())
    .catch(() => {});
}
