import { type AddressInfo, createServer } from 'node:net';
import { expect } from 'chai';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { checkMail } from '../../infra/mail/check-mail.ts';
import { createMailSender } from '../../infra/mail/mail-sender.ts';
import { createMailer, type Mail, MailError } from '../../infra/mail/mailer.ts';
import { leastOf, tookMs } from '../support/least-of.ts';
import { testCa, testServerTls } from '../support/tls.ts';

const mail: Mail = {
  to: 'jane@example.org',
  subject: 'Your letter to Jürgen was posted',
  text: 'Grüße\n.\nend\n',
  html: '<p>Grüße</p>',
  messageId: '<0190-abc@letters.example.org>',
};

const cleanups: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

type Received = { from: string; to: string[]; raw: string; secure: boolean };

/** A real SMTP server that keeps its mails. */
const smtpServer = async (options: SMTPServerOptions = {}) => {
  const received: Received[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map((one) => one.address),
          raw: Buffer.concat(chunks).toString('utf8'),
          secure: session.secure,
        });
        done();
      });
    },
    ...options,
  });
  server.on('error', () => {});
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  cleanups.push(() => new Promise<void>((done) => server.close(done)));
  return { received, host: `127.0.0.1:${(server.server.address() as AddressInfo).port}` };
};

const mailerTo = (
  smtpUrl: string,
  more: { timeoutMs?: number; ca?: string; from?: string } = {},
) => {
  const mailer = createMailer({
    smtpUrl,
    from: 'Letters <post@letters.example.org>',
    timeoutMs: 5_000,
    ...more,
  });
  cleanups.push(() => mailer.close());
  return mailer;
};

const failure = async (work: Promise<unknown>): Promise<MailError> => {
  const error = await work.then(
    () => expect.fail('the mail was taken'),
    (reason: unknown) => reason,
  );
  if (!(error instanceof MailError)) throw error;
  return error;
};

const refusing = (responseCode: number, stage: 'onRcptTo' | 'onData' | 'onMailFrom') => {
  const error = () => Object.assign(new Error('not this one'), { responseCode });
  return smtpServer({
    [stage]: (subject: { resume?: () => void }, _: unknown, done: (error: Error) => void) => {
      subject.resume?.();
      done(error());
    },
  });
};

describe('the mailer', () => {
  it('sends text and HTML, with the Message-ID it was given', async () => {
    const { host, received } = await smtpServer();
    const answer = await mailerTo(`smtp://${host}`).send(mail);
    expect(answer.accepted).to.equal(true);
    expect(answer.response).to.match(/^250 /);
    const [got] = received;
    expect(got).to.include({ from: 'post@letters.example.org' });
    expect(got?.to).to.deep.equal(['jane@example.org']);
    const raw = got?.raw ?? '';
    expect(raw).to.include('Message-ID: <0190-abc@letters.example.org>\r\n');
    expect(raw).to.include('From: Letters <post@letters.example.org>\r\n');
    expect(raw).to.include('To: jane@example.org\r\n');
    expect(raw).to.include('Auto-Submitted: auto-generated\r\n');
    expect(raw).to.match(/Subject: =\?UTF-8\?/);
    expect(raw).to.include('multipart/alternative');
    expect(raw).to.include('text/plain; charset=utf-8').and.include('text/html; charset=utf-8');
    expect(raw.indexOf('text/plain')).to.be.below(raw.indexOf('text/html'));
  });

  it('keeps the Message-ID when a mail is sent again', async () => {
    const { host, received } = await smtpServer();
    const mailer = mailerTo(`smtp://${host}`);
    await mailer.send(mail);
    await mailer.send(mail);
    const ids = received.map(({ raw }) => /^Message-ID: (.*)\r$/m.exec(raw)?.[1]);
    expect(ids).to.deep.equal([mail.messageId, mail.messageId]);
  });

  it('does not let a subject add headers', async () => {
    const { host, received } = await smtpServer();
    const subject = 'a\r\nBcc: eve@example.org\r\n\r\nbody\u2028\0x';
    await mailerTo(`smtp://${host}`).send({ ...mail, subject });
    expect(received[0]?.raw).not.to.match(/^Bcc/im);
    expect(received[0]?.raw).to.match(/^Subject: a Bcc: eve@example.org body x\r$/m);
    expect(received[0]?.to).to.deep.equal(['jane@example.org']);
  });

  it('refuses recipients that are not one plain address, without connecting', async () => {
    let connections = 0;
    const { host } = await smtpServer({
      onConnect: (_, done) => {
        connections += 1;
        done();
      },
    });
    const mailer = mailerTo(`smtp://${host}`);
    const wrong = [
      '',
      'jane',
      'a@example.org, b@example.org',
      'a@example.org\r\nBcc: b@example.org',
      'a@example.org>\r\nRCPT TO:<b@example.org',
      'Jane <jane@example.org>',
      'group: a@example.org;',
      'a b@example.org',
      '"a"@example.org',
      `${'a'.repeat(65)}@example.org`,
      'a@-example.org',
    ];
    for (const to of wrong) {
      const error = await failure(mailer.send({ ...mail, to }));
      expect(error, to).to.include({ code: 'recipient_invalid', kind: 'permanent' });
    }
    for (const messageId of ['a@b', '<a@b>\r\nBcc: c@d', '<a b@c>', '']) {
      const error = await mailer.send({ ...mail, messageId }).catch((reason: unknown) => reason);
      expect(error).to.be.instanceOf(TypeError);
    }
    expect(connections).to.equal(0);
  });
});

