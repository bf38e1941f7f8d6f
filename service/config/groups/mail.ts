import { senderHost } from '../../../infra/mail/sender-host.ts';
import { orFail, url } from '../config-parsers.ts';
import { group, plain, secret, stated, together } from '../group.ts';

const isSender = (from: string): boolean =>
  /^[^\r\n]*[^\s@<]+@[^\s@>]+>?$/.test(from) && senderHost(from) !== undefined;

export const mail = group({
  settings: {
    SMTP_URL: secret(
      url('smtp', 'smtps'),
      'mail server (`smtp://` or `smtps://`); without it, no mail is sent, see [E-mail](email.md)',
    ),
    MAIL_FROM: plain(
      orFail((from) => (isSender(from) ? from : undefined), 'must be an e-mail address'),
      "required with `SMTP_URL`: the sender's address",
    ),
  },
  needs: [together(['SMTP_URL', 'MAIL_FROM'])],
  read: ({ SMTP_URL: smtpUrl, MAIL_FROM: from = '' }) => ({
    mail: smtpUrl === undefined ? undefined : { smtpUrl, from },
  }),
  describe: ({ mail }) => [stated('mail', mail, `from ${mail?.from}`, 'not configured (SMTP_URL)')],
});
