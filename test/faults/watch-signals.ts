/** Counts processes that are killed, frozen or told to stop while a test runs: children, and others by their id. */
import { ChildProcess } from 'node:child_process';
import { channel } from 'node:diagnostics_channel';
import { injected } from '../support/injected.ts';

const children = new Set<number>();

channel('child_process').subscribe((message) => {
  const { process: child } = message as { process: ChildProcess };
  // A child may also kill itself, in the middle of its work.
  child.once('spawn', () => child.pid !== undefined && children.add(child.pid));
  child.once('exit', (_code, signal) => {
    if (signal === 'SIGKILL') injected('process killed');
  });
});

const kinds: Partial<Record<string, string>> = {
  SIGSTOP: 'process frozen',
  SIGTERM: 'process told to stop',
};

const kill = process.kill.bind(process);
process.kill = (pid, signal) => {
  const sent = kill(pid, signal);
  const kind = kinds[String(signal)];
  if (kind) injected(kind);
  if (signal === 'SIGKILL' && !children.has(Math.abs(pid))) injected('process killed');
  return sent;
};

const killChild = ChildProcess.prototype.kill;
ChildProcess.prototype.kill = function (this: ChildProcess, signal) {
  const sent = killChild.call(this, signal);
  const kind = kinds[String(signal)];
  if (sent && kind) injected(kind);
  return sent;
};