describe('the mailer and TLS', () => {
  const withTls = () => smtpServer({ ...testServerTls, disabledCommands: [] });

  it('goes over to TLS where the server offers it', async () => {
    const { host, received } = await withTls();
    await mailerTo(`smtp://${host}`, { ca: testCa }).send(mail);
    expect(received[0]?.secure).to.equal(true);
  });

  it('speaks TLS from the start with smtps', async () => {
    const { host, received } = await smtpServer({ ...testServerTls, secure: true });
    await mailerTo(`smtps://${host}`, { ca: testCa }).send(mail);
    expect(received[0]?.secure).to.equal(true);
  });

  it('does not send to a server whose certificate it does not trust', async () => {
    const { host, received } = await withTls();
    const error = await failure(mailerTo(`smtp://${host}`).send(mail));
    expect(error).to.include({ code: 'tls_failed', kind: 'temporary', maybeSent: false });
    expect(received).to.deep.equal([]);
    const other = await failure(
      mailerTo(`smtp://${host}?tls.servername=other.example`, { ca: testCa }).send(mail),
    );
    expect(other).to.include({ code: 'tls_failed', kind: 'temporary', maybeSent: false });
  });

  it('tells a server that speaks no TLS from one that is away', async () => {
    const { host } = await smtpServer();
    const error = await failure(mailerTo(`smtps://${host}`).send(mail));
    expect(error).to.include({ code: 'tls_failed', kind: 'temporary', maybeSent: false });
  });

  it('needs no certificate where the configuration says that it speaks no TLS', async () => {
    const { host, received } = await withTls();
    await mailerTo(`smtp://${host}?ignoreTLS=true`).send(mail);
    expect(received[0]?.secure).to.equal(false);
  });

  it('takes such a certificate where the configuration says so', async () => {
    const { host, received } = await withTls();
    await mailerTo(`smtp://${host}?tls.rejectUnauthorized=false`).send(mail);
    expect(received[0]?.secure).to.equal(true);
  });

  it('does not send in the clear where TLS is required', async () => {
    const { host, received } = await smtpServer();
    const error = await failure(mailerTo(`smtp://${host}?requireTLS=true`).send(mail));
    expect(error).to.include({ kind: 'temporary', maybeSent: false });
    expect(received).to.deep.equal([]);
  });
});

