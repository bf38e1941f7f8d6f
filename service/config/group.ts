/** A group of settings that belong together, each said once. */
import { readFileSync } from 'node:fs';
import { ConfigError, type Parser, RuleBroken } from './config-parsers.ts';

/** One name of the environment. */
export type Setting<T> = {
  parse: Parser<T>;
  /** Its value never appears in a message or a start-up line. */
  secret?: boolean;
  /** The value where it is not set, as the guide shows it. */
  usual?: string;
  /** Its purpose, as the guide describes it. */
  means: string;
};

/** `usual`, where there is one, and `means` are the cells of the guide's table, in Markdown. */
export const plain = <T>(parse: Parser<T>, ...cells: [string] | [string, string]): Setting<T> => {
  const [means = '', usual] = cells.toReversed();
  return { parse, means, usual };
};

/** The same, of a value that is never shown. URLs with user parts count as secrets. */
export const secret = <T>(parse: Parser<T>, ...cells: [string] | [string, string]): Setting<T> => ({
  ...plain(parse, ...cells),
  secret: true,
});

type Settings = Record<string, Setting<unknown>>;

/** The values that are set, by name. */
export type Values<S extends Settings> = {
  [N in keyof S]?: S[N] extends Setting<infer T> ? T : never;
};

/** Settings that are missing, and why they are needed; `undefined`: none. */
type Need<S extends Settings> = (
  values: Values<S>,
) => { names: (keyof S & string)[]; because: string } | undefined;

/** Settings that make sense together only: one of all that is set needs the `names`. */
export const together =
  <S extends Settings>(names: (keyof S & string)[], optional: (keyof S & string)[] = []): Need<S> =>
  (values) => {
    const trigger = [...names, ...optional].find((name) => values[name] !== undefined);
    return trigger === undefined ? undefined : { names, because: `${trigger} is set` };
  };

/** A choice that needs further settings. */
export const chosen =
  <S extends Settings>(
    name: keyof S & string,
    value: string,
    names: (keyof S & string)[],
  ): Need<S> =>
  (values) =>
    values[name] === value ? { names, because: `${name} is ${value}` } : undefined;

/** A setting that is used only if another one has a certain value. */
type OnlyWith<S extends Settings> = {
  name: keyof S & string;
  with: keyof S & string;
  is: string;
};

/** A group as the configuration is read by it. `C`: what it adds. */
export type Group<C extends object = object> = {
  settings: Settings;
  /** Names with this prefix are ours: an unknown one is a mistake. */
  prefixes: readonly string[];
  /** @throws ConfigError when a setting is missing that another one needs */
  check(values: Record<string, unknown>): void;
  /** Sentences about settings that are set and not used. */
  unused(values: Record<string, unknown>): string[];
  read(values: Record<string, unknown>): C;
  /** Start-up lines: parts that are configured and parts that are not. No secrets. */
  describe(config: C): string[];
};

export const group = <S extends Settings, C extends object>(options: {
  settings: S;
  prefixes?: readonly string[];
  needs?: readonly Need<S>[];
  onlyWith?: readonly OnlyWith<S>[];
  /** A rule over these and other settings. @throws ConfigError */
  check?(values: Values<S>, all: Record<string, unknown>): void;
  read(values: Values<S>, all: Record<string, unknown>): C;
  describe?(config: C): string[];
}): Group<C> => {
  const { settings, prefixes = [], needs = [], onlyWith = [], read } = options;
  return {
    settings,
    prefixes,
    check(values) {
      for (const need of needs) {
        const { names = [], because = '' } = need(values as Values<S>) ?? {};
        const missing = names.find((name) => values[name] === undefined);
        if (missing) throw new ConfigError(`${missing} must be set because ${because}`);
      }
      options.check?.(values as Values<S>, values);
    },
    unused: (values) =>
      onlyWith
        .filter((one) => values[one.name] !== undefined && values[one.with] !== one.is)
        .map((one) => `${one.name} is set, but not used, because ${one.with} is not ${one.is}`),
    read: (values) => read(values as Values<S>, values),
    describe: (config) => options.describe?.(config) ?? [],
  };
};

/** Names the file that holds the value of a secret, as Docker and Kubernetes mount secrets. */
export const fileNameOf = (name: string): string => `${name}_FILE`;

/** Every name that may give the setting a value. */
export const namesOf = (name: string, { secret }: Setting<unknown>): string[] =>
  secret ? [name, fileNameOf(name)] : [name];

/**
 * A file without text is refused: a secret that was not mounted must not count as not set.
 * @throws ConfigError without anything of the content
 */
const readSecretFile = (name: string, path: string): string => {
  try {
    const content = readFileSync(path, 'utf8').trim();
    if (content) return content;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError(`${name} names ${path}, which cannot be read (${code})`);
  }
  throw new ConfigError(`${name} names ${path}, which is empty`);
};

type Given = { given: string; value: string };

/**
 * The text of a setting, and the name that gave it. An empty value counts as not set, as compose files write absent
 * ones. @throws ConfigError
 */
export const readText = (
  env: NodeJS.ProcessEnv,
  name: string,
  setting: Setting<unknown>,
): Given | undefined => {
  const [given, ...others] = namesOf(name, setting).filter((one) => env[one]?.trim());
  if (given === undefined) return undefined;
  if (others.length > 0) throw new ConfigError(`${name} and ${others} are both set; keep one`);
  const text = env[given]?.trim() ?? '';
  return { given, value: given === name ? text : readSecretFile(given, text) };
};

/** @throws ConfigError */
export const readSetting = <T>(
  env: NodeJS.ProcessEnv,
  name: string,
  setting: Setting<T>,
): T | undefined => {
  const read = readText(env, name, setting);
  if (read === undefined) return undefined;
  const { given, value } = read;
  // Docker's --env-file, for example, keeps the quotes that a shell takes away.
  if (/^(".*"|'.*')$/s.test(value)) {
    throw new ConfigError(
      `${given} has a value in quotes, which count as part of it; leave them out`,
    );
  }
  try {
    return setting.parse(value);
  } catch (error) {
    if (!(error instanceof RuleBroken)) throw error;
    const got = setting.secret
      ? `; the value of ${given} is not`
      : `, got ${JSON.stringify(value.replaceAll(/:\/\/[^\s/@]*@/g, '://***@'))}`;
    throw new ConfigError(`${name} ${error.message}${got}`);
  }
};

/** `mail: from post@example.com`, or the line without it. */
export const stated = (part: string, wanted: unknown, detail: string, absent: string): string =>
  `${part}: ${wanted === undefined ? absent : detail}`;
