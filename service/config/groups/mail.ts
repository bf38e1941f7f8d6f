import { matching, url } from '../config-parsers.ts';
import { group, plain, secret, stated, together } from '../group.ts';

export const mail = group({
  settings: {
    SMTP_URL: secret(
      url('smtp', 'smtps'),
      'mail server (`smtp://` or `smtps://`); without it, no mail is sent, see [E-mail](email.md)',
    ),
    MAIL_FROM: plain(
      matching(/^[^\r\n]*[^\s@<]+@[^\s@>]+>?$/, 'must be an e-mail address'),
      "required with `SMTP_URL`: the sender's address",
    ),
  },
  needs: [together(['SMTP_URL', 'MAIL_FROM'])],
  read: ({ SMTP_URL: smtpUrl, MAIL_FROM: from = '' }) => ({
    mail: smtpUrl === undefined ? undefined : { smtpUrl, from },
  }),
  describe: ({ mail }) => [stated('mail', mail, `from ${mail?.from}`, 'not configured (SMTP_URL)')],
});
