import { createSecretKey, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { accountAggregate } from '../../commands/accounts/account.ts';
import { closureCodeEveryMs, closureCodePeriod } from '../../commands/accounts/closure-codes.ts';
import { mailAggregate } from '../../commands/mails/mail.ts';
import type { AccountEvent } from '../../events/account.ts';
import type { Db } from '../../ground/db.ts';
import type { Log } from '../../ground/log.ts';
import { defaultLimits } from '../../limits/table.ts';
import { closureCodeMailId } from '../../reactors/closure-mails.ts';
import { deliverMail } from '../../reactors/deliver-mail.ts';
import { mailTask } from '../../service/wings/mail-jobs.ts';
import { createMails, type MailFoundation } from '../../service/wings/mails.ts';
import { createRecovery } from '../../service/wings/recovery.ts';
import { withKey } from '../support/keyring.ts';
import { account } from '../support/letter-world.ts';
import { createMailWorld, type MailWorld, reader } from '../support/mail-world.ts';
import { eventually } from '../support/service-process.ts';
import { startSmtpServer, type TestSmtpServer } from '../support/smtp-server.ts';

const hour = 3_600_000;
const running = { attempt: 1, lastAttempt: false, signal: new AbortController().signal };

let smtp: TestSmtpServer;
let world: MailWorld;
/** The payloads of jobs that were added. */
let added: { mailId: string; kind: string }[];
beforeEach(async () => {
  smtp = await startSmtpServer();
  world = await createMailWorld(smtp);
  added = [];
  const requestHash = 'r'.repeat(43);
  await world.handler.handle(accountAggregate, account, world.context(), (): AccountEvent[] => [
    {
      type: 'AccountRegistered',
      data: { accountId: account, kind: 'email', test: false, requestHash },
      personal: { name: 'owner@example.org' },
    },
    {
      type: 'SettingsChanged',
      data: { accountId: account, webhook: false, notificationEmail: true, confirmed: true },
      personal: { notificationEmail: reader },
    },
    {
      type: 'EmailConfirmed',
      data: {
        accountId: account,
        address: 'registered',
        by: 'link',
        keep: [],
        settlesSettings: true,
      },
      personal: { email: 'owner@example.org' },
    },
  ]);
});
afterEach(async () => {
  world.close();
  await smtp.stop();
});

const tokenKey = createSecretKey(randomBytes(32));

let lines: { level: string; fields: object; message: string }[];
beforeEach(() => {
  lines = [];
});
const lineAs = (level: string) => (fields: object, message: string) =>
  void lines.push({ level, fields, message });

const foundation = (mail = true): MailFoundation & { log: Log } => {
  const query = async (_: string, values: unknown[] = []) => {
    const rows = JSON.parse(String(values[1])) as { payload: (typeof added)[number] }[];
    added.push(...rows.map(({ payload }) => payload));
    return { rows: [], rowCount: 0 };
  };
  return {
    log: {
      debug: lineAs('debug'),
      info: lineAs('info'),
      warn: lineAs('warn'),
      error: lineAs('error'),
    },
    config: {
      mail: mail ? { smtpUrl: smtp.url, from: 'post@letters.example.org' } : undefined,
      serviceName: { name: 'Letters', contact: undefined },
      limits: { ...defaultLimits, smtpTimeoutMs: 30_000 },
    },
    clock: world.clock,
    commands: { handler: world.handler },
    storage: {
      store: world.store,
      readDb: { query } as unknown as Db,
      credentials: { byEventIds: async () => [] },
    },
    keys: {
      derive: () => withKey(tokenKey),
      indexOf: (_kind: string, value: string) => value,
      dataKeys: world.dataKeys,
    },
  };
};

/** The task, and the jobs of letters that were just posted. */
const withJobs = async (letters: number, mail = true) => {
  for (let count = 0; count < letters; count++) {
    await world.report(await world.letterBy('fr_lettre_verte'), { step: 'posted' });
  }
  await world.react();
  const mails = await createMails(foundation(mail), 'https://letters.example.org');
  const task = mails.tasks[mailTask] ?? expect.fail('there is a task');
  const payloads = [...world.jobs].map(([mailId, { job }]) => ({ ...job, mailId }));
  return { ...mails, task: (payload: object) => task(payload, running), payloads };
};

describe('the task of mails', () => {
  it('sends sixteen at once and puts the rest off, holding up nobody', async () => {
    smtp.behave({ kind: 'take-and-hang' });
    const { task, payloads, close } = await withJobs(20);
    const sent = Promise.all(payloads.map(task));
    await eventually('each came or was put off', () => smtp.mails.length + added.length === 20);
    smtp.cut();
    await sent;
    expect(smtp.mails).to.have.length(16);
    expect(added.map(({ mailId }) => mailId).toSorted()).to.deep.equal(
      payloads
        .slice(16)
        .map(({ mailId }) => mailId)
        .toSorted(),
    );
    smtp.behave({ kind: 'take' });
    await Promise.all(payloads.slice(16).map(task));
    await Promise.all(payloads.slice(0, 16).map(task));
    expect(smtp.mails).to.have.length(20);
    expect(new Set(smtp.mails.map(({ messageId }) => messageId)).size).to.equal(20);
    close();
  });

  it('logs mails that the mail server refuses, with account and reply but no address', async () => {
    const refused = async (code: number) => {
      smtp.behave({ kind: 'refuse', code });
      const { task, payloads, close } = await withJobs(1);
      await Promise.all(payloads.slice(-1).map(task));
      close();
    };
    await refused(550);
    await refused(451);
    expect(lines.map(({ level, message }) => [level, message])).to.deep.equal([
      ['warn', 'a mail was not sent and is not tried again'],
      ['info', 'a mail was refused for now'],
    ]);
    const [final] = lines;
    expect(final?.fields).to.have.property('mailId').that.is.a('string');
    expect(final?.fields).to.include({
      accountId: account,
      mail: 'shipped',
      code: 'rejected',
      reply: 550,
    });
    expect(JSON.stringify(lines)).to.not.include('@');
  });

  it('logs a mail that may have arrived', async () => {
    smtp.behave({ kind: 'take-and-cut' });
    const { task, payloads, close } = await withJobs(1);
    await Promise.all(payloads.map(task));
    close();
    expect(lines.map(({ message }) => message)).to.deep.equal([
      'a mail may have arrived and is not repeated',
    ]);
  });

  it('logs once a mail that a killed service may have sent', async () => {
    const { task, payloads, close } = await withJobs(1);
    const [payload = expect.fail('there is a job')] = payloads;
    const dies = { ...world.ports, send: () => Promise.reject(new Error('killed')) };
    await deliverMail(dies, payload.mailId, payload).catch(() => {});
    await task(payload);
    expect(lines).to.deep.equal([]);
    world.time.now += hour;
    await task(payload);
    await task(payload);
    close();
    expect(smtp.mails).to.have.length(0);
    const { mailId } = payload;
    expect(lines).to.deep.equal([
      {
        level: 'warn',
        fields: { mailId, accountId: account, mail: 'shipped' },
        message: 'a mail may have arrived and is not repeated',
      },
    ]);
  });

  it('logs a mail server that cannot be reached once, however many mails wait for it', async () => {
    const { task, payloads, close } = await withJobs(3);
    await smtp.stop();
    await Promise.all(payloads.map(task));
    close();
    expect(lines.map(({ level, message }) => [level, message])).to.deep.equal([
      ['error', 'the mail server takes no mails; they are tried again'],
    ]);
    expect(lines[0]?.fields).to.include({ part: 'mail', err: 'connection_failed' });
    smtp = await startSmtpServer();
  });

  it('sends nothing without a mail server, and closes what was begun with one', async () => {
    smtp.behave({ kind: 'refuse', code: 451 });
    const { task, payloads, close } = await withJobs(1);
    await Promise.all(payloads.map(task));
    close();
    smtp.behave({ kind: 'take' });
    const without = await withJobs(1, false);
    expect(without.reactors).to.deep.equal([]);
    await Promise.all(without.payloads.map(without.task));
    expect(smtp.mails).to.deep.equal([]);
    const states = await Promise.all(
      without.payloads.map(
        async ({ mailId }) => (await world.handler.load(mailAggregate, mailId)).state,
      ),
    );
    expect(states.map(({ status }) => status)).to.deep.equal(['over', 'none']);
    expect(states[0]).to.include({ code: 'no_mail_server' });
  });

  it('drops the question whether an address is right once the account names another one', async () => {
    const nameAddress = (email: string) =>
      world.handler.handle(accountAggregate, account, world.context(), (): AccountEvent[] => [
        {
          type: 'SettingsChanged',
          data: { accountId: account, webhook: false, notificationEmail: true },
          personal: { notificationEmail: email },
        },
      ]);
    smtp.behave({ kind: 'refuse', code: 451 });
    await nameAddress('first@example.org');
    const { task, payloads, close } = await withJobs(0);
    await Promise.all(payloads.map(task));
    const [waiting = expect.fail('it is tried again')] = added.splice(0);
    expect(waiting).to.include({ kind: 'confirm' });
    await nameAddress('second@example.org');
    smtp.behave({ kind: 'take' });
    world.time.now += 60_000;
    await task(waiting);
    const { state } = await world.handler.load(mailAggregate, waiting.mailId);
    expect(state).to.include({ status: 'over', code: 'obsolete' });
    // The second address has a job of its own, too, and gets one mail.
    await world.react();
    for (const [mailId, { job }] of world.jobs) await task({ ...job, mailId });
    expect(smtp.mails.map(({ to }) => to)).to.deep.equal([['second@example.org']]);
    close();
  });

  it('mails a code to close the account that still counts, however late the mail server takes it', async () => {
    // The code was asked for at the end of its period.
    world.time.now = (closureCodePeriod(world.time.now) + 1) * closureCodeEveryMs - 1_000;
    const period = closureCodePeriod(world.time.now);
    smtp.behave({ kind: 'refuse', code: 451 });
    const job = { kind: 'closure_code' as const, accountId: account, period };
    await world.ports.enqueue(closureCodeMailId(account, period), job, world.time.now);
    await world.pass(30 * 60_000);
    smtp.behave({ kind: 'take' });
    await world.pass(30 * 60_000);
    const [code = ''] = /[A-Z2-9]{5}-[A-Z2-9]{5}/.exec(smtp.mails[0]?.text ?? '') ?? [];
    const id = closureCodeMailId(account, period);
    const { state: mail } = await world.handler.load(mailAggregate, id);
    if (mail.status !== 'sent') return expect.fail(mail.status);
    const sentMs = Date.parse(mail.attemptedAt);
    const of = { accountId: account, email: 'owner@example.org' };
    expect(world.closureCodes.isValid(code, of, sentMs + closureCodeEveryMs)).to.equal(true);
    expect(world.closureCodes.isValid(code, of, sentMs + 2 * closureCodeEveryMs)).to.equal(false);
  });

  it('sends a recovery link to the address of the registration, once in 15 minutes', async () => {
    const { task, close } = await withJobs(0);
    const recovery = createRecovery(foundation());
    const ask = async (): Promise<void> => {
      await recovery.sendLink(account);
      await Promise.all(added.splice(0).map(task));
    };
    await ask();
    await ask();
    // Into the next period, but not 15 minutes later.
    world.time.now += 14 * 60_000 + 59_000;
    await ask();
    expect(smtp.mails.map(({ to }) => to)).to.deep.equal([['owner@example.org']]);
    world.time.now += 60_000;
    await ask();
    expect(smtp.mails).to.have.length(2);
    const traces = JSON.stringify(
      (await world.store.readAll({ after: 0n })).map(({ data }) => data),
    );
    expect(traces).not.to.match(/owner@|jane@|token/);
    close();
  });

  it('sends a recovery link to the new address of an account, although the former one just got one', async () => {
    const { task, close } = await withJobs(0);
    const recovery = createRecovery(foundation());
    const ask = async (): Promise<void> => {
      await recovery.sendLink(account);
      await Promise.all(added.splice(0).map(task));
    };
    await ask();
    await world.handler.handle(accountAggregate, account, world.context(), (): AccountEvent[] => [
      {
        type: 'EmailChanged',
        data: { accountId: account, changeId: 'change-1', by: 'operator' },
        personal: { email: 'new@example.org', previous: 'owner@example.org' },
      },
    ]);
    await ask();
    expect(smtp.mails.flatMap(({ to }) => to)).to.deep.equal([
      'owner@example.org',
      'new@example.org',
    ]);
    close();
  });

  it('adds the job of a link whether mail is configured or not', async () => {
    for (const mail of [true, false]) {
      const recovery = createRecovery(foundation(mail));
      expect(recovery.mailConfigured).to.equal(mail);
      await recovery.sendLink(account);
    }
    expect(added.map(({ kind }) => kind)).to.deep.equal(['recovery', 'recovery']);
    expect(JSON.stringify(added)).not.to.include('@');
  });
});
