import { writeFile } from 'node:fs/promises';
import { readStatement } from '../read-api/statement.ts';
import { theAccount } from '../service/operating/find-account.ts';
import { type CommandWork, Refused, UsageError } from './command.ts';
import { defineCommand } from './define-command.ts';

type Options = { from?: string; to?: string; file?: string };

/** @throws UsageError */
const statement = ([name, ...rest]: string[], { from, to, file }: Options): CommandWork => {
  if (name === undefined || rest.length > 0) throw new UsageError('statement takes one ACCOUNT');
  return async (foundation, print) => {
    const { storage, clock, config } = foundation;
    const { accountId } = await theAccount(foundation, name);
    const { openForAccount } = foundation.shared.letterReader;
    const ports = { db: storage.readDb, clock, limits: config.limits, openForAccount };
    const csv = await readStatement(ports, accountId, { from, to });
    if (file === undefined) {
      print(csv.toString('utf8').replaceAll('\r\n', '\n').trimEnd());
      return;
    }
    await writeFile(file, csv, { flag: 'wx', mode: 0o600 }).catch(
      (error: NodeJS.ErrnoException) => {
        throw error.code === 'EEXIST' ? new Refused(`${file} already exists.`) : error;
      },
    );
    print(`Wrote the statement of ${accountId} to ${file}.`);
  };
};

export const statementCommand = defineCommand({
  name: 'statement',
  usage: 'ACCOUNT [--from DAY|TIME] [--to DAY|TIME] [--file FILE]',
  summary: 'Shows every change of a wallet as CSV, as the owner gets it from the API.',
  help: `Days (2026-01-31) are included whole. --file writes a new file that only you can read.`,
  examples: ['statement anna@example.com --from 2026-11-01'],
  options: { from: 'text', to: 'text', file: 'text' },
  read: statement,
});
