/** Shared parts of the commands about one account. */
import { UsageError } from './command.ts';

export const oneAccount = (command: string, [name, ...rest]: string[]): string => {
  if (name !== undefined && rest.length === 0) return name;
  throw new UsageError(`${command} takes one ACCOUNT`);
};
