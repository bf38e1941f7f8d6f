import { connect, createServer, type Socket } from 'node:net';
import { injected } from './injected.ts';

/**
 * The treatment of traffic: `pass` it on, `drop` it silently, `delay` it, `refuse` and cut every connection,
 * `half-close` the way to the client, or cut where the answer to an append would come back, so that it is
 * committed and nobody knows (`cut-after-append`).
 */
export type Mode = 'pass' | 'drop' | 'delay' | 'refuse' | 'half-close' | 'cut-after-append';

type Pair = { client: Socket; server: Socket; appending: boolean };

/** The name of the prepared statement, as PostgreSQL's Bind message has it. */
const appendMark = Buffer.from('\0append\0');

/** A TCP proxy in front of a PostgreSQL that a test makes misbehave. */
export const startTcpProxy = async (target: string, delayMs = 100) => {
  const { hostname, port } = new URL(target);
  const pairs = new Set<Pair>();
  let mode: Mode = 'pass';
  let cuts = 0;

  const cut = (pair: Pair): void => {
    pairs.delete(pair);
    pair.client.destroy();
    pair.server.destroy();
  };

  const forward = (to: Socket, chunk: Buffer): void => {
    if (mode === 'drop') return;
    if (mode === 'delay') setTimeout(() => to.writable && to.write(chunk), delayMs);
    else if (to.writable) to.write(chunk);
  };

  const proxy = createServer((client) => {
    if (mode === 'refuse') {
      client.destroy();
      return;
    }
    const server = connect(Number(port), hostname);
    const pair: Pair = { client, server, appending: false };
    pairs.add(pair);
    client.on('data', (chunk) => {
      if (chunk.includes(appendMark)) pair.appending = true;
      forward(server, chunk);
    });
    server.on('data', (chunk) => {
      if (mode === 'cut-after-append' && pair.appending) {
        cuts++;
        cut(pair);
        return;
      }
      pair.appending = false;
      forward(client, chunk);
    });
    for (const socket of [client, server]) {
      socket.on('error', () => cut(pair));
      socket.on('close', () => cut(pair));
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const address = proxy.address();
  const url = new URL(target);
  url.host = `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;

  return {
    url: url.href,
    /** Appends that were committed and whose answer was cut off. */
    cuts: (): number => cuts,
    set(next: Mode): void {
      mode = next;
      if (next !== 'pass') injected(`connection: ${next}`);
      if (next === 'refuse') for (const pair of [...pairs]) cut(pair);
      if (next === 'half-close') for (const { client } of pairs) client.end();
    },
    /** Cuts what stands now, however it is: new connections follow the mode. */
    cutAll(): void {
      injected('connection: cut');
      for (const pair of [...pairs]) cut(pair);
    },
    async stop(): Promise<void> {
      for (const pair of [...pairs]) cut(pair);
      await new Promise<void>((resolve) => proxy.close(() => resolve()));
    },
  };
};
