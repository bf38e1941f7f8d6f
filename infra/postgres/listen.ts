import { createConnection } from '../event-store/postgres/connection.ts';

const reconnectMs = 1_000;

/**
 * Calls `heard` at each notification of a channel, on a connection of its own that comes back by itself. After
 * each connect it is called as well, because notifications may have been lost before.
 */
export const listenTo = (options: {
  url: string;
  applicationName: string;
  channel: string;
  heard: () => void;
}): { stop(): Promise<void> } => {
  const connection = createConnection({
    url: options.url,
    applicationName: options.applicationName,
    patienceMs: 0,
    async onConnect(client) {
      client.on('notification', options.heard);
      await client.query(`listen ${options.channel}`);
      options.heard();
    },
  });
  const connect = (): void => void connection.get().catch(() => {});
  const timer = setInterval(connect, reconnectMs);
  connect();
  return {
    async stop(): Promise<void> {
      clearInterval(timer);
      await connection.close();
    },
  };
};
