import { createTransport } from 'nodemailer';
import { type Check, ok } from '../../ground/check.ts';
import { connectionTo } from './mailer.ts';

const timeoutMs = 8_000;

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
      return ok(`${host} ${found}; mails are from ${mail.from}`);
    } finally {
      transport.close();
    }
  },
});
