import { ConfigError } from './config-parsers.ts';
import { fileNameOf, type Group, namesOf, readSetting, type Setting } from './group.ts';
import { accounts } from './groups/accounts.ts';
import { documents } from './groups/documents.ts';
import { identity } from './groups/identity.ts';
import { kafka } from './groups/kafka.ts';
import { keys } from './groups/keys.ts';
import { letters } from './groups/letters.ts';
import { limits } from './groups/limits.ts';
import { mail } from './groups/mail.ts';
import { mech } from './groups/mech.ts';
import { operators } from './groups/operators.ts';
import { lightning, stripe, x402 } from './groups/payments.ts';
import { printing } from './groups/printing.ts';
import { service } from './groups/service.ts';
import { storage } from './groups/storage.ts';
import { tracing } from './groups/tracing.ts';

export { ConfigError } from './config-parsers.ts';
export { type Role, roles } from './groups/service.ts';

/** Every group of settings there is, in the order of the guide and of the start-up lines. */
const known = [
  ...([
    service,
    storage,
    keys,
    tracing,
    kafka,
    printing,
    documents,
    accounts,
    operators,
    letters,
    mail,
  ] as const),
  ...([x402, stripe, lightning, mech, identity, limits] as const),
] as const;

/** The same, without what each of them adds to the configuration. */
export const groups: readonly Group[] = known;

type PartOf<G> = G extends Group<infer C> ? C : never;
type AllOf<Union> = (Union extends unknown ? (part: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;

export type Config = AllOf<PartOf<(typeof known)[number]>> & {
  /** Sentences about settings that are set and not used. */
  unused: string[];
};

/** Every setting by its name, with whether its value is secret. */
const allSettings = (): [string, Setting<unknown>][] =>
  groups.flatMap(({ settings }) => Object.entries(settings));

/** Every setting that the service reads from its environment. */
export const variableNames = (): string[] => allSettings().map(([name]) => name);

const editDistance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const substituted = (row[j] ?? 0) + (a[i] === b[j] ? 0 : 1);
      next.push(Math.min(substituted, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
};

/** A name without one of our prefixes is taken for a misspelled one of ours if it is long and nearly the same. */
const leastSimilarChars = 12;
const mostTypos = 2;

const assertKnown = (env: NodeJS.ProcessEnv): void => {
  const names = allSettings().flatMap(([name, setting]) => namesOf(name, setting));
  const plainFiles = new Set(variableNames().map(fileNameOf));
  const prefixes = groups.flatMap((group) => group.prefixes);
  const isOurs = (name: string): boolean =>
    plainFiles.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
  for (const name of Object.keys(env)) {
    if (names.includes(name) || !/^[A-Z][A-Z0-9_]+$/.test(name)) continue;
    if (!isOurs(name) && name.length < leastSimilarChars) continue;
    const near = (one: string): boolean => Math.abs(one.length - name.length) <= mostTypos;
    const candidates = isOurs(name) ? names : names.filter(near);
    const distances = candidates.map((one) => [editDistance(name, one), one] as const);
    const [distance, nearest] = distances.toSorted(([a], [b]) => a - b)[0] ?? [Infinity, ''];
    if (!isOurs(name) && distance > mostTypos) continue;
    throw new ConfigError(`${name} is not a known name; did you mean ${nearest}?`);
  }
};

/**
 * Reads and validates the whole configuration.
 * @throws ConfigError with one line on the first name that is wrong, unknown, or missing although another one
 * needs it; never with the value of a secret
 */
export const readConfig = (env: NodeJS.ProcessEnv): Config => {
  assertKnown(env);
  const settings = Object.assign({}, ...groups.map((group) => group.settings));
  const values = Object.fromEntries(
    Object.keys(settings).map((name) => [name, readSetting(env, name, settings[name])]),
  );
  for (const group of groups) group.check(values);
  const unused = groups.flatMap((group) => group.unused(values));
  return Object.assign({ unused }, ...groups.map((group) => group.read(values)));
};

/** The start-up lines: parts that are configured, parts that are not, and settings that are not used. No secrets. */
export const describeConfig = (config: Config): string[] => [
  ...groups.flatMap((group) => group.describe(config)),
  ...config.unused.map((one) => `WARNING: ${one}`),
];
