import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer as createTlsServer, TLSSocket } from 'node:tls';
import { parseArgs } from 'node:util';
import gossipGrpc from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import gossipPb from '@eventstore/db-client/generated/gossip_pb.js';
import featuresGrpc from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import featuresPb from '@eventstore/db-client/generated/serverfeatures_pb.js';
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import streamsGrpc from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type * as streams from '@eventstore/db-client/generated/streams_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import {
  type Metadata,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerReadableStream,
  type ServerUnaryCall,
  type sendUnaryData,
} from '@grpc/grpc-js';
import { type AppendAnswer, createAppends } from './eventstoredb-append.ts';
import {
  accessDenied,
  compressed,
  invalidRequest,
  notLeader,
  notReady,
  type ServerError,
  streamDeleted,
  tooBusy,
  unauthenticated,
} from './eventstoredb-errors.ts';
import { type Counter, type Faults, noFaults } from './eventstoredb-faults.ts';
import { type EventStoreDbLog, openLog, type ProposedEvent } from './eventstoredb-log.ts';
import {
  appendExpected,
  appendResponse,
  batchExpected,
  batchResponse,
  nameOf,
  proposedEvent,
} from './eventstoredb-messages.ts';
import {
  answerRead,
  isSearch,
  isServerVersion,
  type ReadCall,
  type ServerVersion,
  serverVersions,
  serveSubscription,
} from './eventstoredb-read.ts';
import { refusedCall, type Users } from './eventstoredb-rights.ts';
import { injected } from './injected.ts';

export type EventStoreDbServer = {
  connectionString: string;
  port: number;
  faults: Faults;
  log: EventStoreDbLog;
  /** How often each call was made. */
  calls: { append: number; batchAppend: number; read: number; subscribe: number };
  /** Most appends that were in progress at once. */
  readonly peakAppends: number;
  /** Common names of the certificates that users showed. */
  certificates: string[];
  /** Resets every TCP connection. */
  resetConnections(): void;
  /** Ends every subscription with status OK, without an error. */
  endSubscriptions(): void;
  /** Becomes a follower of another node, or with nothing the leader again. */
  follow(leader?: { host: string; port: number }): void;
  /** The last `records` events of the log are gone, as after an older backup; connections are reset. */
  loseTail(records: number): void;
  /** Another, empty log is behind the same address; connections are reset. */
  replaceLog(): void;
  close(): Promise<void>;
};

export type ServerOptions = {
  port?: number;
  dataFile?: string;
  appendsPerStatsEvent?: number;
  /** The version whose answers it gives (default 24.10.14). */
  version?: ServerVersion;
  /** Absent: insecure, one node, everybody may do everything. `ca`: of the certificates of users. */
  tls?: { cert: string; key: string; ca?: string };
  users?: Users;
  maxAppendSize?: number;
  commitMs?: number;
  commitTimeoutMs?: number;
};

const mebibyte = 1_048_576;

/** A stream read with `requires-leader` goes to the leader only. */
const wantsLeader = (metadata: Metadata): boolean => metadata.get('requires-leader')[0] === 'true';

/**
 * A stand-in for an EventStoreDB server: the real gRPC protocol over a real socket, for the unmodified
 * client. Its answers are compared with those of real servers
 * (`test/contract/eventstoredb-answers.int.test.ts`). Not for production: the log is in memory, `dataFile` is
 * unsynced.
 */
