import { senderHost } from '../../../infra/mail/sender-host.ts';
import { orFail, passwordSigns } from '../config-parsers.ts';
import { group, plain, secret, stated, together } from '../group.ts';

const isSender = (from: string): boolean => !/[\r\n]/.test(from) && senderHost(from) !== undefined;

const smtpUrl = orFail((value) => {
  const address = URL.parse(value);
  const isKnown = address !== null && /^smtps?:$/.test(address.protocol);
  return isKnown && address.hash === '' ? value : undefined;
}, `must be a URL with smtp or smtps; ${passwordSigns}`);

const withHost = orFail(
  (value) => (new URL(smtpUrl(value)).hostname ? value : undefined),
  'must be a URL with a host',
);

/** The mail library ignores parameters that it does not know, and would then also send without TLS. */
const isMisspelt = ([name, value]: [string, string]): boolean =>
  /^(require|force)[_-]?(start)?tls$/i.test(name) &&
  !(name === 'requireTLS' && ['true', 'false', '1', '0'].includes(value));

const mailServer = orFail(
  (value) => ([...new URL(withHost(value)).searchParams].some(isMisspelt) ? undefined : value),
  'must insist on TLS as ?requireTLS=true',
);

export const mail = group({
  settings: {
    SMTP_URL: secret(
      mailServer,
      'mail server (`smtp://` or `smtps://`); without it, no mail is sent, see [E-mail](email.md)',
    ),
    MAIL_FROM: plain(
      orFail(
        (from) => (isSender(from) ? from : undefined),
        'must be one e-mail address, with or without a name before it',
      ),
      "required with `SMTP_URL`: the sender's address",
    ),
  },
  needs: [together(['SMTP_URL', 'MAIL_FROM'])],
  read: ({ SMTP_URL: smtpUrl, MAIL_FROM: from = '' }) => ({
    mail: smtpUrl === undefined ? undefined : { smtpUrl, from },
  }),
  describe: ({ mail }) => [stated('mail', mail, `from ${mail?.from}`, 'not configured (SMTP_URL)')],
});
