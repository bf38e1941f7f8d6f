/**
 * `kill -9` of the service while it sends mails to a real mail server: no mail arrives twice, and each is
 * sent, or recorded with an unknown outcome. FAULT_ROUNDS sets how often.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { until } from '../support/client.ts';
import {
  call,
  letterBody,
  registerTestAccount,
  type TestAccount,
} from '../support/letter-client.ts';
import { serviceDatabase } from '../support/service-database.ts';
import {
  eventually,
  freePort,
  killLeftovers,
  makeDataDir,
  type ServiceProcess,
  spawnService,
} from '../support/service-process.ts';
import {
  asksToConfirm,
  type SmtpMoment,
  startSmtpServer,
  type TestSmtpServer,
  tokenIn,
} from '../support/smtp-server.ts';

const rounds = Number(process.env.FAULT_ROUNDS ?? 3);

type Channel = { channel: string; state: string; attempts: { error: string | null }[] };

describe('mails of a service that is killed', function () {
  this.timeout(120_000 + rounds * 30_000);
  const folder = makeDataDir();
  const { dataDir } = folder;
  let database: Awaited<ReturnType<typeof serviceDatabase>>;
  let smtp: TestSmtpServer;
  let port: number;
  let service: ServiceProcess;
  let account: TestAccount;
  const address = 'reader@example.org';
  const start = (): ServiceProcess =>
    spawnService(port, dataDir, {
      DATABASE_URL: database.url,
      SMTP_URL: smtp.url,
      MAIL_FROM: 'post@letters.example.org',
      LIMIT_SMTP_TIMEOUT_MS: '1500',
      CANCELLATION_WINDOW_SECONDS: '0',
    });
  const restart = async (): Promise<void> => {
    await service.exited;
    service = start();
    await service.ready();
  };

  before(async () => {
    database = await serviceDatabase();
    smtp = await startSmtpServer();
    port = await freePort();
    service = start();
    await service.ready();
    account = await registerTestAccount(service.url, `mails-${randomUUID()}`);
    const { key } = account;
    const body = { notification_email: address };
    const { status } = await call(service.url, 'PUT', '/api/settings', { key, body });
    expect(status).to.equal(200);
    await until(async () => smtp.mailsTo(address).some(asksToConfirm));
    const token = tokenIn(smtp.mailsTo(address)[0] ?? { text: '' });
    const confirmed = await call(service.url, 'POST', '/auth/confirm', { body: { token } });
    expect(confirmed.status).to.equal(200);
  });
  after(async () => {
    await service.terminate();
    await killLeftovers();
    await database.drop();
    await folder.remove();
    await smtp.stop();
  });

  const queued = async (): Promise<string> => {
    const { key } = account;
    const sent = await call(service.url, 'POST', '/api/send', { key, body: letterBody('Hello.') });
    expect(sent.status).to.equal(201);
    return String(sent.body.letter_id);
  };

  /** Posts a letter; the answer may be lost with the process. */
  const post = async (letterId: string): Promise<string> => {
    const { key } = account;
    const path = `/api/test/letters/${letterId}/advance`;
    const { status, body } = await call(service.url, 'POST', path, { key, body: { to: 'posted' } });
    return `${status} ${body.code ?? body.status}`;
  };

  /** Production may change the letter at the same moment, so that it is asked for again. */
  const posted = (letterId: string): Promise<true> =>
    eventually(`letter ${letterId} is posted`, async () => {
      const said = await post(letterId);
      if (said === '200 posted' || said === '409 letter_not_advanceable') return true as const;
      throw new Error(said);
    });

  const channelOf = async (letterId: string): Promise<Channel | undefined> => {
    const { key } = account;
    const path = `/api/notifications?letter_id=${letterId}`;
    const { body } = await call(service.url, 'GET', path, { key });
    const data = body.data as { type: string; channels: Channel[] }[];
    return data.find(({ type }) => type === 'letter.posted')?.channels[0];
  };

  /** Waits until the mail of a letter is sent or given up. */
  const ended = (letterId: string): Promise<Channel> =>
    eventually('the mail has ended', async () => {
      const channel = await channelOf(letterId);
      return channel && channel.state !== 'pending' ? channel : undefined;
    });

  const mailsOf = (letterId: string) => smtp.mails.filter(({ text }) => text.includes(letterId));

  const assertOnce = (letterId: string, channel: Channel): void => {
    const arrived = mailsOf(letterId).length;
    expect(arrived, letterId).to.be.at.most(1);
    if (channel.state === 'delivered') expect(arrived, letterId).to.equal(1);
    else expect(channel.attempts.at(-1)?.error, letterId).to.equal('outcome_unknown');
  };

  const moments: [SmtpMoment, number][] = [
    ['recipient', 0],
    ['whole-mail', 1],
    ['answered', 1],
  ];
  for (const [moment, arrived] of moments) {
    it(`are not sent again when it dies at this moment: ${moment}`, async () => {
      const letterId = await queued();
      smtp.at(moment, () => service.killGroup());
      const posting = posted(letterId);
      await Promise.race([posting, service.exited]);
      await restart();
      await posting;
      const channel = await ended(letterId);
      assertOnce(letterId, channel);
      expect(mailsOf(letterId)).to.have.length(arrived);
    });
  }

  it('arrive once at most, whenever it dies', async () => {
    const letters: string[] = [];
    for (let round = 0; round < rounds; round++) {
      const batch = await Promise.all(Array.from({ length: 6 }, queued));
      letters.push(...batch);
      const posting = Promise.allSettled(batch.map(post));
      await delay(Math.random() * 250);
      await service.killGroup();
      await posting;
      await restart();
      await Promise.all(batch.map(posted));
    }
    const channels = await Promise.all(letters.map(ended));
    for (const [index, channel] of channels.entries()) assertOnce(letters[index] ?? '', channel);
    // All may have been under way whenever it died: the mail of a calm moment arrives. A busy machine has few of them.
    await eventually('the mail of a calm moment arrives', async () => {
      const calm = await queued();
      await posted(calm);
      const channel = await ended(calm);
      assertOnce(calm, channel);
      return channel.state === 'delivered';
    });
    const ids = smtp.mails.map(({ messageId }) => messageId);
    expect(new Set(ids).size).to.equal(ids.length);
  });
});
