import { createTransport } from 'nodemailer';
import { type Check, ok, warn } from '../../ground/check.ts';
import { connectionTo } from './mailer.ts';

const timeoutMs = 8_000;

/** Whether the part of a sender before the @ has characters that take a server with SMTPUTF8 (RFC 6531). */
const needsUtf8 = (from: string): boolean =>
  /[^\p{ASCII}]/u.test(from.slice(from.lastIndexOf('<') + 1, from.lastIndexOf('@')));

/** The SMTP handshake, with TLS and login as for a mail; no mail is sent. */
export const checkMail = (mail: { smtpUrl: string; from: string } | undefined): Check => ({
  name: 'mail',
  remedy: 'correct SMTP_URL, or ask who runs the mail server',
  async run() {
    if (!mail) return ok('not configured (SMTP_URL)');
    const transport = createTransport(connectionTo(mail.smtpUrl, timeoutMs));
    try {
      await transport.verify();
      const { host, username } = new URL(mail.smtpUrl);
      const found = username === '' ? 'answers, without a login' : 'accepts the login';
      const state = `${host} ${found}; mails are from ${mail.from}`;
      return needsUtf8(mail.from)
        ? warn(
            `${state}, and a mail server without SMTPUTF8 refuses that sender`,
            'set MAIL_FROM to an address with ASCII characters only before the @',
          )
        : ok(state);
    } finally {
      transport.close();
    }
  },
});
