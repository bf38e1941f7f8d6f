import { search } from '../service/operating/desk/search.ts';
import { type Command, exitCodes, UsageError } from './command.ts';
import { defineCommand } from './define-command.ts';
import { printList } from './table.ts';

/** @throws UsageError */
const find = ([text, ...rest]: string[], { json }: { json?: boolean }): Command => {
  if (text === undefined || rest.length > 0) throw new UsageError('find takes one TEXT');
  return async (foundation, print) => {
    const found = await search(foundation, text);
    const rows = found.map(({ kind, id, page, note }) => [kind, id, page.slice(1), note ?? '']);
    if (rows.length === 0 && !json) print(`Nothing here has the id ${text}.`);
    else printList(print, ['kind', 'id', 'belongs-to', 'note'], rows, { json });
    return found.length > 0 ? exitCodes.done : exitCodes.refused;
  };
};

export const findCommand = defineCommand({
  name: 'find',
  usage: 'TEXT [--json]',
  summary:
    'Says what an id is: of a letter, account, key, order, payment, contract, offer, export and more.',
  help: 'TEXT may also be a tracking number, a reference, or the e-mail address, agent_id or did:pkh of an account.',
  examples: ['find apr_7c1e…'],
  options: { json: 'flag' },
  read: find,
});
