/** The load generator: a process of its own that takes its orders from its parent. */
import { closedLoop } from './closed-loop.ts';
import { type Answer, type Connection, openConnection } from './connection.ts';
import { getRequest, sendRequests } from './letters.ts';
import { openLoop } from './open-loop.ts';
import type { AckedLetter, LoadMessage, LoadPlan, LoadResult } from './plan.ts';

const tell = (message: LoadMessage): void => {
  process.send?.(message);
};

const letterIdMark = Buffer.from('"letter_id":"');
const letterIdChars = 36;

const letterIdIn = (body: Buffer): string => {
  const at = body.indexOf(letterIdMark) + letterIdMark.length;
  return body.toString('latin1', at, at + letterIdChars);
};

/** The next request, and the expected part of its answer. */
type Task = { request: Buffer; accept: (answer: Answer) => boolean };

const tasksOf = (plan: LoadPlan, acked: AckedLetter[]): (() => Task) => {
  const { work, keys } = plan;
  const host = `${plan.host}:${plan.port}`;
  let n = 0;
  if (work.kind === 'send') {
    const requestOf = sendRequests({ host, keys, ...work });
    return () => {
      const account = n % keys.length;
      return {
        request: requestOf(n++),
        accept({ status, body }) {
          if (status !== 201) return false;
          acked.push([letterIdIn(body), account]);
          return true;
        },
      };
    };
  }
  if (work.kind === 'list') {
    return () => {
      const path = work.paths[n % work.paths.length] ?? '';
      const key = keys[(n++ * 7) % keys.length] ?? '';
      return { request: getRequest(host, key, path), accept: ({ status }) => status === 200 };
    };
  }
  return () => {
    const letter = work.letters[Math.floor(Math.random() * work.letters.length)];
    if (!letter) throw new Error('there are no letters to read');
    const [letterId, account] = letter;
    return {
      request: getRequest(host, keys[account] ?? '', `/api/letters/${letterId}`),
      accept: ({ status, body }) => status === 200 && body.includes(letterId),
    };
  };
};

const pauseAfterFailureMs = 20;

const run = async (plan: LoadPlan): Promise<LoadResult> => {
  const acked: AckedLetter[] = [];
  const failures: Record<string, number> = {};
  let firstFailure: string | undefined;
  const nextTask = tasksOf(plan, acked);
  const enough = Promise.withResolvers<void>();
  const { letters = Number.POSITIVE_INFINITY } = plan;
  const connections: Connection[] = await Promise.all(
    Array.from({ length: plan.connections }, () => openConnection(plan.host, plan.port)),
  );

  const fail = async (reason: string, detail: string): Promise<false> => {
    failures[reason] = (failures[reason] ?? 0) + 1;
    firstFailure ??= detail;
    await new Promise((resolve) => setTimeout(resolve, pauseAfterFailureMs));
    return false;
  };
  const step = async (caller: number): Promise<boolean> => {
    const { request, accept } = nextTask();
    try {
      let connection = connections[caller];
      if (!connection || connection.lost) {
        connection = await openConnection(plan.host, plan.port);
        connections[caller] = connection;
      }
      const answer = await connection.ask(request);
      if (accept(answer)) {
        if (acked.length >= letters) enough.resolve();
        return true;
      }
      return fail(String(answer.status), `${answer.body}\nfor\n${request}`);
    } catch (error) {
      return fail('no answer', String(error));
    }
  };

  const { arrivalsPerSecond } = plan;
  const loop = {
    callers: plan.connections,
    warmUpSeconds: plan.warmUpSeconds,
    seconds: plan.seconds,
    enough: enough.promise,
    onMeasuring: () => tell({ event: 'measuring' }),
    onMeasured: () => tell({ event: 'measured' }),
  };
  const measured = await (arrivalsPerSecond === undefined
    ? closedLoop(loop, step)
    : openLoop({ ...loop, arrivalsPerSecond }, step));
  for (const connection of connections) connection.close();
  return { ...measured, acked, failures, firstFailure };
};

process.once('message', (plan: LoadPlan) => {
  run(plan).then(
    (result) => process.send?.({ event: 'done', result }, () => process.disconnect()),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
process.on('disconnect', () => process.exit(0));
