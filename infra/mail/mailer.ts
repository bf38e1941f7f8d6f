import { createTransport } from 'nodemailer';
import type { CustomAuthenticationContext } from 'nodemailer/lib/smtp-connection';
import { isMailbox } from './mailbox.ts';

export type Mail = {
  /** One address, without a display name. */
  to: string;
  subject: string;
  text: string;
  html: string;
  /** `<local@host>`, the same for every attempt, so that a repeated mail is recognised as such. */
  messageId: string;
  /** Where a POST stops such mails (RFC 8058). */
  unsubscribeUrl?: string | undefined;
};

type MailErrorCode =
  | 'recipient_invalid'
  | 'rejected'
  | 'greylisted'
  | 'authentication_failed'
  | 'tls_failed'
  | 'timed_out'
  | 'connection_failed'
  | 'interrupted';

/** A mail that was not taken. The message holds no address. */
export class MailError extends Error {
  readonly code: MailErrorCode;
  /** Permanent: the same mail will be refused again. Temporary: worth another attempt. */
  readonly kind: 'temporary' | 'permanent';
  /** The SMTP reply code, where there was one. */
  readonly reply: number | undefined;
  /**
   * True where the mail went out as a whole and no reply came: the server may have taken it. A repeated
   * attempt may then arrive twice, with the same Message-ID.
   */
  readonly maybeSent: boolean;

  constructor(
    code: MailErrorCode,
    more: {
      kind: 'temporary' | 'permanent';
      reply?: number | undefined;
      maybeSent?: boolean;
      cause?: unknown;
    },
  ) {
    super(`the mail was not taken: ${code}${more.reply ? ` (${more.reply})` : ''}`, {
      cause: more.cause,
    });
    this.name = 'MailError';
    this.code = code;
    this.kind = more.kind;
    this.reply = more.reply;
    this.maybeSent = more.maybeSent ?? false;
  }
}

export type Mailer = {
  /**
   * @param stopping gives up a mail of which the server does not have everything
   * @returns once the server took the mail; `response` is its reply
   * @throws MailError
   * @throws TypeError for an invalid Message-ID
   */
  send(mail: Mail, stopping?: AbortSignal): Promise<{ accepted: boolean; response: string }>;
  close(): void;
};

const messageIdPattern = /^<[A-Za-z0-9._+=-]{1,128}@[A-Za-z0-9.-]{1,253}>$/;

/**
 * Splits a sender into name and address. The mail library would read a name with `:`, `;` or brackets as a group, a list
 * or a comment.
 */
const senderOf = (from: string): string | { name: string; address: string } => {
  const [, before, address] = /^(.*)<([^<>]*)>$/.exec(from) ?? [];
  if (before === undefined || address === undefined) return from;
  const quoted = /^"(.*)"$/.exec(before.trim())?.[1];
  return { name: quoted?.replaceAll(/\\(.)/g, '$1') ?? before.trim(), address: address.trim() };
};

/** A subject is one line; line breaks and other controls in it become spaces. */
const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();

const fieldOf = (error: unknown, name: string): unknown =>
  typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined;

const unreachable: Record<string, MailErrorCode> = {
  EAUTH: 'authentication_failed',
  ENOAUTH: 'authentication_failed',
  ETLS: 'tls_failed',
  ETIMEDOUT: 'timed_out',
  EABORT: 'timed_out',
};

/** The library replaces the code of such an error. The text is that of OpenSSL or Node. */
const isTlsError = (error: unknown): boolean =>
  error instanceof Error && /certificate|SSL routines/.test(error.message);

/** The server wants TLS or a login before it takes any mail (RFC 3207, RFC 4954). */
const loginNeeded = 530;

/**
 * A refusal of the mail itself is final with 5xx. Errors before it (connection, TLS, login) are faults of
 * the way and may be repaired, whichever reply they come with.
 */
const toMailError = (cause: unknown, wholeMailRead: boolean): MailError => {
  const code = String(fieldOf(cause, 'code') ?? '');
  const replied = fieldOf(cause, 'responseCode');
  const reply = typeof replied === 'number' ? replied : undefined;
  if (reply === loginNeeded) {
    return new MailError('authentication_failed', { kind: 'temporary', reply, cause });
  }
  if ((code === 'EENVELOPE' || code === 'EMESSAGE') && (reply === undefined || reply >= 500)) {
    return new MailError('rejected', { kind: 'permanent', reply, cause });
  }
  if (code === 'EENVELOPE' || code === 'EMESSAGE') {
    return new MailError('greylisted', { kind: 'temporary', reply, cause });
  }
  const maybeSent = wholeMailRead && reply === undefined;
  const named = isTlsError(cause) ? 'tls_failed' : (unreachable[code] ?? 'connection_failed');
  return new MailError(named, { kind: 'temporary', reply, maybeSent, cause });
};

