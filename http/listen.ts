import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  ServerResponse,
} from 'node:http';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { drainBody } from './drain-body.ts';
import {
  answerMalformed,
  answerRefused,
  unknownExpectation,
  withoutHost,
} from './refuse-unread.ts';

/** An application, such as one of Koa. */
export type Served = { callback(): RequestListener };

type Listening = {
  /** `http://127.0.0.1:<port>` or the host that was bound. */
  url: string;
  port: number;
  /** Accepts nothing more, lets answers in flight end, then resolves; after `stopMs` it cuts. */
  stop(): Promise<void>;
};

export type ListenOptions = {
  host?: string;
  /** A whole request must have arrived within this time, otherwise the answer is 408. Default 30 s. */
  requestTimeoutMs?: number;
  /** Its headers within this. Default 10 s. */
  headersTimeoutMs?: number;
  keepAliveTimeoutMs?: number;
  /** Bound on `stop`. Default 10 s. */
  stopMs?: number;
  /** How much of a body is read after its refusal, before the connection closes. Default 64 MiB. */
  drainedBytes?: number;
  /** Prefix of the addresses of problem types, without a slash at its end. */
  baseUrl?: string;
};

/**
 * A request that is on its way when the server stops is answered within this time, also on a connection that was
 * idle or that has said nothing yet; the answer says `Connection: close`.
 */
const graceMs = 250;

const close = async (server: Server, sockets: Set<Socket>, stopMs: number): Promise<void> => {
  // Connections that the kernel holds are accepted before the port closes. Otherwise they would be reset.
  await new Promise((resolve) => setImmediate(resolve));
  const cut = setTimeout(() => server.closeAllConnections(), stopMs);
  const endIdle = (): void => {
    server.close(() => {});
    // Node ends connections between two requests, but not those before their first one.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  };
  const grace = setTimeout(endIdle, Math.min(graceMs, stopMs));
  // Unlike `server.close`, this leaves idle connections open.
  await new Promise<void>((resolve) => {
    NetServer.prototype.close.call(server, () => resolve());
  });
  clearTimeout(cut);
  clearTimeout(grace);
  endIdle();
};

/** Whether a connection that closes after the answer would close while the body of the request arrives. */
const isEarly = (answer: ServerResponse<IncomingMessage>): boolean =>
  !answer.req.complete &&
  !answer.req.destroyed &&
  // The service closes the connections of bodies that are too slow.
  !answer.hasHeader('connection') &&
  // The client sees the end of the answer by its length, although the connection is still open.
  answer.hasHeader('content-length');

/** The answers of a server. */
const answersOf = (
  { requestTimeoutMs = 30_000, drainedBytes = 64 * 1024 * 1024 }: ListenOptions,
  isStopping: () => boolean,
): typeof ServerResponse<IncomingMessage> =>
  class Answer extends ServerResponse<IncomingMessage> {
    /** Says `Connection: close` once the server stops. */
    override writeHead(...args: unknown[]): this {
      if (isStopping()) this.shouldKeepAlive = false;
      return Reflect.apply(super.writeHead, this, args) as this;
    }

    /** Sends an answer at once, and closes its connection after the body of the request has arrived. */
    override end(...args: unknown[]): this {
      const end = () => Reflect.apply(super.end, this, args) as this;
      const closes = isStopping() || !this.shouldKeepAlive;
      if (!closes || !isEarly(this) || args[0] === undefined) return end();
      this.write(args.shift());
      drainBody(this.req, { bytes: drainedBytes, ms: requestTimeoutMs }, end);
      return this;
    }
  };

/**
 * Serves `app` on `port` (0: any that is free).
 * @throws Error (`EADDRINUSE` and friends) when the port cannot be bound
 */
export const listen = async (
  app: Served,
  port: number,
  options: ListenOptions = {},
): Promise<Listening> => {
  const { host, requestTimeoutMs = 30_000, headersTimeoutMs = 10_000, stopMs = 10_000 } = options;
  const { baseUrl = '' } = options;
  const serve = app.callback();
  let stopping = false;
  const server = createServer(
    {
      ServerResponse: answersOf(options, () => stopping),
      requestTimeout: requestTimeoutMs,
      headersTimeout: Math.min(headersTimeoutMs, requestTimeoutMs),
      keepAliveTimeout: options.keepAliveTimeoutMs ?? 65_000,
      connectionsCheckingInterval: Math.min(1_000, requestTimeoutMs),
      requireHostHeader: false, // refused below, with a sentence
    },
    (request, answer) => {
      const needsHost = request.httpVersion === '1.1' && request.headers.host === undefined;
      if (needsHost) answerRefused(request, answer, withoutHost, baseUrl);
      else serve(request, answer);
    },
  );
  server.on('clientError', (error, socket) => answerMalformed(error, socket, baseUrl));
  server.on('checkExpectation', (request, answer) =>
    answerRefused(request, answer, unknownExpectation, baseUrl),
  );
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host }, resolve);
  });
  const bound = server.address() as AddressInfo;

  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopping = true;
    stopped ??= close(server, sockets, stopMs);
    return stopped;
  };
  const name = host?.includes(':') ? `[${host}]` : (host ?? '127.0.0.1');
  return { url: `http://${name}:${bound.port}`, port: bound.port, stop };
};
