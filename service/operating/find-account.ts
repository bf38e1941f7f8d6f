import type { Account } from '../../commands/accounts/account.ts';
import { accountAggregate } from '../../commands/accounts/account.ts';
import { letterAggregate } from '../../commands/letters/letter.ts';
import { createPayerAccounts } from '../../commands/payments/payer-account.ts';
import { Refused } from '../../contract/operator-refused.ts';
import { isUuid } from '../../ground/uuid.ts';
import { accountsByReference } from '../../projections/letters/query.ts';
import type { Foundation } from '../foundation/wing.ts';

/** A wallet that pays, by its address on a chain. */
const walletDid = /^did:pkh:eip155:\d{1,32}:0x[0-9a-f]{40}$/i;

/** Ids that a name, a letter or a reference may stand for: each list counts if none before it has an account. */
const candidates = async (foundation: Foundation, name: string): Promise<string[][]> => {
  const { commands, storage, keys } = foundation;
  if (name.startsWith('acct_')) return [[name]];
  if (isUuid(name)) {
    const { state } = await commands.handler.load(letterAggregate, name);
    if (state.status !== 'none') return [[state.terms.accountId]];
  }
  const { placeOfAgent, findAddress } = commands.accounts;
  const agentsOf = (of: string): Promise<string[]> =>
    Promise.all([false, true].map((test) => placeOfAgent(of, test)));
  if (walletDid.test(name)) {
    const payers = createPayerAccounts({ ...commands, indexOf: keys.indexOf });
    return [[await payers.accountOf(name.toLowerCase())], await agentsOf(name)];
  }
  const holdersOf = async (of: string): Promise<string[]> => {
    const found = await Promise.all([false, true].map((test) => findAddress(of, test)));
    return found.flatMap((one) => (one.kind === 'account' ? [one.accountId] : []));
  };
  const [, kind, named = ''] = /^(email|agent):(.+)$/.exec(name) ?? [];
  if (kind === 'email') return [await holdersOf(named)];
  if (kind === 'agent') return [await agentsOf(named)];
  const referring = await accountsByReference(storage.readDb, keys.indexOf('reference', name));
  // An address belongs to its owner, whatever name an agent or a letter uses.
  return [await holdersOf(name), [...(await agentsOf(name)), ...referring]];
};

const find = async (
  foundation: Foundation,
  name: string,
  statuses: readonly Account['status'][],
): Promise<Account[]> => {
  let erased: Account | undefined;
  for (const ids of await candidates(foundation, name)) {
    const loaded = await Promise.all(
      [...new Set(ids)].map((id) => foundation.commands.handler.load(accountAggregate, id)),
    );
    const accounts = loaded.map(({ state }) => state);
    const found = accounts.filter(({ status }) => statuses.includes(status));
    if (found.length > 0) return found;
    erased ??= accounts.find(({ status }) => status === 'erased');
  }
  if (erased) {
    throw new Refused(
      `The account ${erased.accountId} was erased. account, letters, letter and statement show what is left of it.`,
    );
  }
  throw new Refused(
    `There is no account ${name}. Give its id, the did:pkh of its wallet, the e-mail address or agent_id that it was registered with (agent:ID if the agent_id is an address), or the id or reference of one of its letters.`,
  );
};

const theOnly = (name: string, [account, ...others]: Account[]): Account => {
  if (account && others.length === 0) return account;
  const ids = [account, ...others].flatMap((one) => one?.accountId ?? []);
  throw new Refused(`${name} matches several accounts: ${ids.join(', ')}. Give one id.`);
};

/**
 * Accounts by their id, the did:pkh of a wallet that pays, their e-mail address, the agent id that they were registered with,
 * the id of a letter or its reference. Erased accounts by their own id and those of their letters.
 * @throws Refused when no account has the name
 */
export const findAccounts = (foundation: Foundation, name: string): Promise<Account[]> =>
  find(foundation, name, ['open', 'erased']);

/**
 * The only account with this name. Erased accounts do not count.
 * @throws Refused when no account, or more than one, has it
 */
export const theAccount = async (foundation: Foundation, name: string): Promise<Account> =>
  theOnly(name, await find(foundation, name, ['open']));

/**
 * The only account with this name. Erased accounts count, too.
 * @throws Refused when no account, or more than one, has it
 */
export const openOrErased = async (foundation: Foundation, name: string): Promise<Account> =>
  theOnly(name, await findAccounts(foundation, name));
