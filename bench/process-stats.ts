/** CPU time and memory of other processes: out of /proc, or of `ps` where there is none. */
import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { cpus } from 'node:os';

/** Linux counts CPU time in hundredths of a second, whatever the kernel's own tick is. */
const msPerTick = 10;

const programOf = (pid: number): string => readlinkSync(`/proc/${pid}/exe`);

/** The process and the children that run the same program: a service may be several. */
export const familyOf = (pid: number): number[] => {
  try {
    const program = programOf(pid);
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
    const own = children.filter((child) => child.trim() !== '').map(Number);
    return [pid, ...own.filter((child) => programOf(child) === program)];
  } catch {
    // No /proc here.
    return [pid];
  }
};

/** User and system time so far of a service and of each of its children, ms, the parent first. */
export const cpuMsByProcess = (pid: number): number[] =>
  familyOf(pid).map((member) => cpuMsOf(member) ?? 0);

const total = (values: (number | undefined)[]): number | undefined =>
  values.every((value) => value === undefined)
    ? undefined
    : values.reduce<number>((sum, value) => sum + (value ?? 0), 0);

/**
 * User and system time so far of a service, its own children included, ms. `undefined` when it is gone
 * or there is no /proc.
 */
export const cpuMs = (pid: number): number | undefined => total(familyOf(pid).map(cpuMsOf));

const cpuMsOf = (pid: number): number | undefined => {
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

/** Resident memory of a service now, its own children included, bytes. */
export const residentBytes = (pid: number): number | undefined =>
  total(familyOf(pid).map(residentBytesOf));

const residentBytesOf = (pid: number): number | undefined => {
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
