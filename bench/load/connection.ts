/**
 * An HTTP/1.1 client that does next to nothing, so that the load costs less than what it measures: one
 * socket, one request at a time, answers with a `Content-Length` only.
 */
import { connect, type Socket } from 'node:net';

export type Answer = { status: number; body: Buffer };

export type Connection = {
  /** @throws Error when the socket is lost or the answer cannot be read */
  ask(request: Buffer): Promise<Answer>;
  readonly lost: boolean;
  close(): void;
};

/** A request with a body in JSON; `key`: the API key. */
export const postRequest = (host: string, path: string, body: object, key?: string): Buffer => {
  const text = JSON.stringify(body);
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: ${host}`,
    ...(key === undefined ? [] : [`Authorization: Bearer ${key}`]),
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(text)}`,
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${text}`);
};

const headEnd = Buffer.from('\r\n\r\n');

/** The first answer in `bytes`, once it is complete. */
const parse = (bytes: Buffer): Answer | undefined => {
  const end = bytes.indexOf(headEnd);
  if (end < 0) return undefined;
  const head = bytes.toString('latin1', 0, end);
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error(`an answer without Content-Length: ${head}`);
  const bodyAt = end + headEnd.length;
  const bodyEnd = bodyAt + Number(length);
  if (bytes.length < bodyEnd) return undefined;
  return { status: Number(head.slice(9, 12)), body: bytes.subarray(bodyAt, bodyEnd) };
};

const opened = (host: string, port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true }, () => resolve(socket));
    socket.once('error', reject);
  });

export const openConnection = async (host: string, port: number): Promise<Connection> => {
  const socket = await opened(host, port);
  let waiting: { resolve(answer: Answer): void; reject(error: Error): void } | undefined;
  let received: Buffer | undefined;
  let lost = false;

  const fail = (error: Error): void => {
    lost = true;
    socket.destroy();
    waiting?.reject(error);
    waiting = undefined;
  };
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('the connection was closed')));
  socket.on('data', (chunk) => {
    received = received ? Buffer.concat([received, chunk]) : chunk;
    try {
      const answer = parse(received);
      if (!answer) return;
      received = undefined;
      const { resolve } = waiting ?? { resolve: () => {} };
      waiting = undefined;
      resolve(answer);
    } catch (error) {
      fail(error as Error);
    }
  });

  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject };
        socket.write(request);
      }),
    get lost() {
      return lost;
    },
    close: () => socket.destroy(),
  };
};
