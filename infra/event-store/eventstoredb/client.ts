import { readFileSync } from 'node:fs';
import { getCACertificates } from 'node:tls';
import { EventStoreDBClient, type NodePreference } from '@eventstore/db-client';
import type { Log } from '../../../ground/log.ts';
import { answerWithin } from './calls.ts';
import { type Connection, parseConnectionString } from './connection-string.ts';

/** Settings of the connection that are numbers. */
const numbers = [
  ...(['maxDiscoverAttempts', 'discoveryInterval', 'gossipTimeout', 'defaultDeadline'] as const),
  ...(['keepAliveInterval', 'keepAliveTimeout'] as const),
];

/** The usual certificate authorities: those of Node, and those that the machine trusts. */
const usualAuthorities = (): Buffer => {
  const all = new Set([...getCACertificates('default'), ...getCACertificates('system')]);
  return Buffer.from([...all].join('\n'));
};

function certificatesOf({ tls, options }: Connection) {
  if (!tls) return { insecure: true };
  const file = (name: 'tlsCAFile' | 'userCertFile' | 'userKeyFile'): Buffer | undefined => {
    const path = options.get(name);
    return path === undefined ? undefined : readFileSync(path);
  };
  const [userCertFile, userKeyFile] = [file('userCertFile'), file('userKeyFile')];
  return {
    rootCertificate: file('tlsCAFile') ?? usualAuthorities(),
    ...(userCertFile && userKeyFile ? { userCertFile, userKeyFile } : {}),
  };
}

function connect(connection: Connection): EventStoreDBClient {
  const { hosts, discovers, options, credentials } = connection;
  const set = numbers.filter((name) => options.has(name));
  const settings = Object.fromEntries(set.map((name) => [name, Number(options.get(name))]));
  const connectionName = options.get('connectionName');
  const preference = options.get('nodePreference') as NodePreference | undefined;
  const node = { ...settings, ...(connectionName ? { connectionName } : {}) };
  const search = { ...node, ...(preference ? { nodePreference: preference } : {}) };
  const certificates = certificatesOf(connection);
  const [first] = hosts;
  if (hosts.length > 1 || first === undefined) {
    return new EventStoreDBClient({ ...search, endpoints: hosts }, certificates, credentials);
  }
  return discovers
    ? new EventStoreDBClient({ ...search, discover: first }, certificates, credentials)
    : new EventStoreDBClient({ ...node, endpoint: first }, certificates, credentials);
}

/** @throws WrongConnectionString */
export function openClient(
  connectionString: string,
  log: Pick<Log, 'warn'>,
): { client: EventStoreDBClient; caller: string | undefined } {
  const connection = parseConnectionString(connectionString);
  if (connection.credentials && !connection.tls) {
    log.warn({}, 'EventStoreDB without TLS: the user and password are not sent to the server');
  }
  const client = connect(connection);
  // Keeps client 6.2.1 off its batch call, in which one error rejects every append in flight and a late
  // answer ends the process. It asks for nothing else.
  Object.assign(client, { supports: async () => false });
  return { client, caller: connection.caller };
}

/** Cancels open calls and closes the connection. The client itself has no function for this. */
export async function releaseClient(client: EventStoreDBClient): Promise<void> {
  await answerWithin(5_000, client.dispose()).catch(() => {});
  // biome-ignore lint/complexity/useLiteralKeys: the way TypeScript offers to a protected member
  await answerWithin(1_000, client['getChannel']())
    .then((channel) => channel.close())
    .catch(() => {});
}
