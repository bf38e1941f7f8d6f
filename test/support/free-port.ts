import { createServer } from 'node:net';

/** Below the ports that the system gives to connections and to servers that ask for any. */
const [lowest, count] = [11_000, 5_000];
/** Test files run in processes whose ids are close to each other: each begins with ports of its own. */
const stride = 13;
let next = (process.pid * stride) % count;

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });

/** A free port of this machine, outside of the range that the system hands out. */
export const freePort = async (): Promise<number> => {
  for (let tries = 0; tries < count; tries++) {
    const port = lowest + next;
    next = (next + 1) % count;
    if (await isFree(port)) return port;
  }
  throw new Error('no port is free');
};
