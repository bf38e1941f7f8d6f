import type { AddressInfo, Socket } from 'node:net';
import { SMTPServer } from 'smtp-server';

export type ReceivedMail = {
  to: string[];
  subject: string;
  messageId: string;
  /** Decoded parts, text and HTML. */
  text: string;
  html: string;
  raw: string;
};

/** Whether a mail asks its reader to confirm the address. */
export const asksToConfirm = ({ subject }: Pick<ReceivedMail, 'subject'>): boolean =>
  subject.endsWith('Please confirm your e-mail address');

/** The token in the link of a mail. */
export const tokenIn = ({ text }: Pick<ReceivedMail, 'text'>): string =>
  /#token=(\S+)/.exec(text)?.[1] ?? '';

/** The server's reaction to the next mails. */
type SmtpBehaviour =
  | { kind: 'take' }
  /** Answers RCPT with this code. */
  | { kind: 'refuse'; code: number }
  /** Takes the whole mail and cuts the connection before it says so. */
  | { kind: 'take-and-cut' }
  /** Takes the whole mail and never answers. */
  | { kind: 'take-and-hang' };

const decodeQuotedPrintable = (text: string): string => {
  const bytes = text
    .replaceAll(/=\r\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number(`0x${hex}`)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
};

const decodeBody = (part: string): string => {
  const [head = '', ...rest] = part.split('\r\n\r\n');
  const body = rest.join('\r\n\r\n');
  if (/Content-Transfer-Encoding: base64/i.test(head)) {
    return Buffer.from(body, 'base64').toString('utf8');
  }
  return /Content-Transfer-Encoding: quoted-printable/i.test(head)
    ? decodeQuotedPrintable(body)
    : body;
};

const decodeWords = (header: string): string =>
  header
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?UTF-8\?([QB])\?([^?]*)\?=/gi, (_, how: string, text: string) =>
      how.toUpperCase() === 'B'
        ? Buffer.from(text, 'base64').toString('utf8')
        : decodeQuotedPrintable(text.replaceAll('_', ' ')),
    );

const parse = (raw: string, to: string[]): ReceivedMail => {
  const unfolded = (raw.split('\r\n\r\n')[0] ?? '').replaceAll(/\r\n[ \t]+/g, ' ');
  const header = (name: string): string =>
    decodeWords(new RegExp(`^${name}: (.*)$`, 'im').exec(unfolded)?.[1]?.trim() ?? '');
  const boundary = /boundary="([^"]+)"/.exec(unfolded)?.[1] ?? '\0';
  const parts = raw.split(`--${boundary}`);
  const partOf = (type: string): string =>
    decodeBody((parts.find((one) => one.includes(`Content-Type: ${type}`)) ?? '').trimStart());
  return {
    to,
    subject: header('Subject'),
    messageId: header('Message-ID'),
    text: partOf('text/plain'),
    html: partOf('text/html'),
    raw,
  };
};

/** `recipient`: before RCPT is answered; `whole-mail`: before the mail's end is answered. */
export type SmtpMoment = 'recipient' | 'whole-mail' | 'answered';

/** A real SMTP server on loopback. Every mail that arrived as a whole is in `mails`. */
export const startSmtpServer = async () => {
  const mails: ReceivedMail[] = [];
  const sockets = new Set<Socket>();
  let behaviour: SmtpBehaviour = { kind: 'take' };
  let refusals = 0;
  let meanwhile: Partial<Record<SmtpMoment, () => unknown>> = {};
  /** The action of a test at a moment, once. */
  const happen = async (moment: SmtpMoment): Promise<void> => {
    const act = meanwhile[moment];
    meanwhile = { ...meanwhile, [moment]: undefined };
    await act?.();
  };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo(_, __, done) {
      if (behaviour.kind !== 'refuse') return void happen('recipient').then(() => done());
      refusals += 1;
      return done(Object.assign(new Error('not now'), { responseCode: behaviour.code }));
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const to = session.envelope.rcptTo.map(({ address }) => address);
        mails.push(parse(Buffer.concat(chunks).toString('utf8'), to));
        if (behaviour.kind === 'take-and-cut') cut();
        else if (behaviour.kind !== 'take-and-hang') {
          void happen('whole-mail')
            .then(() => done())
            .then(() => happen('answered'));
        }
      });
    },
  });
  server.on('error', () => {});
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
  });
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const listen = (port: number): Promise<void> =>
    new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    refusals: () => refusals,
    behave(next: SmtpBehaviour): void {
      behaviour = next;
    },
    /** Does something at the next such moment, before the server goes on. */
    at(moment: SmtpMoment, act: () => unknown): void {
      meanwhile = { ...meanwhile, [moment]: act };
    },
    mailsTo: (address: string) => mails.filter(({ to }) => to.includes(address)),
    /** Cuts every connection. */
    cut,
    async stop(): Promise<void> {
      cut();
      await new Promise<void>((resolve) => server.close(resolve));
    },
  };
};

export type TestSmtpServer = Awaited<ReturnType<typeof startSmtpServer>>;
