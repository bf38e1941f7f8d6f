/** A key pair of age, for those who have no age-keygen. */
import { writeFile } from 'node:fs/promises';
import { newIdentity } from '../infra/backup/age.ts';
import { bareCommand, type Command, exitCodes, Refused, UsageError } from './command.ts';
import { defineCommand } from './define-command.ts';

/** @throws UsageError */
const backupKey = ([file, ...rest]: string[]): Command => {
  if (file === undefined || rest.length > 0) throw new UsageError('backup-key takes FILE');
  return bareCommand(async (_env, _log, print) => {
    const { identity, recipient } = await newIdentity();
    const text = `# public key: ${recipient}\n${identity}\n`;
    await writeFile(file, text, { flag: 'wx', mode: 0o600 }).catch(
      (error: NodeJS.ErrnoException) => {
        throw new Refused(`${file} cannot be written (${error.code}); name a new file`);
      },
    );
    print(recipient);
    return exitCodes.done;
  });
};

export const backupKeyCommand = defineCommand({
  name: 'backup-key',
  usage: 'FILE',
  summary: 'Makes a key for backups: writes the secret key to a file and prints the public key.',
  help: 'FILE is an identity file of age (https://age-encryption.org). Keep it away from this machine: everyone who has it and a backup can read every letter.',
  examples: ['backup-key /media/usb/letters.age'],
  read: backupKey,
});
