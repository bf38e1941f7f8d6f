/** A pooler before PostgreSQL that lends a connection for one transaction, as PgBouncer does with `pool_mode = transaction`. */
import { connect, createServer, type Socket } from 'node:net';
import { freePort } from './free-port.ts';

const readyForQuery = 'Z'.charCodeAt(0);
const idle = 'I'.charCodeAt(0);

/** Whether a transaction has ended with these bytes: the last message is ReadyForQuery, outside of a transaction. */
const isEnded = (bytes: Buffer): boolean => bytes.at(-6) === readyForQuery && bytes.at(-1) === idle;

/** Each client logs in on a connection of its own, which then belongs to all. Sessions end with the pooler. */
export const startTransactionPooler = async (serverUrl: string) => {
  const target = new URL(serverUrl);
  const open = new Set<Socket>();
  const resting: Socket[] = [];
  const users = new Map<Socket, Socket>();

  const openServer = (): Socket => {
    const server = connect(Number(target.port), target.hostname);
    open.add(server);
    server.on('error', () => {});
    server.on('data', (bytes) => {
      const client = users.get(server);
      client?.write(bytes);
      if (!isEnded(bytes)) return;
      users.delete(server);
      resting.push(server);
    });
    return server;
  };

  const listener = createServer((client) => {
    open.add(client);
    client.on('error', () => {});
    let isNew = true;
    client.on('data', (bytes) => {
      // Terminate ends the client only.
      if (!isNew && bytes[0] === 'X'.charCodeAt(0)) return client.end();
      const lent = [...users].find(([, user]) => user === client)?.[0];
      const server = lent ?? (isNew ? openServer() : (resting.pop() ?? openServer()));
      isNew = false;
      users.set(server, client);
      server.write(bytes);
    });
  });
  const port = await freePort();
  await new Promise<void>((resolve) => listener.listen(port, '127.0.0.1', resolve));
  const url = new URL(serverUrl);
  url.host = `127.0.0.1:${port}`;
  return {
    url: url.href,
    async stop() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
};
