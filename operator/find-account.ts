import type { Account } from '../commands/accounts/account.ts';
import { accountAggregate } from '../commands/accounts/account.ts';
import { letterAggregate } from '../commands/letters/letter.ts';
import { accountsByReference } from '../projections/letters/query.ts';
import type { Foundation } from '../service/wing.ts';
import { Refused } from './command.ts';

const letterId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Ids that a name, a letter or a reference may stand for. */
const candidates = async (foundation: Foundation, name: string): Promise<string[]> => {
  const { commands, storage, keys } = foundation;
  if (name.startsWith('acct_')) return [name];
  if (letterId.test(name)) {
    const { state } = await commands.handler.load(letterAggregate, name);
    if (state.status !== 'none') return [state.terms.accountId];
  }
  const named = ['email', 'agent'].flatMap((kind) =>
    [false, true].map((test) => commands.accounts.accountIdOf(kind, name, test)),
  );
  return [
    ...named,
    ...(await accountsByReference(storage.readDb, keys.indexOf('reference', name))),
  ];
};

/**
 * Accounts by their id, the e-mail address or agent id that they were registered with, the id of a letter
 * or its reference. @throws Refused when there is none
 */
export const findAccounts = async (foundation: Foundation, name: string): Promise<Account[]> => {
  const ids = [...new Set(await candidates(foundation, name))];
  const loaded = await Promise.all(
    ids.map((id) => foundation.commands.handler.load(accountAggregate, id)),
  );
  const found = loaded.map(({ state }) => state).filter(({ status }) => status === 'open');
  if (found.length > 0) return found;
  throw new Refused(
    `There is no account ${name}: give its id, the e-mail address or agent_id that it was registered with, the id of a letter or its reference.`,
  );
};

/** The one account that is meant. @throws Refused when there is none, or more than one */
export const theAccount = async (foundation: Foundation, name: string): Promise<Account> => {
  const [account, ...others] = await findAccounts(foundation, name);
  if (account && others.length === 0) return account;
  const ids = [account, ...others].flatMap((one) => one?.accountId ?? []);
  throw new Refused(`${name} stands for several accounts: ${ids.join(', ')}; give one id.`);
};