const unsubscribeHeaders = ({ unsubscribeUrl: url }: Mail): Record<string, string> =>
  url === undefined
    ? {}
    : { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };

const assertMail = ({ to, messageId }: Mail): void => {
  if (!messageIdPattern.test(messageId)) {
    throw new TypeError(`${JSON.stringify(messageId)} is not a Message-ID such as <id@host>`);
  }
  if (!isMailbox(to)) throw new MailError('recipient_invalid', { kind: 'permanent' });
};

/**
 * AUTH PLAIN, which the library also chooses for a server that offers no login it knows. Such a server gets no password,
 * and no mail either: as a stranger to it, it would refuse the mail for good.
 */
const loginPlain = async ({
  authMethods,
  auth,
  sendCommand,
}: CustomAuthenticationContext): Promise<void> => {
  if (!authMethods.includes('PLAIN')) throw new Error('the mail server offers no login');
  const { user, pass = '' } = auth.credentials;
  const word = Buffer.from(`\0${user}\0${pass}`).toString('base64');
  const { status } = await sendCommand(`AUTH PLAIN ${word}`);
  if (status !== 235) throw new Error('Invalid login');
};

/** The options of a connection to the mail server. */
export const connectionTo = (smtpUrl: string, timeoutMs: number) => ({
  url: smtpUrl,
  forceAuth: new URL(smtpUrl).username !== '',
  customAuth: { PLAIN: loginPlain },
  connectionTimeout: timeoutMs,
  greetingTimeout: timeoutMs,
  socketTimeout: timeoutMs,
  dnsTimeout: timeoutMs,
  disableFileAccess: true,
  disableUrlAccess: true,
});

/**
 * Mail over SMTP, one connection per mail. STARTTLS is used where the server offers it; add
 * `?requireTLS=true` to `smtpUrl` to insist on it, and `smtps://` for TLS from the start.
 * @param options.smtpUrl `smtp[s]://[user:password@]host[:port]`
 * @param options.from an address, with or without a display name
 * @param options.timeoutMs of a whole send
 * @param options.ca PEM, instead of the certificate authorities of the system
 */
export function createMailer(options: {
  smtpUrl: string;
  from: string;
  timeoutMs?: number;
  ca?: string;
}): Mailer {
  const { smtpUrl, from, timeoutMs = 30_000, ca } = options;
  const sender = senderOf(from);
  const transport = createTransport({
    ...connectionTo(smtpUrl, timeoutMs),
    ...(ca === undefined ? {} : { tls: { ca } }),
  });
  /** Signals of mails whose last byte went to the server; before its 354 none is read. */
  const readToTheEnd = new WeakSet<AbortSignal>();
  transport.use('stream', (mail, done) => {
    const { signal } = mail.data;
    mail.message.processFunc((encoded) =>
      encoded.once('end', () => signal && readToTheEnd.add(signal)),
    );
    done();
  });

  return {
    async send(mail, stopping) {
      assertMail(mail);
      const interruption = new AbortController();
      const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), interruption.signal]);
      // Once the server has the whole mail, only its answer tells whether it took it.
      const interrupt = () => !readToTheEnd.has(signal) && interruption.abort();
      if (stopping?.aborted) interrupt();
      stopping?.addEventListener('abort', interrupt);
      try {
        const { accepted, response } = await transport.sendMail({
          from: sender,
          to: { name: '', address: mail.to },
          subject: oneLine(mail.subject),
          text: mail.text,
          html: mail.html,
          messageId: mail.messageId,
          headers: { 'Auto-Submitted': 'auto-generated', ...unsubscribeHeaders(mail) },
          signal,
        });
        return { accepted: accepted.length > 0, response };
      } catch (cause) {
        throw interruption.signal.aborted
          ? new MailError('interrupted', { kind: 'temporary', cause })
          : toMailError(cause, readToTheEnd.has(signal));
      } finally {
        stopping?.removeEventListener('abort', interrupt);
      }
    },
    close: () => transport.close(),
  };
}
