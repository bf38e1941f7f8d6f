import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { createPolicyChanges } from '../../commands/guards/change-book.ts';
import { emailApprover } from '../../commands/guards/email-approver.ts';
import { cancelLetter, letterAggregate } from '../../commands/letters/letter.ts';
import { isAnyRevoked } from '../../commands/ucans/was-revoked.ts';
import { limitTable } from '../../limits/table.ts';
import { deliverMail } from '../../reactors/deliver-mail.ts';
import { askForChange, holdsAll, putPolicy } from '../support/holding-world.ts';
import { account, letterTo, plainly } from '../support/letter-world.ts';
import { createMailWorld, type MailWorld } from '../support/mail-world.ts';
import { startSmtpServer, type TestSmtpServer } from '../support/smtp-server.ts';

const hour = 3_600_000;
const [boss, chief] = ['boss@example.com', 'chief@example.com'];
const indexOf = (kind: string, value: string): string =>
  createHash('sha256').update(`${kind}\n${value}`).digest('base64url');
const nameOf = (email: string): string => emailApprover(indexOf, account, email);

let smtp: TestSmtpServer;
let world: MailWorld;
beforeEach(async () => {
  smtp = await startSmtpServer();
  world = await createMailWorld(smtp);
});
afterEach(async () => {
  world.close();
  await smtp.stop();
});

const setApprovers = (approvers: string[], quorum: 1 | 2 = 1) =>
  putPolicy(world, {
    timeZone: 'UTC',
    rules: holdsAll,
    approvals: { quorum, approvers: approvers.map(nameOf), expiresInHours: 72 },
    emails: Object.fromEntries(approvers.map((email) => [nameOf(email), email])),
  });

const send = async (key = 'one') => {
  const sent = await world.letters.send(letterTo(), plainly, world.asked(key));
  return { letterId: sent.letterId, approvalId: sent.approval?.approvalId ?? '' };
};
const readers = () => smtp.mails.flatMap(({ to }) => to);
/** The data of the last event of a mail. */
const lastOfMail = async (): Promise<object> => {
  const events = await world.store.readAll({ after: 0n });
  const last = events.findLast(({ stream }) => stream.startsWith('mail-'));
  return JSON.parse(last?.data ?? '{}');
};
const tokenFrom = (text = ''): string => /[?&]token=([\w.-]+)/.exec(text)?.[1] ?? '';

const approve = async (approvalId: string, token: string) => {
  const opened = await world.approvalLinks.open(approvalId, token);
  if (!opened?.deciding) throw new Error('the link does not open');
  return world.letters.approvals.approve(account, approvalId, opened.deciding, world.context());
};

describe('the mails that ask for approval', () => {
  it('go to each approver once, each with a link of its own that decides', async () => {
    await setApprovers([boss, chief], 2);
    const { approvalId } = await send();
    await world.pass(hour);
    await world.pass(hour);
    expect(readers()).to.have.members([boss, chief]);
    const tokens = smtp.mails.map(({ text }) => tokenFrom(text));
    expect(new Set(tokens).size).to.equal(2);
    for (const { subject, text, html } of smtp.mails) {
      expect(subject).to.equal('A letter waits for your approval');
      for (const part of [text, html]) expect(part).to.include(`/approvals/${approvalId}?token=`);
      // The account that names the recipient of a mail cannot put text into it.
      expect(text).not.to.include('Ada Lovelace').and.not.include('ask');
    }
    const outcomes = [];
    for (const token of tokens) outcomes.push((await approve(approvalId, token)).status);
    expect(outcomes).to.deep.equal(['draft', 'queued']);
  });

  it('leave neither address nor token in the log', async () => {
    await setApprovers([boss]);
    await send();
    await world.pass(hour);
    const [mail] = smtp.mails;
    const [digest = '', signature = ''] = tokenFrom(mail?.text).split('.');
    const log = (await world.store.readAll({ after: 0n }))
      .map(({ data }) => (typeof data === 'string' ? data : JSON.stringify(data)))
      .join('\n');
    expect(signature).to.match(/^[\w-]{22}$/);
    expect(log).to.include(digest).and.not.include(signature);
    expect(log).not.to.include(boss);
  });

  it('are not sent once the letter is decided, cancelled or expired', async () => {
    await setApprovers([boss]);
    const { letterId } = await send();
    await world.react();
    await world.handler.handle(letterAggregate, letterId, world.context(), cancelLetter);
    await world.pass(hour);
    await send('two');
    await world.react();
    world.time.now += 72 * hour;
    await world.pass(hour);
    expect(readers()).to.deep.equal([]);
  });

  it('that wait for another attempt are dropped once the letter is decided', async () => {
    await setApprovers([boss]);
    smtp.behave({ kind: 'refuse', code: 451 });
    const { letterId } = await send();
    await world.pass(hour);
    await world.handler.handle(letterAggregate, letterId, world.context(), cancelLetter);
    smtp.behave({ kind: 'take' });
    await world.pass(24 * hour);
    expect(readers()).to.deep.equal([]);
    expect(await lastOfMail()).to.include({ code: 'obsolete', final: true });
    expect(world.jobs.size).to.equal(0);
  });

  it('whose attempt got lost are closed although the letter is decided', async () => {
    await setApprovers([boss]);
    const { letterId } = await send();
    await world.react();
    const [[mailId, { job }] = expect.fail('there is a job')] = [...world.jobs];
    const dies = { ...world.ports, send: () => Promise.reject(new Error('killed')) };
    await deliverMail(dies, mailId, job).catch(() => {});
    await world.handler.handle(letterAggregate, letterId, world.context(), cancelLetter);
    await world.pass(hour);
    expect(await lastOfMail()).to.include({ code: 'outcome_unknown', final: true });
  });

  it('are not sent to an approver that the policy no longer names, whose link ends', async () => {
    await setApprovers([boss, chief]);
    const { approvalId } = await send();
    await world.pass(hour);
    const token = tokenFrom(smtp.mails.find(({ to }) => to.includes(boss))?.text);
    expect((await world.approvalLinks.open(approvalId, token))?.deciding).to.include({
      approver: nameOf(boss),
    });
    await setApprovers([chief]);
    expect((await world.approvalLinks.open(approvalId, token))?.deciding).to.equal(undefined);
  });

  it('are so many an hour at most', async () => {
    await setApprovers([boss]);
    world.settings.approvalsBefore = limitTable.approvalMailsPerHour.usual;
    await send();
    await world.pass(hour);
    expect(readers()).to.deep.equal([]);
    world.settings.approvalsBefore = limitTable.approvalMailsPerHour.usual - 1;
    await send('two');
    await world.pass(hour);
    expect(readers()).to.deep.equal([boss]);
  });
});

