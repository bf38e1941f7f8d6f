import type { Account } from '../commands/accounts/account.ts';
import { readStatement } from '../read-api/statement.ts';
import type { Foundation } from '../service/foundation/wing.ts';
import { openOrErased } from '../service/operating/find-account.ts';
import { keptBooks } from '../service/operating/kept-books.ts';
import { type CommandWork, UsageError } from './command.ts';
import { defineCommand } from './define-command.ts';
import { writeNewFile } from './new-file.ts';

type Options = { from?: string; to?: string; file?: string };

type OpenForAccount = Foundation['shared']['letterReader']['openForAccount'];

/** Opens references. The books have those of an erased account. */
const referencesOf = async (
  foundation: Foundation,
  { accountId, status }: Account,
): Promise<OpenForAccount> => {
  if (status !== 'erased') return foundation.shared.letterReader.openForAccount;
  const books = await keptBooks(foundation, accountId);
  const kept = new Map(
    books.flatMap(({ references }) => references).map((one) => [one.eventId, one]),
  );
  return async <T>(_: string, entries: { eventId: string | null }[]) =>
    entries.map(({ eventId }) => kept.get(eventId ?? '') as T | undefined);
};

/** @throws UsageError */
const statement = ([name, ...rest]: string[], { from, to, file }: Options): CommandWork => {
  if (name === undefined || rest.length > 0) throw new UsageError('statement takes one ACCOUNT');
  return async (foundation, print) => {
    const { storage, clock, config } = foundation;
    const account = await openOrErased(foundation, name);
    const { accountId } = account;
    const openForAccount = await referencesOf(foundation, account);
    const ports = { db: storage.readDb, clock, limits: config.limits, openForAccount };
    const csv = await readStatement(ports, accountId, { from, to });
    if (file === undefined) {
      print(csv.toString('utf8').replaceAll('\r\n', '\n').trimEnd());
      return;
    }
    await writeNewFile(file, csv);
    print(`Wrote the statement of ${accountId} to ${file}.`);
  };
};

export const statementCommand = defineCommand({
  name: 'statement',
  usage: 'ACCOUNT [--from DAY|TIME] [--to DAY|TIME] [--file FILE]',
  summary: 'Shows every change of a wallet as CSV, as the owner gets it from the API.',
  help: `Days (2026-01-31) are included whole. --file writes a new file that only you can read.
Of an erased account it shows the references that are kept for the books.`,
  examples: ['statement anna@example.com --from 2026-11-01'],
  options: { from: 'text', to: 'text', file: 'text' },
  read: statement,
});
