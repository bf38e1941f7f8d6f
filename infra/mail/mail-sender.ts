import type { MailPorts, SendOutcome } from '../../reactors/deliver-mail.ts';
import { withUnsubscribeLink } from './mail-layout.ts';
import { MailError, type Mailer } from './mailer.ts';
import { senderHost } from './sender-host.ts';

const outcomeOf = (error: unknown): SendOutcome => {
  if (!(error instanceof MailError) || error.maybeSent) return { kind: 'unknown' };
  const { code, kind, reply } = error;
  return { kind: 'refused', code, permanent: kind === 'permanent', reply };
};

/**
 * Hands mails to the mail server. The Message-ID is made of the mail's id, so it is the same at every
 * attempt.
 * @param from MAIL_FROM: an address, with or without a display name
 */
export const createMailSender = (mailer: Mailer, from: string): MailPorts['send'] => {
  const host = senderHost(from);
  if (host === undefined) throw new TypeError(`${JSON.stringify(from)} is not a sender of mails`);
  return async ({ mailId, ...mail }, stopping) => {
    const messageId = `<${mailId}@${host}>`;
    try {
      const { accepted } = await mailer.send(
        { ...withUnsubscribeLink(mail, mail.unsubscribeUrl), messageId },
        stopping,
      );
      return accepted ? { kind: 'taken' } : { kind: 'unknown' };
    } catch (error) {
      return outcomeOf(error);
    }
  };
};