describe('the mails that ask for the approval of a change of a policy', () => {
  const free = [{ id: 'all', effect: 'allow' as const }];
  const decide = async (approvalId: string, token: string) => {
    const opened = await world.approvalLinks.open(approvalId, token);
    if (!opened?.deciding) throw new Error('the link does not open');
    const changes = createPolicyChanges({ ...world, isAnyRevoked });
    return changes.approve(account, approvalId, opened.deciding, world.context());
  };

  it('go to each approver once, each with a link of its own that decides', async () => {
    await setApprovers([boss, chief], 2);
    const approvalId = await askForChange(world, free);
    await world.pass(hour);
    await world.pass(hour);
    expect(readers()).to.have.members([boss, chief]);
    const tokens = smtp.mails.map(({ text }) => tokenFrom(text));
    for (const { subject, text, html } of smtp.mails) {
      expect(subject).to.equal('A change of spending rules waits for your approval');
      for (const part of [text, html]) expect(part).to.include(`/approvals/${approvalId}?token=`);
      expect(text).to.include('the whole account').and.not.include('all-');
    }
    const outcomes = [];
    for (const token of tokens) outcomes.push((await decide(approvalId, token)).status);
    expect(outcomes).to.deep.equal(['pending', 'approved']);
    expect((await world.wallet()).guards.policies.get('account')?.rules).to.deep.equal(free);
  });

  it('are not sent once the change is superseded or expired, nor beyond the hourly limit', async () => {
    await setApprovers([boss]);
    await askForChange(world, free);
    await world.react();
    await setApprovers([chief]);
    await world.pass(hour);
    await askForChange(world, free);
    await world.react();
    world.time.now += 72 * hour;
    await world.pass(hour);
    expect(readers()).to.deep.equal([]);
    const rule = (n: number) => [{ id: `all-${n}`, effect: 'allow' as const }];
    for (let n = 0; n < limitTable.approvalMailsPerHour.usual + 5; n += 1) {
      await askForChange(world, rule(n));
      await world.pass(1_000);
    }
    expect(readers()).to.have.length(limitTable.approvalMailsPerHour.usual);
    await world.pass(hour);
    await askForChange(world, rule(0));
    await world.pass(1_000);
    expect(readers()).to.have.length(limitTable.approvalMailsPerHour.usual + 1);
  });
});

describe('the link of an approver', () => {
  it('opens no other approval', async () => {
    await setApprovers([boss]);
    const [one, two] = [await send(), await send('two')];
    const token = world.approvalLinks.tokenOf(one.approvalId, nameOf(boss));
    expect(await world.approvalLinks.open(one.approvalId, token)).not.to.equal(undefined);
    expect(await world.approvalLinks.open(two.approvalId, token)).to.equal(undefined);
  });
});
