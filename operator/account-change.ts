/** What the commands about one account share. */
import { randomUUID } from 'node:crypto';
import { type Account, accountAggregate } from '../commands/accounts/account.ts';
import type { AccountEvent } from '../events/account.ts';
import type { Foundation } from '../service/foundation/wing.ts';
import { UsageError } from './command.ts';

export const operatorContext = () => ({ commandId: randomUUID(), actor: 'operator' });

export const oneAccount = (command: string, [name, ...rest]: string[]): string => {
  if (name !== undefined && rest.length === 0) return name;
  throw new UsageError(`${command} takes one ACCOUNT`);
};

export const changeAccount = async (
  { commands }: Foundation,
  { accountId }: Account,
  decide: (account: Account) => AccountEvent[],
): Promise<AccountEvent[]> => {
  const { events } = await commands.handler.handle(
    accountAggregate,
    accountId,
    operatorContext(),
    decide,
  );
  return events;
};

export const oneLine = (name: string, text: string | undefined): string => {
  const line = text?.trim() ?? '';
  if (line === '' || /\p{Cc}/u.test(line) || line.length > 200) {
    throw new UsageError(`${name} is missing or is not one line of at most 200 characters`);
  }
  return line;
};