describe('the mailer and refusals', () => {
  for (const stage of ['onMailFrom', 'onRcptTo', 'onData'] as const) {
    it(`takes 4xx for temporary and 5xx for permanent at ${stage}`, async () => {
      const later = await refusing(451, stage);
      expect(await failure(mailerTo(`smtp://${later.host}`).send(mail))).to.include({
        code: 'greylisted',
        kind: 'temporary',
        reply: 451,
        maybeSent: false,
      });
      const never = await refusing(550, stage);
      expect(await failure(mailerTo(`smtp://${never.host}`).send(mail))).to.include({
        code: 'rejected',
        kind: 'permanent',
        reply: 550,
        maybeSent: false,
      });
    });
  }

  it('does not blame the mail for a log-in that is refused', async () => {
    const { host } = await smtpServer({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: (_, __, done) => done(new Error('wrong')),
    });
    const error = await failure(mailerTo(`smtp://me:secret@${host}`).send(mail));
    expect(error).to.include({ code: 'authentication_failed', kind: 'temporary', reply: 535 });
    expect(`${error.message} ${String(error.stack)}`).not.to.include('secret');
  });

  it('does not blame the mail for a log-in that the URL leaves out', async () => {
    const { host } = await smtpServer({ authOptional: false, allowInsecureAuth: true });
    expect(await failure(mailerTo(`smtp://${host}`).send(mail))).to.include({
      code: 'authentication_failed',
      kind: 'temporary',
      reply: 530,
      maybeSent: false,
    });
  });

  it('logs in over TLS where the server offers the login only then', async () => {
    for (const authMethods of [['PLAIN'], ['LOGIN'], ['LOGIN', 'PLAIN', 'XOAUTH2'], ['CRAM-MD5']]) {
      const { host, received } = await smtpServer({
        ...testServerTls,
        disabledCommands: [],
        authOptional: false,
        authMethods,
        onAuth: ({ username, password, validatePassword }, _, done) => {
          const fits = password === 'secret' || validatePassword('secret');
          done(fits && username === 'me' ? null : new Error('wrong'), { user: 'me' });
        },
      });
      await mailerTo(`smtp://me:secret@${host}`, { ca: testCa }).send(mail);
      expect(received, authMethods.join()).to.have.length(1);
    }
  });

  it('sends no mail, and no password, to a server that offers no login', async () => {
    const asked: string[] = [];
    const { host, received } = await smtpServer({
      disabledCommands: ['STARTTLS', 'AUTH'],
      onAuth: (_, __, done) => done(new Error('never')),
      onRcptTo: (_, __, done) => {
        asked.push('RCPT');
        done(Object.assign(new Error('Relay access denied'), { responseCode: 554 }));
      },
    });
    const error = await failure(mailerTo(`smtp://me:secret@${host}`).send(mail));
    expect(error).to.include({
      code: 'authentication_failed',
      kind: 'temporary',
      reply: undefined,
    });
    expect(asked).to.deep.equal([]);
    expect(received).to.deep.equal([]);
    const check = checkMail({ smtpUrl: `smtp://me:secret@${host}`, from: 'post@example.org' });
    const message = await check.run().then(
      ({ found }) => found,
      (reason: Error) => reason.message,
    );
    expect(message).to.equal('the mail server offers no login');
  });

  it('logs in with the user of the URL', async () => {
    let seen: unknown;
    const { host, received } = await smtpServer({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _, done) => {
        seen = { username, password };
        done(null, { user: 'me' });
      },
    });
    await mailerTo(`smtp://me%40example.org:p%3Ass@${host}`).send(mail);
    expect(seen).to.deep.equal({ username: 'me@example.org', password: 'p:ss' });
    expect(received).to.have.length(1);
  });
});

