import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect } from 'chai';
import { commandOf } from '../../operator/commands.ts';
import { runProgram } from '../../operator/run.ts';
import type { Foundation } from '../../service/foundation/wing.ts';

const main = join(import.meta.dirname, '..', '..', 'operator', 'main.ts');

/** `err` without its first line, which names the data that the command worked on: `data`. */
export type Ended = { code: number | null; out: string; err: string; data: string | undefined };

const textOf = (stream: NonNullable<ChildProcess['stdout']>): (() => string) => {
  let text = '';
  stream.setEncoding('utf8').on('data', (more: string) => {
    text += more;
  });
  return () => text;
};

const environment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => {
  const { DATABASE_URL: _, ...rest } = process.env;
  return { ...rest, ...env };
};

const endedWith = (code: number | null, out: string, printed: string): Ended => {
  const [, data, err] = /^(?:data: ([^\n]*)\n)?([\s\S]*)$/.exec(printed) ?? [];
  return { code, out, err: err ?? '', data };
};

/** Starts the operator's program in an environment. `code` is null when it was killed. */
export const startOperator = (env: NodeJS.ProcessEnv, args: string[]) => {
  const child = spawn(process.execPath, [main, ...args], { env: environment(env) });
  const [out, err] = [textOf(child.stdout), textOf(child.stderr)];
  const ended = once(child, 'close').then(([code]) => endedWith(code, out(), err()));
  return { out, ended, kill: (signal: NodeJS.Signals = 'SIGKILL') => child.kill(signal) };
};

/**
 * Runs the operator's program with these settings in this process. A process of its own would need most of a second of
 * CPU time to load the program.
 */
export const runOperator = async (env: NodeJS.ProcessEnv, args: string[]): Promise<Ended> => {
  let [out, err] = ['', ''];
  const code = await runProgram({
    args,
    env: environment(env),
    print: (line) => {
      out += `${line}\n`;
    },
    complain: (line) => {
      err += `${line}\n`;
    },
  });
  return endedWith(code, out, err);
};

/** Runs a command of the operator in this process. Returns the lines that it prints. */
export const operate = async (foundation: Foundation, ...args: string[]): Promise<string[]> => {
  const lines: string[] = [];
  await commandOf(args)(foundation, (line) => lines.push(line));
  return lines;
};

/** Runs commands of the operator on the service of a test. Returns what they print, or why they are refused. */
export const operatorOf = (foundation: () => Foundation) => {
  const print = async (...args: string[]): Promise<string> =>
    (await operate(foundation(), ...args)).join('\n');
  const refusal = (...args: string[]): Promise<string> =>
    print(...args).then(
      (text) => expect.fail(`it is refused: ${text}`),
      (error: Error) => error.message,
    );
  return { operate: print, refusal };
};