export async function startEventStoreDbServer(
  options: ServerOptions = {},
): Promise<EventStoreDbServer> {
  const { version = '24.10.14', tls, users } = options;
  const isNewest = version === '26.0.3';
  const { maxAppendSize = isNewest ? 16 * mebibyte : mebibyte } = options;
  const { commitMs = 1, commitTimeoutMs = 2_000 } = options;
  const log = openLog(options.dataFile, options.appendsPerStatsEvent);
  const faults = noFaults();
  const calls = { append: 0, batchAppend: 0, read: 0, subscribe: 0 };
  const sockets = new Set<Socket>();
  const subscriptions = new Set<ReadCall>();
  let leader: { host: string; port: number } | undefined;
  let port = options.port ?? 0;

  const hit = (fault: Counter) => {
    if (faults[fault] <= 0) return false;
    faults[fault] -= 1;
    injected(`EventStoreDB: ${fault}`);
    return true;
  };
  const resetConnections = () => {
    // A TLS socket has no reset of its own.
    for (const socket of sockets) {
      if (socket instanceof TLSSocket) socket.destroy();
      else socket.resetAndDestroy();
    }
  };
  const itself = () => ({ host: '127.0.0.1', port });
  const appends = createAppends({
    log,
    faults,
    hit,
    resetConnections,
    maxAppendSize,
    commitMs,
    commitTimeoutMs,
    leader: () => leader ?? itself(),
  });

  /** Why a call of any kind is not taken. */
  const refused = (metadata: Metadata, what: 'stream' | 'all'): ServerError | undefined => {
    if (hit('notReadyCalls')) return notReady();
    if (hit('unauthenticatedCalls')) return unauthenticated();
    const denied = refusedCall(users, metadata, what);
    if (denied) return denied;
    return leader && wantsLeader(metadata) ? notLeader(leader) : undefined;
  };

  function classicAppend(
    call: ServerReadableStream<streams.AppendReq, streams.AppendResp>,
    reply: sendUnaryData<streams.AppendResp>,
  ): void {
    calls.append += 1;
    const refusal = refused(call.metadata, 'stream');
    if (refusal) {
      reply(refusal);
      return;
    }
    let header: streams.AppendReq.Options | undefined;
    const events: ProposedEvent[] = [];
    call.on('error', () => {});
    call.on('data', (request: streams.AppendReq) => {
      header ??= request.getOptions();
      const message = request.getProposedMessage();
      if (message !== undefined) events.push(proposedEvent(message));
      if (message !== undefined && hit('resetAmidAppends')) {
        header = undefined;
        resetConnections();
      }
    });
    call.on('end', async () => {
      // The end of a call that the client broke off comes a little before the news that it was broken off.
      await turns();
      if (header === undefined || call.cancelled) return;
      const [stream, expected] = [nameOf(header.getStreamIdentifier()), appendExpected(header)];
      const respond = (answer: AppendAnswer) => {
        if (answer === 'silence') return;
        if ('outcome' in answer) return reply(null, appendResponse(answer.outcome, expected));
        if ('failure' in answer) return reply(answer.failure);
        reply(isNewest ? compressed(answer.error) : answer.error);
      };
      void appends.answer({ stream, expected, events }).then(respond);
    });
  }

  function batchAppend(
    call: ServerDuplexStream<streams.BatchAppendReq, streams.BatchAppendResp>,
  ): void {
    type Open = { header: streams.BatchAppendReq.Options; events: ProposedEvent[] };
    const open = new Map<string, Open>();
    call.on('error', () => {});
    call.on('end', () => call.end());
    call.on('data', (request: streams.BatchAppendReq) => {
      const refusal = refused(call.metadata, 'stream');
      if (refusal) return void call.emit('error', refusal);
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
      const respond = (answer: AppendAnswer) => {
        if (answer === 'silence') return;
        if ('failure' in answer) return void call.emit('error', answer.failure);
        const outcome = 'outcome' in answer ? answer.outcome : answer.refusal;
        call.write(batchResponse(outcome, expected, stream).setCorrelationId(correlation));
      };
      void appends.answer({ stream, expected, events }).then(respond);
    });
  }

  async function read(call: ReadCall): Promise<void> {
    call.on('error', () => {});
    const fail = (error: ServerError) => void call.emit('error', error);
    const request = call.request.getOptions();
    if (request === undefined) return fail(invalidRequest());
    const subscribes = request.hasSubscription();
    calls[subscribes ? 'subscribe' : 'read'] += 1;
    const refusal = refused(call.metadata, request.hasAll() ? 'all' : 'stream');
    if (refusal) return fail(refusal);
    if (hit('unavailableReads')) return fail(tooBusy());
    if (hit('hangingReads')) return;
    if (request.hasAll() && hit('deniedReads')) return fail(accessDenied());
    const { hidePositions, searchMs } = faults;
    if (searchMs > 0 && isSearch(request)) await sleep(searchMs);
    if (!subscribes) return answerRead(log, call, request, { hidePositions, version });
    subscriptions.add(call);
    await serveSubscription(log, call, request, version);
    subscriptions.delete(call);
  }

  type Removal = streams.DeleteReq | streams.TombstoneReq;
  const removing =
    <R>(remove: (stream: string) => void, response: () => R) =>
    (call: ServerUnaryCall<Removal, R>, reply: sendUnaryData<R>): void => {
      const stream = nameOf(call.request.getOptions()?.getStreamIdentifier());
      const denied = refused(call.metadata, 'stream');
      const refusal = denied ?? (log.isDeleted(stream) ? streamDeleted(stream) : undefined);
      if (refusal === undefined) remove(stream);
      reply(refusal ?? null, refusal ? undefined : response());
    };

  const server = new Server({ 'grpc.max_receive_message_length': 17 * 1024 * 1024 });
  server.addService(streamsGrpc.StreamsService, {
    append: classicAppend,
    batchAppend,
    read: (call: ReadCall) => void read(call),
    // Ignores the expected revision of the stream.
    delete: removing(log.delete, () => new streamsPb.DeleteResp()),
    tombstone: removing(log.tombstone, () => new streamsPb.TombstoneResp()),
  });
  server.addService(featuresGrpc.ServerFeaturesService, {
    getSupportedMethods: (_: unknown, reply: sendUnaryData<unknown>) =>
      reply(null, supported(version)),
  });
  server.addService(gossipGrpc.GossipService, {
    read: (_: unknown, reply: sendUnaryData<unknown>) => reply(null, members(itself(), leader)),
  });

  // The sockets are ours, so that a test can reset them.
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  const certificates: string[] = [];
  const onConnection = (socket: Socket) => {
    const shown = socket instanceof TLSSocket ? socket.getPeerCertificate().subject?.CN : undefined;
    if (shown !== undefined) certificates.push(String(shown));
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    injector.injectConnection(socket);
  };
  const listener = tls
    ? createTlsServer(
        { ...tls, ALPNProtocols: ['h2'], requestCert: true, rejectUnauthorized: false },
        onConnection,
      )
    : createServer(onConnection);
  port = await listen(listener, port);

  return {
    connectionString: `esdb://127.0.0.1:${port}?tls=${tls !== undefined}`,
    port,
    faults,
    log,
    calls,
    certificates,
    get peakAppends() {
      return appends.peak();
    },
    resetConnections,
    endSubscriptions: () => {
      for (const call of subscriptions) call.end();
    },
    follow: (other) => {
      leader = other;
    },
    loseTail: (records) => {
      log.loseTail(records);
      resetConnections();
    },
    replaceLog: () => {
      log.replace();
      resetConnections();
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

/** Two turns of the event loop. */
const turns = async (): Promise<void> => {
  for (let n = 0; n < 2; n += 1) await new Promise((resolve) => setImmediate(resolve));
};

function listen(listener: ReturnType<typeof createServer>, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    listener.once('error', reject);
    listener.listen(port, '127.0.0.1', () => {
      const address = listener.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

const features: Record<string, string[]> = {
  append: [],
  batchappend: ['deadline_duration'],
  delete: [],
  read: ['position', 'events'],
  tombstone: [],
};

function supported(version: ServerVersion) {
  const said = version === '26.0.3' ? '26.0.0-prerelease' : version;
  const methods = new featuresPb.SupportedMethods().setEventStoreServerVersion(said);
  for (const [name, list] of Object.entries(features)) {
    const method = new featuresPb.SupportedMethod().setMethodName(name).setFeaturesList(list);
    methods.addMethods(method.setServiceName('event_store.client.streams.streams'));
  }
  return methods;
}

type Endpoint = { host: string; port: number };

function members(itself: Endpoint, leader: Endpoint | undefined) {
  const { LEADER, FOLLOWER } = gossipPb.MemberInfo.VNodeState;
  const member = ({ host, port }: Endpoint, isLeader: boolean) =>
    new gossipPb.MemberInfo()
      .setIsAlive(true)
      .setInstanceId(
        new sharedPb.UUID().setString(`00000000-0000-4000-8000-${`${port}`.padStart(12, '0')}`),
      )
      .setState(isLeader ? LEADER : FOLLOWER)
      .setHttpEndPoint(new gossipPb.EndPoint().setAddress(host).setPort(port));
  const list = leader ? [member(itself, false), member(leader, true)] : [member(itself, true)];
  return new gossipPb.ClusterInfo().setMembersList(list);
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '2113' },
      'data-file': { type: 'string' },
      as: { type: 'string', default: '24.10.14' },
    },
  });
  if (!isServerVersion(values.as)) throw new Error(`--as must be one of ${serverVersions}`);
  const server = await startEventStoreDbServer({
    port: Number(values.port),
    dataFile: values['data-file'],
    version: values.as,
  });
  console.log(server.connectionString);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void server.close().then(() => process.exit(0)));
  }
}
