/** Freezing by the operator: an account, one of its keys or one of its UCANs. */
import { createCredentialLines } from '../commands/guards/credential-line.ts';
import { createFreezes } from '../commands/guards/freezes.ts';
import { accountSubject, ucanSubject } from '../contract/frozen.ts';
import type { Foundation } from '../service/foundation/wing.ts';
import { oneAccount, operatorContext } from './account-change.ts';
import { type Command, exitCodes, UsageError } from './command.ts';
import { defineCommand } from './define-command.ts';
import { theAccount } from './find-account.ts';

type Options = { key?: string; ucan?: string };

const subjectOf = async (
  { commands: { handler } }: Foundation,
  accountId: string,
  { key, ucan }: Options,
): Promise<string> => {
  if (key === undefined) return ucan === undefined ? accountSubject : ucanSubject(ucan);
  return createCredentialLines({ handler }).subjectOf(accountId, key);
};

/** @throws UsageError */
const change =
  (name: 'freeze' | 'unfreeze') =>
  (positionals: string[], options: Options): Command => {
    const account = oneAccount(name, positionals);
    if (options.key !== undefined && options.ucan !== undefined) {
      throw new UsageError(`${name} takes --key or --ucan, not both`);
    }
    return async (foundation, print) => {
      const { accountId } = await theAccount(foundation, account);
      const subject = await subjectOf(foundation, accountId, options);
      const { handler } = foundation.commands;
      const { frozen } = foundation.authority;
      const freezes = createFreezes({ handler, changed: frozen.change });
      const maker = { subjects: [] };
      const { position } = await freezes[name](accountId, subject, maker, operatorContext());
      const what = subject === accountSubject ? accountId : `${subject} of ${accountId}`;
      const now = name === 'freeze' ? 'frozen' : 'not frozen';
      print(position === 0n ? `${what} was ${now} already.` : `${what} is ${now}.`);
      return exitCodes.done;
    };
  };

const options = { key: 'text', ucan: 'text' } as const;

export const freezeCommand = defineCommand({
  name: 'freeze',
  usage: 'ACCOUNT [--key ID | --ucan CID]',
  summary: 'Stops all spending of an account, of a key or of a UCAN; reading and cancelling go on.',
  help: 'Letters that are already queued are still printed. The owner can unfreeze it with a full key; block an account to prevent that.',
  examples: ['freeze anna@example.com', 'freeze acct_4f… --key key_1c…'],
  options,
  read: change('freeze'),
});

export const unfreezeCommand = defineCommand({
  name: 'unfreeze',
  usage: 'ACCOUNT [--key ID | --ucan CID]',
  summary: 'Lets an account, a key or a UCAN that was frozen spend again.',
  options,
  read: change('unfreeze'),
});
