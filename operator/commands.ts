import { newKeyCommand, revokeKeysCommand } from './account-keys.ts';
import { blockCommand, confirmEmailCommand, unblockCommand } from './account-restrictions.ts';
import { accountCommand, accountsCommand } from './accounts.ts';
import { adjustCommand } from './adjust.ts';
import { advanceCommand } from './advance.ts';
import { approveCommand, rejectCommand } from './approvals.ts';
import { backupCommand } from './backup.ts';
import { backupKeyCommand } from './backup-key.ts';
import { cancelCommand } from './cancel.ts';
import { changeEmailCommand } from './change-email.ts';
import { type Command, UsageError } from './command.ts';
import { consoleLinkCommand } from './console-link.ts';
import { copyLogCommand } from './copy-log.ts';
import { creditCommand } from './credit.ts';
import type { CommandSpec } from './define-command.ts';
import { doctorCommand } from './doctor.ts';
import { endConsoleSessionsCommand } from './end-console-sessions.ts';
import { eraseAccountCommand } from './erase-account.ts';
import { findCommand } from './find.ts';
import { freezeCommand, unfreezeCommand } from './freezing.ts';
import { jobsCommand, parkedCommand } from './jobs.ts';
import { keysCommand, revokeKeyCommand, rotateKeyCommand } from './keys.ts';
import { letterCommand } from './letter.ts';
import { lettersCommand } from './letters.ts';
import { mailsCommand, resendMailCommand } from './mails.ts';
import { notificationsCommand, redeliverCommand } from './notifications.ts';
import { pricesCommand } from './prices.ts';
import { quotasCommand } from './quotas.ts';
import { rebuildCommand } from './rebuild.ts';
import { reconcileCommand } from './reconcile.ts';
import { refundCommand } from './refund.ts';
import { reissueCommand } from './reissue.ts';
import { replayCommand } from './replay.ts';
import { resendCommand } from './resend.ts';
import { restoreCommand } from './restore.ts';
import { restoreDrillCommand } from './restore-drill.ts';
import { restoredCommand } from './restored.ts';
import { rotateMasterCommand } from './rotate-master.ts';
import { statementCommand } from './statement.ts';
import { verifyCommand } from './verify.ts';

/** All commands, by what they are about, in the order of the help. */
export const commandGroups: readonly { about: string; commands: readonly CommandSpec[] }[] = [
  {
    about: 'Letters',
    commands: [
      letterCommand,
      lettersCommand,
      cancelCommand,
      resendCommand,
      refundCommand,
      replayCommand,
      advanceCommand,
      restoredCommand,
      approveCommand,
      rejectCommand,
    ],
  },
  {
    about: 'Accounts',
    commands: [
      accountsCommand,
      accountCommand,
      newKeyCommand,
      revokeKeysCommand,
      confirmEmailCommand,
      changeEmailCommand,
      blockCommand,
      unblockCommand,
      freezeCommand,
      unfreezeCommand,
      eraseAccountCommand,
      quotasCommand,
      notificationsCommand,
      redeliverCommand,
      mailsCommand,
      resendMailCommand,
    ],
  },
  {
    about: 'Money',
    commands: [statementCommand, creditCommand, adjustCommand, reconcileCommand, pricesCommand],
  },
  {
    about: 'Checks and backups',
    commands: [doctorCommand, backupKeyCommand, backupCommand, restoreCommand, restoreDrillCommand],
  },
  {
    about: 'Console and jobs',
    commands: [
      consoleLinkCommand,
      endConsoleSessionsCommand,
      findCommand,
      jobsCommand,
      parkedCommand,
    ],
  },
  {
    about: 'Log and keys',
    commands: [
      verifyCommand,
      rebuildCommand,
      copyLogCommand,
      keysCommand,
      rotateKeyCommand,
      revokeKeyCommand,
      rotateMasterCommand,
      reissueCommand,
    ],
  },
];

export const commandSpecs: readonly CommandSpec[] = commandGroups.flatMap(
  ({ commands }) => commands,
);

/** @throws UsageError */
export const specOf = (name: string | undefined): CommandSpec => {
  if (name === undefined) throw new UsageError('name a command');
  const spec = commandSpecs.find((one) => one.name === name);
  if (!spec) throw new UsageError(`there is no command ${name}`);
  return spec;
};

/** The command that the arguments name. @throws UsageError */
export const commandOf = ([name, ...args]: string[]): Command => specOf(name).parse(args);
