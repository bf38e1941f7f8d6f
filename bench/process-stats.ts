/** CPU time and memory of other processes: out of /proc, or of `ps` where there is none. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** Linux counts CPU time in hundredths of a second, whatever the kernel's own tick is. */
const msPerTick = 10;

/** User and system time so far, ms. `undefined` when the process is gone or there is no /proc. */
export const cpuMs = (pid: number): number | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold spaces; what follows begins with field 3.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * msPerTick;
  } catch {
    return undefined;
  }
};

/** Time that all cores together were busy so far, ms. */
export const machineBusyMs = (): number =>
  cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);

/** Resident memory now, bytes. */
export const residentBytes = (pid: number): number | undefined => {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    if (kilobytes !== undefined) return Number(kilobytes) * 1024;
  } catch {
    // No /proc here.
  }
  try {
    return (
      Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * 1024
    );
  } catch {
    return undefined;
  }
};

const sampleMs = 100;

/** Watches the memory of a process until `stop`, which gives the most that was seen, bytes. */
export const watchMemory = (pid: number): { stop(): number | undefined } => {
  let most = residentBytes(pid);
  const timer = setInterval(() => {
    const now = residentBytes(pid);
    if (now !== undefined) most = Math.max(most ?? 0, now);
  }, sampleMs);
  return {
    stop() {
      clearInterval(timer);
      return most;
    },
  };
};