describe('the check of the mail server', () => {
  it('says that the log-in was accepted where there is one, and otherwise that the server answers', async () => {
    const { host } = await smtpServer({
      allowInsecureAuth: true,
      onAuth: (_, __, done) => done(null, { user: 'me' }),
    });
    const from = 'post@letters.example.org';
    const told = async (smtpUrl: string) => (await checkMail({ smtpUrl, from }).run()).found;
    expect(await told(`smtp://me:secret@${host}`)).to.include(`${host} accepts the login;`);
    expect(await told(`smtp://${host}`)).to.include(`${host} answers, without a login;`);
    const { host: refusing } = await smtpServer({
      allowInsecureAuth: true,
      onAuth: (_, __, done) => done(new Error('wrong password')),
    });
    const refused = await told(`smtp://me:secret@${refusing}`).catch(
      (error: Error) => error.message,
    );
    expect(refused).to.equal('Invalid login: 535 wrong password');
    const stateOf = async (sender: string) =>
      (await checkMail({ smtpUrl: `smtp://${host}`, from: sender }).run()).state;
    expect(await stateOf('Jörg <post@müller.example>')).to.equal('ok');
    for (const sender of ['jörg@letters.example.org', 'Post <jörg@letters.example.org>']) {
      expect(await stateOf(sender), sender).to.equal('warn');
    }
  });
});

