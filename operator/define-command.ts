/** How each command describes itself: its name, how it is written, what it does, and how it reads its arguments. */
import { parseArgs } from 'node:util';
import { type Command, type CommandWork, exitCodes, UsageError } from './command.ts';

type OptionKinds = Record<string, 'text' | 'flag'>;

/** The values of these options, as a command gets them. */
export type Values<O extends OptionKinds> = {
  [K in keyof O]?: O[K] extends 'flag' ? boolean : string;
};

type Definition<O extends OptionKinds> = {
  name: string;
  /** The arguments after the name, as the help shows them. */
  usage: string;
  /** One sentence: the line of the command in the overview and in docs/operations.md. */
  summary: string;
  /** Further explanations; a new line for each subject. */
  help?: string;
  examples?: string[];
  options?: O;
  /** @throws UsageError */
  read(positionals: string[], values: Values<O>): CommandWork;
};

export type CommandSpec = Omit<Definition<OptionKinds>, 'read' | 'options'> & {
  options: string[];
  /** The command that the arguments after its name ask for. @throws UsageError */
  parse(args: string[]): Command;
};

type ParsedToken = { kind: string } & Partial<{
  name: string;
  rawName: string;
  value: string;
  inlineValue: boolean;
}>;

const assertOption = (command: string, kinds: OptionKinds, token: ParsedToken): void => {
  const { name = '', rawName = '', value, inlineValue } = token;
  const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
  if (kind === undefined) {
    const known = Object.keys(kinds).map((option) => `--${option}`);
    const takes = known.length > 0 ? `takes ${known.join(', ')}` : 'takes no options';
    throw new UsageError(`there is no option ${rawName}; ${command} ${takes}`);
  }
  if (kind === 'flag') {
    if (value !== undefined) throw new UsageError(`${rawName} takes no value`);
    return;
  }
  if (value === undefined || value === '') throw new UsageError(`${rawName} has no value`);
  if (!inlineValue && value.startsWith('-')) {
    throw new UsageError(
      `${rawName} has no value. If ${value} is the value, write ${rawName}=${value}`,
    );
  }
};

const parsed = <O extends OptionKinds>(command: string, kinds: O, args: string[]) => {
  const negative = args.find((arg, n) => /^-\d/.test(arg) && !args[n - 1]?.startsWith('--'));
  if (negative !== undefined) throw new UsageError(`${negative} is not an amount above zero`);
  const options = Object.fromEntries(
    Object.entries(kinds).map(([option, kind]) => {
      const type: 'boolean' | 'string' = kind === 'flag' ? 'boolean' : 'string';
      return [option, { type }];
    }),
  );
  const { positionals, values, tokens } = parseArgs({
    args,
    options,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const given = new Set<string>();
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    assertOption(command, kinds, token);
    if (given.has(token.name)) throw new UsageError(`${token.rawName} is given twice`);
    given.add(token.name);
  }
  return { positionals, values: values as Values<O> };
};

export const defineCommand = <const O extends OptionKinds = Record<never, never>>(
  definition: Definition<O>,
): CommandSpec => {
  const { options = {} as O, read, ...rest } = definition;
  return {
    ...rest,
    options: Object.keys(options),
    parse(args) {
      const { positionals, values } = parsed(definition.name, options, args);
      const work = read(positionals, values);
      const command: Command = async (foundation, print) =>
        (await work(foundation, print)) ?? exitCodes.done;
      return Object.assign(command, work);
    },
  };
};
