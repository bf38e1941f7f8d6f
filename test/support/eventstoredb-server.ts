import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import gossipGrpc from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import gossipPb from '@eventstore/db-client/generated/gossip_pb.js';
import featuresGrpc from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import featuresPb from '@eventstore/db-client/generated/serverfeatures_pb.js';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import streamsGrpc from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type * as streams from '@eventstore/db-client/generated/streams_pb.js';
import {
  Metadata,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerReadableStream,
  type ServiceError,
  type sendUnaryData,
  status,
} from '@grpc/grpc-js';
import type { ProposedEvent } from './eventstoredb-log.ts';
import { type EventStoreDbLog, openLog } from './eventstoredb-log.ts';
import {
  appendExpected,
  appendResponse,
  batchExpected,
  batchResponse,
  nameOf,
  proposedEvent,
} from './eventstoredb-messages.ts';
import { answerRead, type ReadCall, serveSubscription } from './eventstoredb-read.ts';

/** What goes wrong. Counters count down with each call that they hit. */
export type Faults = {
  /** The append is stored, its reply never comes (the caller meets its deadline). */
  dropAppendReplies: number;
  /** The append is stored, then every connection is reset. */
  resetAfterAppends: number;
  /** The append is stored, the reply says that the commit timed out. */
  timeOutAppends: number;
  /** Nothing is stored, the reply is UNAVAILABLE. */
  unavailableAppends: number;
  /** Nothing is stored, the reply names another leader (this same server). */
  notLeaderAppends: number;
  /** Reads, and subscriptions at their start, that are answered UNAVAILABLE. */
  unavailableReads: number;
  /** Reads that never answer. */
  hangingReads: number;
  /** Delay of every append before it is stored. */
  delayMs: number;
  /** Stream reads carry no log positions, as on old servers. */
  hidePositions: boolean;
};

export type EventStoreDbServer = {
  connectionString: string;
  faults: Faults;
  log: EventStoreDbLog;
  /** How often each call was made. */
  calls: { append: number; batchAppend: number; read: number; subscribe: number };
  /** Most appends that were in progress at once. */
  readonly peakAppends: number;
  /** Resets every TCP connection. */
  resetConnections(): void;
  /** Ends every subscription with status OK, without an error. */
  endSubscriptions(): void;
  close(): Promise<void>;
};

const noFaults = (): Faults => ({
  dropAppendReplies: 0,
  resetAfterAppends: 0,
  timeOutAppends: 0,
  unavailableAppends: 0,
  notLeaderAppends: 0,
  unavailableReads: 0,
  hangingReads: 0,
  delayMs: 0,
  hidePositions: false,
});

type Counter = { [K in keyof Faults]: Faults[K] extends number ? K : never }[keyof Faults];

/**
 * A stand-in for an EventStoreDB server: the real gRPC protocol over a real socket, insecure, one
 * node, for the unmodified client. Not for production: the log is in memory, `dataFile` is unsynced.
 */
