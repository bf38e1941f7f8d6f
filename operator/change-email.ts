/** Another e-mail address for an account. */
import { isMailbox } from '../infra/mail/mailbox.ts';
import { operatorContext } from '../service/operating/account-actions.ts';
import { theAccount } from '../service/operating/find-account.ts';
import { type CommandWork, UsageError } from './command.ts';
import { defineCommand } from './define-command.ts';

const inDomain = /\.[^@.]+$/;

/** @throws UsageError */
const changeEmail = (
  [name, email, ...rest]: string[],
  { final = false }: { final?: boolean },
): CommandWork => {
  if (name === undefined || email === undefined || rest.length > 0) {
    throw new UsageError('change-email takes ACCOUNT and EMAIL');
  }
  if (!isMailbox(email) || !inDomain.test(email) || email.length > 254) {
    throw new UsageError(`${email} is not an e-mail address to which mail can be sent`);
  }
  return async (foundation, print) => {
    const { accountId } = await theAccount(foundation, name);
    const { emailChanges } = foundation.commands.accounts;
    const wanted = { email, final };
    const { state, events } = await emailChanges.change(accountId, wanted, operatorContext());
    if (events.length === 0) {
      print(`${accountId} has the address ${email} already: nothing was changed.`);
      return;
    }
    print(`${accountId} has the address ${email} now; it is found by it alone.`);
    const isStoppable = events.some(
      (event) => event.type === 'EmailChanged' && event.data.stoppableUntil,
    );
    const isConfirmed = state.confirmedAt !== undefined;
    if (!foundation.config.mail) {
      print('No mail server is configured (SMTP_URL), so neither address gets a mail.');
      if (!isConfirmed) print(`confirm-email ${accountId} confirms the new address.`);
      return;
    }
    const until = state.formerEmails.at(-1)?.stoppableUntil;
    print(
      isStoppable
        ? `A mail tells the address before, which can take the change back until ${until}.`
        : 'The address before cannot take the change back.',
    );
    if (!isConfirmed) print('A mail asks the new address to confirm.');
  };
};

export const changeEmailCommand = defineCommand({
  name: 'change-email',
  usage: 'ACCOUNT EMAIL [--final]',
  summary: 'Gives an account another e-mail address, at once.',
  help: `The id, the keys and the letters of the account stay. Recovery links, and notifications that went to the address before, go to the new one. Links that were sent before end, and so do sessions of the console that began with them.
The address before gets a mail and can take the change back for seven days; it cannot be registered for eight. --final: it cannot take the change back and can be registered at once; for an address that is in other hands. An address that nobody confirmed gets no mail.`,
  examples: ['change-email anna@example.com anna.new@example.com'],
  options: { final: 'flag' },
  read: changeEmail,
});
