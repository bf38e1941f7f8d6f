import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const main = join(import.meta.dirname, '..', '..', 'operator', 'main.ts');

export type Ended = { code: number | null; out: string; err: string };

const textOf = (stream: NonNullable<ChildProcess['stdout']>): (() => string) => {
  let text = '';
  stream.setEncoding('utf8').on('data', (more: string) => {
    text += more;
  });
  return () => text;
};

/** Runs the operator's program in an environment and waits for its end. */
export const runOperator = async (env: NodeJS.ProcessEnv, args: string[]): Promise<Ended> => {
  const { DATABASE_URL: _, ...rest } = process.env;
  const child = spawn(process.execPath, [main, ...args], { env: { ...rest, ...env } });
  const [out, err] = [textOf(child.stdout), textOf(child.stderr)];
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out: out(), err: err() };
};
