/** The counts of a probe in a process, printed for each letter. */
import { formatTable, tenth } from '../report.ts';

export type ProbeReport = {
  /** Calls by the name of the statement or the beginning of its text. */
  statements: Record<string, number>;
  /** Sampled. */
  allocatedBytes: number;
  /** By function, and by the function of ours that called it; the most first. */
  allocators: [place: string, bytes: number][];
  callers: [place: string, bytes: number][];
};

type ProfileNode = {
  callFrame: { functionName: string; url: string; lineNumber: number };
  selfSize: number;
  children: ProfileNode[];
};

const root = new URL('../..', import.meta.url).href;
const nameLength = 60;
const kept = 40;

const beginnings = new Map<string, string>();

/** Kept, so that the probe allocates little of its own. */
const beginningOf = (text: string): string => {
  const known = beginnings.get(text);
  if (known !== undefined) return known;
  const beginning = text.trim().replaceAll(/\s+/g, ' ').slice(0, nameLength);
  beginnings.set(text, beginning);
  return beginning;
};

/** The name of a prepared statement, or how its text begins. `query`: as a pg client takes it. */
export const statementName = (query: unknown): string => {
  if (typeof query === 'string') return beginningOf(query);
  const { name, text = '(cursor)' } = query as { name?: string; text?: string };
  // The read models number their statements.
  return name !== undefined && !/^q\d+$/.test(name) ? name : beginningOf(text);
};

const placeOf = ({ functionName, url, lineNumber }: ProfileNode['callFrame']): string => {
  const file = url.replace(root, '').replace(/^.*node_modules\//, '');
  return `${functionName || '(anonymous)'}  ${file}:${lineNumber + 1}`;
};

const most = (places: Map<string, number>): [place: string, bytes: number][] =>
  [...places].sort(([, a], [, b]) => b - a).slice(0, kept);

/** The bytes of a sampled heap profile, in all and by function. */
export const allocatedIn = (
  head: ProfileNode,
): Pick<ProbeReport, 'allocatedBytes' | 'allocators' | 'callers'> => {
  const allocators = new Map<string, number>();
  const callers = new Map<string, number>();
  let allocatedBytes = 0;
  const add = ({ callFrame, selfSize, children }: ProfileNode, callerAbove: string): void => {
    const place = placeOf(callFrame);
    const isOurs = callFrame.url.startsWith(root) && !callFrame.url.includes('node_modules');
    const caller = isOurs ? place : callerAbove;
    allocators.set(place, (allocators.get(place) ?? 0) + selfSize);
    callers.set(caller, (callers.get(caller) ?? 0) + selfSize);
    allocatedBytes += selfSize;
    for (const child of children) add(child, caller);
  };
  add(head, '(no function of ours)');
  return { allocatedBytes, allocators: most(allocators), callers: most(callers) };
};

const kilobytes = (bytes: number): string => `${tenth(bytes / 1_000)} kB`;

const statementsOf = ({ statements }: ProbeReport): number =>
  Object.values(statements).reduce((sum, count) => sum + count, 0);

/** A line per process: the API first, then the background process. */
export const formatProbes = (reports: ProbeReport[], letters: number): string =>
  formatTable({
    columns: ['of each letter', 'statements', 'allocated'],
    rows: reports.map((report, n) => [
      n === 0 ? 'API' : 'background',
      (statementsOf(report) / letters).toFixed(2),
      kilobytes(report.allocatedBytes / letters),
    ]),
  });

/** Which statements and functions these were. */
export const formatProbeDetail = (report: ProbeReport, letters: number): string => {
  const statements = Object.entries(report.statements)
    .sort(([, a], [, b]) => b - a)
    .slice(0, kept)
    .map(([name, count]) => [name, (count / letters).toFixed(3)]);
  const rowsOf = (places: [place: string, bytes: number][]): string[][] =>
    places.map(([place, bytes]) => [place, kilobytes(bytes / letters)]);
  return [
    formatTable({ columns: ['statement', 'per letter'], rows: statements }),
    formatTable({ columns: ['function', 'allocated'], rows: rowsOf(report.allocators) }),
    formatTable({ columns: ['for our function', 'allocated'], rows: rowsOf(report.callers) }),
  ].join('\n\n');
};
