/** Reads the CPU profile that V8 wrote of a process: self time by function and by package. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { print } from './printed.ts';
import { formatTable } from './report.ts';

type Node = { id: number; callFrame: { functionName: string; url: string; lineNumber: number } };
type Profile = { nodes: Node[]; samples: number[]; timeDeltas: number[]; startTime: number };

const root = new URL('..', import.meta.url).href;

/** `koa`, `@koa/router`, `node:net`, or the path of a file of ours. */
const placeOf = (url: string): string => {
  if (url === '') return '(engine)';
  const inPackage = /^.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  return inPackage ?? url.replace(root, '');
};

const top = (times: Map<string, number>, count: number): [string, number][] =>
  [...times].sort(([, a], [, b]) => b - a).slice(0, count);

const shown = 25;

/** Prints the share of each function and place in the window (monotonic clock, µs). */
const summarise = (profile: Profile, window: { from: bigint; to: bigint }): void => {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const [from, to] = [Number(window.from), Number(window.to)];
  const functions = new Map<string, number>();
  const places = new Map<string, number>();
  let at = profile.startTime;
  let total = 0;
  profile.samples.forEach((id, index) => {
    at += profile.timeDeltas[index] ?? 0;
    const node = nodes.get(id);
    if (!node || at < from || at > to) return;
    // A sample stands for the time until the next one.
    const micros = profile.timeDeltas[index + 1] ?? 0;
    const { functionName, url, lineNumber } = node.callFrame;
    const place = placeOf(url);
    const name = `${functionName || '(anonymous)'}  ${place}${url ? `:${lineNumber + 1}` : ''}`;
    const group = url === '' && functionName.startsWith('(') ? functionName : place;
    functions.set(name, (functions.get(name) ?? 0) + micros);
    places.set(group, (places.get(group) ?? 0) + micros);
    total += micros;
  });
  const share = (micros: number): string => `${((100 * micros) / total).toFixed(1)} %`;
  const table = (title: string, times: Map<string, number>): string =>
    formatTable({
      columns: [title, 'self time'],
      rows: top(times, shown).map(([name, micros]) => [name, share(micros)]),
    });
  print(`\n${table('function', functions)}\n\n${table('package or file', places)}`);
};

/** Call it when the process has ended: the profile is written at exit. */
export const printProfile = async (
  folder: string,
  what: string,
  window: { from: bigint; to: bigint },
): Promise<void> => {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.cpuprofile'));
  // CPU.<date>.<time>.<pid>.…: the names sort by time.
  const latest = names.sort().at(-1);
  if (!latest) throw new Error(`there is no CPU profile in ${folder}`);
  print(`\n  CPU profile of the service in the window of ${what}): ${join(folder, latest)}`);
  summarise(JSON.parse(await readFile(join(folder, latest), 'utf8')) as Profile, window);
};
