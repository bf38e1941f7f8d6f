/** Bodies on their way, so that those that hardly come make room for one that does. */

/** After this time, bytes that a body brought count half. */
const halfLifeMs = 500;
/** CHOICE: a client that sends this many bytes within about a second is not slow. */
const fastBytes = 16_384;
/** A body that has just begun does not count as slow. */
const graceMs = 500;

type Body = { client: string; beganMs: number; atMs: number; recent: number; end: () => void };

export type SlowBodies = ReturnType<typeof createSlowBodies>;

export const createSlowBodies = (nowMs: () => number = () => performance.now()) => {
  const bodies = new Set<Body>();
  const recentOf = ({ atMs, recent }: Body, now: number): number =>
    recent * 0.5 ** ((now - atMs) / halfLifeMs);

  return {
    /** `end` refuses it and gives back at once what it holds. */
    begin(client: string, end: () => void): { count(bytes: number): void; over(): void } {
      const beganMs = nowMs();
      const body: Body = { client, beganMs, atMs: beganMs, recent: 0, end };
      bodies.add(body);
      return {
        count(bytes) {
          const now = nowMs();
          body.recent = recentOf(body, now) + bytes;
          body.atMs = now;
        },
        over: () => void bodies.delete(body),
      };
    },
    /** Ends the slowest body of other clients; false where none is slow. */
    endSlowest(client: string): boolean {
      const now = nowMs();
      let slowest: Body | undefined;
      let least = fastBytes;
      for (const body of bodies) {
        if (body.client === client || now - body.beganMs < graceMs) continue;
        const recent = recentOf(body, now);
        if (recent >= least) continue;
        least = recent;
        slowest = body;
      }
      if (slowest === undefined) return false;
      bodies.delete(slowest);
      slowest.end();
      return true;
    },
  };
};
