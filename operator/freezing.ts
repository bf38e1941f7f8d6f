/** Freezing by the operator: an account, one of its keys or one of its UCANs. */
import { isCanonicalCid } from '../identity/ucan/cid.ts';
import { changeFreeze } from '../service/operating/account-actions.ts';
import { theAccount } from '../service/operating/find-account.ts';
import { oneAccount } from './account-change.ts';
import { type CommandWork, UsageError } from './command.ts';
import { defineCommand } from './define-command.ts';

type Options = { key?: string; ucan?: string };

/** A UCAN is frozen by its canonical CID alone. @throws UsageError */
const assertCid = (text: string): void => {
  if (isCanonicalCid(text)) return;
  throw new UsageError(
    `${text} is not the CID of a UCAN, which begins with bafkrei and has 59 characters`,
  );
};

/** @throws UsageError */
const change =
  (name: 'freeze' | 'unfreeze') =>
  (positionals: string[], options: Options): CommandWork => {
    const account = oneAccount(name, positionals);
    if (options.key !== undefined && options.ucan !== undefined) {
      throw new UsageError(`${name} takes --key or --ucan, not both`);
    }
    // A freeze of another text, which was accepted before, can still be lifted.
    if (name === 'freeze' && options.ucan !== undefined) assertCid(options.ucan);
    return async (foundation, print) => {
      const named = await theAccount(foundation, account);
      const { what, changed } = await changeFreeze(foundation, name, named, options);
      const unchanged = name === 'freeze' ? 'was frozen already' : 'was not frozen';
      const now = name === 'freeze' ? 'is frozen' : 'is not frozen';
      print(`${what} ${changed ? now : unchanged}.`);
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
