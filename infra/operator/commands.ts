import { parseArgs } from 'node:util';
import { advance } from './advance.ts';
import { type Command, UsageError } from './command.ts';
import { credit } from './credit.ts';
import { rebuild } from './rebuild.ts';
import { verify } from './verify.ts';

const text = { type: 'string' } as const;

const parsed = (args: string[], options: Record<string, typeof text>) => {
  const negative = args.find((arg) => /^-\d/.test(arg));
  if (negative !== undefined) throw new UsageError(`${negative} is not an amount above zero`);
  try {
    const { positionals, values } = parseArgs({ args, options, allowPositionals: true });
    return { positionals, values: values as Record<string, string | undefined> };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
};

/** The command that the arguments name. @throws UsageError */
export const commandOf = ([name, ...args]: string[]): Command => {
  switch (name) {
    case 'credit': {
      const { positionals, values } = parsed(args, { reference: text, bucket: text });
      return credit(positionals, values);
    }
    case 'advance': {
      const options = { evidence: text, tracking: text, reason: text };
      const { positionals, values } = parsed(args, options);
      return advance(positionals, values);
    }
    case 'rebuild':
      return rebuild(parsed(args, {}).positionals);
    case 'verify':
      return verify(parsed(args, {}).positionals);
    default:
      throw new UsageError(name === undefined ? 'name a command' : `there is no command ${name}`);
  }
};