describe('the mailer and broken connections', () => {
  /** Speaks SMTP by a script: the answer to each command, or what to do to the connection. */
  const scripted = async (
    steps: Record<string, 'drop' | 'hang' | string>,
    onStep: (step: string) => unknown = () => {},
  ) => {
    const server = createServer((socket) => {
      let inData = false;
      let pending = '';
      const answer = (step: string) => {
        if (step === 'drop') socket.destroy();
        else if (step !== 'hang') socket.write(`${step}\r\n`);
      };
      const obey = (line: string) => {
        const end = inData && line === '.';
        if (inData && !end) return;
        const command = end ? 'END' : (line.split(/[ :]/)[0]?.toUpperCase() ?? '');
        inData = command === 'DATA';
        onStep(command);
        answer(steps[command] ?? (inData ? '354 go on' : '250 ok'));
      };
      socket
        .on('error', () => {})
        .on('data', (chunk) => {
          const lines = `${pending}${chunk.toString('utf8')}`.split('\r\n');
          pending = lines.pop() ?? '';
          for (const line of lines) obey(line);
        });
      onStep('GREETING');
      answer(steps.GREETING ?? '220 hello');
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    cleanups.push(() => new Promise((done) => server.close(done)));
    return `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };

  it('sends to the scripted server where nothing goes wrong', async () => {
    const url = await scripted({ END: '250 taken' });
    expect(await mailerTo(url).send(mail)).to.deep.equal({ accepted: true, response: '250 taken' });
  });

  for (const stage of ['GREETING', 'EHLO', 'MAIL', 'RCPT', 'DATA']) {
    it(`knows that nothing was sent when the connection breaks at ${stage}`, async () => {
      const error = await failure(mailerTo(await scripted({ [stage]: 'drop' })).send(mail));
      expect(error).to.include({ kind: 'temporary', maybeSent: false });
    });

    it(`knows that nothing was sent when the server falls silent at ${stage}`, async () => {
      const url = await scripted({ [stage]: 'hang' });
      const send = async (): Promise<void> => {
        const error = await failure(mailerTo(url, { timeoutMs: 300 }).send(mail));
        expect(error).to.include({ code: 'timed_out', kind: 'temporary', maybeSent: false });
      };
      expect(await leastOf(1_500, () => tookMs(send))).to.be.below(1_500);
    });
  }

  it('says that the mail may have been taken when no reply comes to its end', async () => {
    for (const step of ['drop', 'hang']) {
      // Long enough for a busy machine to come to the end of the mail.
      const mailer = mailerTo(await scripted({ END: step }), { timeoutMs: 3_000 });
      expect(await failure(mailer.send(mail))).to.include({ kind: 'temporary', maybeSent: true });
    }
  });

  for (const stage of ['GREETING', 'EHLO', 'MAIL', 'RCPT', 'DATA']) {
    it(`gives up at once when the service stops at ${stage}, knowing that nothing was sent`, async () => {
      const stopping = new AbortController();
      const reached = Promise.withResolvers<void>();
      const url = await scripted(
        { [stage]: 'hang' },
        (step) => step === stage && reached.resolve(),
      );
      const sent = failure(mailerTo(url, { timeoutMs: 20_000 }).send(mail, stopping.signal));
      await reached.promise;
      stopping.abort();
      expect(await sent).to.include({ code: 'interrupted', kind: 'temporary', maybeSent: false });
    });
  }

  it('waits for the answer to a whole mail although the service stops', async () => {
    const stopping = new AbortController();
    const url = await scripted({ END: '250 taken' }, (step) => step === 'END' && stopping.abort());
    const sent = await mailerTo(url).send(mail, stopping.signal);
    expect(sent).to.deep.equal({ accepted: true, response: '250 taken' });
  });

  it('does not begin once the service stops', async () => {
    const url = await scripted({ END: '250 taken' });
    const error = await failure(mailerTo(url).send(mail, AbortSignal.abort()));
    expect(error).to.include({ code: 'interrupted', kind: 'temporary', maybeSent: false });
  });

  it('knows that a refusal of the whole mail is no doubt', async () => {
    const error = await failure(mailerTo(await scripted({ END: '552 too big' })).send(mail));
    expect(error).to.include({ kind: 'permanent', reply: 552, maybeSent: false });
  });

  it('tells a server that is not there', async () => {
    const error = await failure(mailerTo('smtp://127.0.0.1:1').send(mail));
    expect(error).to.include({ code: 'connection_failed', kind: 'temporary', maybeSent: false });
  });

  it('ends with a server that drips its greeting', async () => {
    const server = createServer((socket) => {
      const dripping = setInterval(() => socket.write('220-a\r\n'), 50);
      socket
        .on('error', () => {})
        .on('close', () => clearInterval(dripping))
        .resume();
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    cleanups.push(() => new Promise((done) => server.close(done)));
    const url = `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const send = async (): Promise<void> => {
      const error = await failure(mailerTo(url, { timeoutMs: 400 }).send(mail));
      expect(error).to.include({ code: 'timed_out' });
    };
    expect(await leastOf(1_500, () => tookMs(send))).to.be.below(1_500);
  });
});

describe('the sender of mails', () => {
  for (const [from, host] of [
    ['Bücher <post@bücher.example>', 'xn--bcher-kva.example'],
    [`post@${'a.'.repeat(70)}example.org`, `${'a.'.repeat(70)}example.org`],
  ] as const) {
    it(`sends from ${from}`, async () => {
      const smtp = await smtpServer();
      const send = createMailSender(mailerTo(`smtp://${smtp.host}`, { from }), from);
      const { to, subject, text, html } = mail;
      const outcome = await send({ mailId: '0190-abc', language: 'en', to, subject, text, html });
      expect(outcome).to.deep.equal({ kind: 'taken' });
      const [got] = smtp.received;
      expect(got?.raw).to.contain(`post@${host}`);
      expect(got?.raw).to.match(/^Message-ID:\s+<0190-abc@/m);
      expect(got?.raw).to.contain(`<0190-abc@${host}>`);
    });
  }

  for (const [from, header] of [
    ['Brief: Post <post@letters.example.org>', '"Brief: Post" <post@letters.example.org>'],
    ['Brief; Post <post@letters.example.org>', '"Brief; Post" <post@letters.example.org>'],
    ['Briefe (EU) <post@letters.example.org>', '"Briefe (EU)" <post@letters.example.org>'],
    [
      '"Brief \\"A\\", Co." <post@letters.example.org>',
      '"Brief \\"A\\", Co." <post@letters.example.org>',
    ],
    ['<post@letters.example.org>', 'post@letters.example.org'],
  ] as const) {
    it(`has the sender ${from} as it was set`, async () => {
      const smtp = await smtpServer();
      await mailerTo(`smtp://${smtp.host}`, { from }).send(mail);
      const [got] = smtp.received;
      expect(got?.from).to.equal('post@letters.example.org');
      expect(got?.raw).to.contain(`\r\nFrom: ${header}\r\n`);
    });
  }
});
