/** A client of Kafka whose connections can be cut all at once. */
import { createRequire } from 'node:module';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { type ISocketFactoryArgs, Kafka, logLevel, type SASLOptions } from 'kafkajs';

export type KafkaServer = {
  /** `host:port`; one that answers is enough to find the others. */
  brokers: string[];
  /** Absent: in clear. Without `ca`: the authorities that the system trusts. */
  tls?: { ca?: string; cert?: string; key?: string };
  /** Absent: anonymous, or by the certificate of `tls`. */
  sasl?: {
    mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
    username: string;
    password: string;
  };
};

type RequestQueue = { pending: unknown[]; scheduleCheckPendingRequests(): void };

/**
 * kafkajs 2.2.4 wakes every connection each millisecond, also when nothing waits, by a timer of a negative
 * time, of which Node warns (tulios/kafkajs#1704, #1751). It needs to look only while requests wait.
 */
const calmRequestQueues = (): void => {
  const require = createRequire(import.meta.url);
  const { prototype }: { prototype: RequestQueue } = require('kafkajs/src/network/requestQueue');
  const schedule = prototype.scheduleCheckPendingRequests;
  prototype.scheduleCheckPendingRequests = function scheduleWhileWaiting() {
    if (this.pending.length > 0) schedule.call(this);
  };
};
calmRequestQueues();

const keepAliveMs = 60_000;

/** kafkajs ends a broker's host at the first colon, so an IPv6 address gets a name by which it is found again. */
const nameIpv6 = (brokers: readonly string[]) => {
  const addresses = new Map<string, string>();
  const named = brokers.map((broker) => {
    const [, address, port] = /^\[(.+)\]:(\d+)$/.exec(broker) ?? [];
    if (address === undefined) return broker;
    const name = `${address.replaceAll(':', '-')}.invalid`;
    addresses.set(name, address);
    return `${name}:${port}`;
  });
  return { named, addressOf: (host: string): string => addresses.get(host) ?? host };
};

const openSocket = ({ host, port, ssl, onConnect }: ISocketFactoryArgs): Socket => {
  const tls = ssl as ConnectionOptions | undefined;
  if (!tls) return connectTcp({ host, port }, onConnect);
  const name = isIP(host) ? {} : { servername: host };
  return connectTls({ host, port, ...name, ...tls }, onConnect);
};

/** `cut`: ends its connections at once; what it still tries fails. */
export const openKafkaClient = ({ brokers, tls, sasl }: KafkaServer) => {
  const sockets = new Set<Socket>();
  let cut = false;
  const { named, addressOf } = nameIpv6(brokers);
  const kafka = new Kafka({
    clientId: 'letters',
    brokers: named,
    ...(tls ? { ssl: tls } : {}),
    ...(sasl ? { sasl: sasl as SASLOptions } : {}),
    connectionTimeout: 5_000,
    authenticationTimeout: 5_000,
    requestTimeout: 10_000,
    retry: { retries: 3, initialRetryTime: 100, maxRetryTime: 1_000 },
    // The user of the client reports a failure once, and not at each retry.
    logLevel: logLevel.NOTHING,
    socketFactory(args) {
      if (cut) throw new Error('the client was closed');
      const socket = openSocket({ ...args, host: addressOf(args.host) })
        .setKeepAlive(true, keepAliveMs)
        .setNoDelay(true);
      sockets.add(socket);
      return socket.once('close', () => sockets.delete(socket));
    },
  });
  return {
    kafka,
    cut(): void {
      cut = true;
      for (const socket of sockets) socket.destroy(new Error('the connection was closed'));
    },
  };
};