export async function startEventStoreDbServer(
  options: { port?: number; dataFile?: string } = {},
): Promise<EventStoreDbServer> {
  const log = openLog(options.dataFile);
  const faults = noFaults();
  const calls = { append: 0, batchAppend: 0, read: 0, subscribe: 0 };
  const sockets = new Set<Socket>();
  const subscriptions = new Set<ReadCall>();
  let [appends, peakAppends, port] = [0, 0, options.port ?? 0];

  const hit = (fault: Counter) => {
    if (faults[fault] <= 0) return false;
    faults[fault] -= 1;
    return true;
  };
  const resetConnections = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };

  /** Stores the append and answers, unless a fault has it otherwise. */
  async function append<R>(
    store: () => R,
    reply: (error: Partial<ServiceError> | null, response?: R) => void,
  ) {
    appends += 1;
    peakAppends = Math.max(peakAppends, appends);
    try {
      if (faults.delayMs > 0) await sleep(faults.delayMs);
      if (hit('unavailableAppends')) return reply(unavailable());
      if (hit('notLeaderAppends')) return reply(notLeader(port));
      const response = store();
      if (hit('dropAppendReplies')) return;
      if (hit('resetAfterAppends')) return resetConnections();
      if (hit('timeOutAppends')) return reply({ code: status.ABORTED, details: 'commit timeout' });
      reply(null, response);
    } finally {
      appends -= 1;
    }
  }

  function classicAppend(
    call: ServerReadableStream<streams.AppendReq, streams.AppendResp>,
    reply: sendUnaryData<streams.AppendResp>,
  ): void {
    calls.append += 1;
    let header: streams.AppendReq.Options | undefined;
    const events: ProposedEvent[] = [];
    call.on('error', () => {});
    call.on('data', (request: streams.AppendReq) => {
      header ??= request.getOptions();
      const message = request.getProposedMessage();
      if (message !== undefined) events.push(proposedEvent(message));
    });
    call.on('end', () => {
      if (header === undefined || call.cancelled) return;
      const [stream, expected] = [nameOf(header.getStreamIdentifier()), appendExpected(header)];
      void append(() => appendResponse(log.append(stream, expected, events), expected), reply);
    });
  }

  function batchAppend(
    call: ServerDuplexStream<streams.BatchAppendReq, streams.BatchAppendResp>,
  ): void {
    const open = new Map<
      string,
      { header: streams.BatchAppendReq.Options; events: ProposedEvent[] }
    >();
    call.on('error', () => {});
    call.on('end', () => call.end());
    call.on('data', (request: streams.BatchAppendReq) => {
      const correlation = request.getCorrelationId();
      const id = correlation?.getString() ?? '';
      const header = open.get(id)?.header ?? request.getOptions();
      if (header === undefined) return;
      const events = open.get(id)?.events ?? [];
      events.push(...request.getProposedMessagesList().map(proposedEvent));
      open.set(id, { header, events });
      if (!request.getIsFinal()) return;
      open.delete(id);
      calls.batchAppend += 1;
      const [stream, expected] = [nameOf(header.getStreamIdentifier()), batchExpected(header)];
      const store = () => batchResponse(log.append(stream, expected, events), expected, stream);
      void append(store, (error, response) => {
        if (error !== null) call.emit('error', error);
        else if (response !== undefined) call.write(response.setCorrelationId(correlation));
      });
    });
  }

  async function read(call: ReadCall): Promise<void> {
    call.on('error', () => {});
    const request = call.request.getOptions();
    if (request === undefined) return void call.emit('error', { code: status.INVALID_ARGUMENT });
    const subscribes = request.hasSubscription();
    calls[subscribes ? 'subscribe' : 'read'] += 1;
    if (hit('unavailableReads')) return void call.emit('error', unavailable());
    if (hit('hangingReads')) return;
    if (!subscribes) return answerRead(log, call, request, faults);
    subscriptions.add(call);
    await serveSubscription(log, call, request);
    subscriptions.delete(call);
  }

  const server = new Server({ 'grpc.max_receive_message_length': 17 * 1024 * 1024 });
  server.addService(streamsGrpc.StreamsService, {
    append: classicAppend,
    batchAppend,
    read: (call: ReadCall) => void read(call),
    delete: unimplemented,
    tombstone: unimplemented,
  });
  server.addService(featuresGrpc.ServerFeaturesService, {
    getSupportedMethods: (_: unknown, reply: sendUnaryData<unknown>) => reply(null, supported()),
  });
  server.addService(gossipGrpc.GossipService, {
    read: (_: unknown, reply: sendUnaryData<unknown>) => reply(null, members(port)),
  });

  // The sockets are ours, so that a test can reset them.
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  const listener = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    injector.injectConnection(socket);
  });
  port = await listen(listener, port);

  return {
    connectionString: `esdb://127.0.0.1:${port}?tls=false`,
    faults,
    log,
    calls,
    get peakAppends() {
      return peakAppends;
    },
    resetConnections,
    endSubscriptions: () => {
      for (const call of subscriptions) call.end();
    },
    close: async () => {
      // Sockets first: a session that is destroyed while its socket goes away never comes to rest.
      const closed = new Promise((resolve) => listener.close(resolve));
      resetConnections();
      await closed;
      server.forceShutdown();
    },
  };
}

function listen(listener: ReturnType<typeof createServer>, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    listener.once('error', reject);
    listener.listen(port, '127.0.0.1', () => {
      const address = listener.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

const unavailable = () => ({ code: status.UNAVAILABLE, details: 'Server Is Too Busy' });

function notLeader(port: number): Partial<ServiceError> {
  const metadata = new Metadata();
  metadata.set('exception', 'not-leader');
  metadata.set('leader-endpoint-host', '127.0.0.1');
  metadata.set('leader-endpoint-port', `${port}`);
  return { code: status.NOT_FOUND, details: 'Leader info available', metadata };
}

function unimplemented(_: unknown, reply: sendUnaryData<unknown>): void {
  reply({ code: status.UNIMPLEMENTED, details: 'not part of the stand-in' });
}

function supported() {
  const methods = new featuresPb.SupportedMethods().setEventStoreServerVersion('23.10.0');
  for (const method of ['append', 'batchappend', 'read']) {
    const supportedMethod = new featuresPb.SupportedMethod().setMethodName(method);
    methods.addMethods(supportedMethod.setServiceName('event_store.client.streams.streams'));
  }
  return methods;
}

function members(port: number) {
  const member = new gossipPb.MemberInfo().setIsAlive(true);
  member.setInstanceId(new sharedPb.UUID().setString('00000000-0000-4000-8000-000000000001'));
  member.setState(gossipPb.MemberInfo.VNodeState.LEADER);
  member.setHttpEndPoint(new gossipPb.EndPoint().setAddress('127.0.0.1').setPort(port));
  return new gossipPb.ClusterInfo().setMembersList([member]);
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { port: { type: 'string', default: '2113' }, 'data-file': { type: 'string' } },
  });
  const server = await startEventStoreDbServer({
    port: Number(values.port),
    dataFile: values['data-file'],
  });
  console.log(server.connectionString);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void server.close().then(() => process.exit(0)));
  }
}
