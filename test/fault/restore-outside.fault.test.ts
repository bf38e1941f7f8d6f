/**
 * A backup at a random moment, a day that goes on, and the loss of everything: what print house, mail server, receivers
 * of webhooks, Kafka, chain, Lightning node and Stripe have seen by then is not repeated, or is listed for a person.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { accountStream } from '../../events/account.ts';
import { letterStream } from '../../events/letter.ts';
import { type Chain, startChain } from '../support/evm/chain.ts';
import { stockFetch } from '../support/evm/stock-clients.ts';
import { payTo, x402Settings } from '../support/evm/x402.ts';
import { freePort } from '../support/free-port.ts';
import { injected } from '../support/injected.ts';
import { type KafkaBroker, startKafka } from '../support/kafka-broker.ts';
import { followTopic, requireKafka } from '../support/kafka-topic.ts';
import { call, letterBody } from '../support/letter-client.ts';
import { type LndServer, startLnd } from '../support/lnd-server.ts';
import { runOperator } from '../support/operator.ts';
import { emptyDatabase, freshDatabase } from '../support/postgres.ts';
import { startPrintHouse } from '../support/print-house.ts';
import { seeded } from '../support/seeded.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { eventually } from '../support/service-process.ts';
import { startSmtpServer, type TestSmtpServer, tokenIn } from '../support/smtp-server.ts';
import { atRest } from '../support/some-letters.ts';
import { type StripeServer, startStripe } from '../support/stripe-server.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const seed = 2411;
const patienceMs = 150_000;

type Account = { id: string; key: string; email: string };

describe('a service that lost everything after its backup', function () {
  this.timeout(400_000);
  this.bail(true);
  const random = seeded(seed);
  let folder: string;
  let house: Awaited<ReturnType<typeof startPrintHouse>>;
  let smtp: TestSmtpServer;
  let stripe: StripeServer;
  let lnd: LndServer;
  let receiver: WebhookReceiver;
  let chain: Chain;
  let kafka: KafkaBroker;
  let topic: Awaited<ReturnType<typeof followTopic>>;
  let service: TestService | undefined;
  let env: Record<string, string>;
  const databases: Awaited<ReturnType<typeof freshDatabase>>[] = [];
  const recipient = () => join(folder, 'key.age');

  let sender: Account;
  let leaving: Account;
  /** Accounts whose erasure cannot end before the machine is lost: it begins before the backup, or after it. */
  let begunBefore: Account;
  let begunAfter: Account;
  const checkouts: string[] = [];
  const invoices: string[] = [];
  const sends = new Map<string, string>();
  let paidByWallets = 0;

  const url = (): string => service?.url ?? '';
  const ask = async (key: string | undefined, method: string, path: string, body?: object) => {
    const answer = await call(url(), method, path, { key, ...(body ? { body } : {}) });
    expect(answer.status, JSON.stringify(answer.body)).to.be.within(200, 299);
    return answer.body;
  };
  const operate = (...args: string[]) => runOperator(env, args);
  const done = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await operate(...args);
    expect(code, out + err).to.equal(0);
    return out;
  };
  const start = async (): Promise<void> => {
    service = await startTestService(env);
    stripe.tellTo(`${url()}/webhooks/stripe`);
  };
  const stop = async (): Promise<void> => {
    await service?.stop();
    service = undefined;
  };
  const register = async (): Promise<Account> => {
    const email = `${randomBytes(6).toString('hex')}@example.com`;
    const made = await ask(undefined, 'POST', '/auth/register', { email });
    await eventually('the address is asked', () => smtp.mailsTo(email).length > 0, patienceMs);
    const [mail] = smtp.mailsTo(email);
    if (!mail) throw new Error('no mail came');
    await ask(undefined, 'POST', '/auth/confirm', { token: tokenIn(mail), keep: 'all' });
    return { id: String(made.account_id), key: String(made.api_key), email };
  };

  const send = async (idempotencyKey: string): Promise<string> => {
    const { status, body } = await call(url(), 'POST', '/api/send', {
      key: sender.key,
      body: letterBody(`Hello, ${idempotencyKey}.`),
      headers: { 'Idempotency-Key': idempotencyKey },
    });
    expect(status, JSON.stringify(body)).to.equal(201);
    return String(body.letter_id);
  };
  const actions = [
    async (n: number) => void sends.set(`send-${n}`, await send(`send-${n}`)),
    async () => {
      const pay = stockFetch(await chain.newPayer(50_000_000n));
      const sent = await pay(`${url()}/api/topup`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ method: 'usdc', amount: 2 }),
      });
      expect(sent.status).to.equal(201);
      paidByWallets += 1;
    },
    async () => {
      const body = await ask(sender.key, 'POST', '/api/topup', { method: 'card', amount: 10 });
      const session = stripe.complete(String(body.checkout_url));
      expect(await stripe.tell('checkout.session.completed', session)).to.equal(200);
      checkouts.push(session.id);
    },
    async () => {
      const body = await ask(sender.key, 'POST', '/api/topup', { method: 'lightning', amount: 1 });
      lnd.pay(String(body.invoice));
      invoices.push(String(body.payment_hash));
    },
  ];
  let acted = 0;
  /** Some of each, in a random order. */
  const someDay = async (hours: number): Promise<void> => {
    const day = Array.from({ length: hours * actions.length }, (_, n) => ({ n, at: random() }));
    for (const { n } of day.toSorted((a, b) => a.at - b.at)) {
      await actions[n % actions.length]?.(acted++);
    }
  };
  const journal = (): Promise<string> => readFile(env.ERASURE_JOURNAL ?? '', 'utf8');
  /** Rows that name these accounts cannot be removed, so that rounds of their erasures fail when letters are gone. */
  const letNoErasureEnd = async (accounts: Account[]): Promise<void> => {
    const { storage } = (service as TestService).service.foundation;
    const ids = accounts.map(({ id }) => `'${id}'`).join();
    await storage.readDb.query(`create function public.stay() returns trigger language plpgsql as
      $$ begin raise exception 'not yet'; end $$`);
    await storage.readDb.query(`create trigger stay before delete on limits.registrations
      for each row when (old.account_id in (${ids})) execute function public.stay()`);
  };
  /** Begins an erasure that does not end. */
  const beginErasure = async ({ id, key, email }: Account): Promise<void> => {
    const draft = await ask(key, 'POST', '/api/send', { ...letterBody('Draft.'), draft: true });
    await done('erase-account', email, '--now');
    await eventually(
      'the journal has its beginning and its letter',
      async () => {
        const lines = await journal();
        return (
          lines.includes(`"subject":"${accountStream(id)}","begun":true`) &&
          lines.includes(letterStream(String(draft.letter_id)))
        );
      },
      patienceMs,
    );
    expect(await keyOf(id)).not.to.equal(undefined);
  };
  /** Until nothing more goes out. */
  const quiet = async (): Promise<void> => {
    await eventually(
      'nothing is to be done any more',
      async () => {
        await atRest(url());
        const { rows } = await (service as TestService).service.foundation.storage.readDb.query<{
          left: bigint;
        }>(
          `select (select count(*) from work.jobs where task <> 'clock' and run_at < now() + interval '1 minute')
             + (select count(*) from deliveries.messages where state in ('due', 'waiting')) as left`,
        );
        return Number(rows[0]?.left ?? 0) === 0;
      },
      patienceMs,
    );
  };

  before(async function () {
    await requireKafka(this);
    folder = await mkdtemp(join(tmpdir(), 'letters-outside-'));
    [house, smtp, stripe, lnd, receiver, chain, kafka] = await Promise.all([
      startPrintHouse(),
      startSmtpServer(),
      startStripe(),
      startLnd(),
      startWebhookReceiver(),
      startChain(),
      startKafka(),
    ]);
    databases.push(await freshDatabase(), await emptyDatabase());
    const port = await freePort();
    env = {
      ...(await x402Settings(chain)),
      ...house.env,
      DATABASE_URL: databases[0]?.url ?? '',
      DATA_DIR: join(folder, 'data'),
      ERASURE_JOURNAL: join(folder, 'elsewhere', 'erasures.log'),
      MASTER_KEY: randomBytes(32).toString('hex'),
      BASE_URL: `http://127.0.0.1:${port}`,
      PORT: String(port),
      KAFKA_BROKERS: kafka.brokers.join(),
      SMTP_URL: smtp.url,
      MAIL_FROM: 'post@letters.example.org',
      ...stripe.env,
      LND_REST_URL: lnd.url,
      LND_MACAROON: lnd.macaroon,
      LIGHTNING_RATE: '97123.45',
      CANCELLATION_WINDOW_SECONDS: '0',
      ACCOUNT_ERASURE_DAYS: '0',
      ALLOW_PRIVATE_FETCH: 'true',
    };
    await start();
    topic = await followTopic(kafka, 'letters.events');
    [sender, leaving] = [await register(), await register()];
    [begunBefore, begunAfter] = [await register(), await register()];
    await letNoErasureEnd([begunBefore, begunAfter]);
    for (const { id } of [sender, leaving])
      await done('credit', id, '90.00', '--reference', 'wire');
    await ask(sender.key, 'PUT', '/api/settings', { webhook_url: receiver.url });
  });
  after(async () => {
    await stop();
    await topic?.stop();
    await kafka?.stop();
    await chain?.stop();
    await receiver?.stop();
    await lnd?.stop();
    await stripe?.stop();
    await smtp?.stop();
    await house?.goDown();
    for (const one of databases) await one.drop();
    await rm(folder, { recursive: true, force: true });
  });

  let erased = '';
  let seen: {
    webhooks: Map<string, string>;
    jobs: string[];
    transfers: number;
    messages: Map<string, string>;
  };
  const keyOf = (accountId: string) =>
    (service as TestService).service.foundation.keys.dataKeys.get(accountStream(accountId));
  /** Mails whose Message-ID came before, by id and subject. */
  const repeatedMails = (): string[] =>
    smtp.mails
      .filter(({ messageId }, n) => smtp.mails.findIndex((m) => m.messageId === messageId) < n)
      .map(({ messageId, subject }) => `${messageId} ${subject}`);

  it(`is backed up while it works (seed ${seed}), and goes on`, async () => {
    erased = String(
      (await ask(sender.key, 'POST', '/api/send', { ...letterBody('Draft.'), draft: true }))
        .letter_id,
    );
    await ask(leaving.key, 'POST', '/api/send', { ...letterBody('Draft.'), draft: true });
    await beginErasure(begunBefore);
    await someDay(2);
    const publicKey = (await done('backup-key', recipient())).trim();
    const working = someDay(2);
    await done('backup', '--to', join(folder, 'backups'), '--recipient', publicKey);
    await working;
    await someDay(2);
    await ask(sender.key, 'DELETE', `/api/letters/${erased}`);
    await done('erase-account', leaving.email, '--now', '--paid-out', 'wire back');
    const begun = beginErasure(begunAfter);
    await eventually(
      'the account is erased',
      async () => (await call(url(), 'GET', '/api/balance', { key: leaving.key })).status === 401,
      patienceMs,
    );
    await eventually(
      'its key is destroyed, once the certificate is mailed',
      async () => (await keyOf(leaving.id)) === undefined,
      patienceMs,
    );
    await eventually(
      'every letter is with the print house',
      () => [...sends.values()].every((id) => house.jobs.has(id)),
      patienceMs,
    );
    await begun;
    await quiet();
    for (const id of sends.values()) house.print(id);
    const head = await (service as TestService).service.foundation.storage.store.head();
    await eventually(
      'Kafka has everything',
      () => topic.received.some(({ event }) => event.position === String(head)),
      patienceMs,
    ).catch(async (error: Error) => {
      const last = topic.received.at(-1)?.event.position;
      const health = await (await fetch(`${url()}/health`)).text();
      throw new Error(`${error.message}: head ${head}, last ${last}, ${health}`);
    });
    seen = {
      webhooks: new Map(
        receiver.received.map((one) => [one.headers['webhook-id'] ?? '', one.body.type]),
      ),
      jobs: [...house.jobs.keys()].toSorted(),
      transfers: (await chain.received(payTo)).length,
      messages: new Map(topic.received.map(({ event }) => [event.id, JSON.stringify(event)])),
    };
    expect(seen.transfers).to.equal(paidByWallets);
    expect(repeatedMails(), 'mails that came twice before anything was lost').to.deep.equal([]);
  });

  let report = '';

  it('is restored elsewhere, and lists mails that may have been sent', async () => {
    injected('machine lost');
    await stop();
    env = { ...env, DATABASE_URL: databases[1]?.url ?? '', DATA_DIR: join(folder, 'new') };
    await rm(join(folder, 'data'), { recursive: true });
    const from = ['--from', join(folder, 'backups'), '--identity', recipient()];
    report = await done('restore', ...from);
    expect(report).to.match(/mails: \d+ may have been sent/);
    for (const { id } of [leaving, begunBefore, begunAfter]) {
      expect(report).to.include(`account ${id} is closed again`);
    }
  });

  it('sends no mail, webhook, print job or transaction again', async () => {
    const count = receiver.received.length;
    await start();
    await quiet();
    expect(repeatedMails(), 'mails that came twice').to.deep.equal([]);
    for (const { headers, body } of receiver.received.slice(count)) {
      const before = seen.webhooks.get(headers['webhook-id'] ?? '');
      if (before !== undefined) expect(body.type).to.equal(before);
    }
    expect([...house.jobs.keys()].toSorted()).to.deep.equal(seen.jobs);
    expect(new Set(house.printed).size).to.equal(house.printed.length);
    expect((await chain.received(payTo)).length).to.equal(seen.transfers);
    for (const { event } of topic.received) {
      const before = seen.messages.get(event.id);
      if (before !== undefined) expect(JSON.stringify(event)).to.equal(before);
    }
  });

  it('prints a letter once although its send is repeated after the restore', async () => {
    await done('credit', sender.id, '50.00', '--reference', 'after the restore');
    for (const [key, letterId] of sends) expect(await send(key)).to.equal(letterId);
    await quiet();
    for (const id of sends.values()) house.print(id);
    expect([...house.jobs.keys()].toSorted()).to.deep.equal(seen.jobs);
    expect(new Set(house.printed).size).to.equal(house.printed.length);
  });

  it('erases again the letter and the whole account, and completes erasures that had begun', async () => {
    const { keys } = (service as TestService).service.foundation;
    expect(await keys.dataKeys.get(letterStream(erased))).to.equal(undefined);
    for (const { id, key } of [leaving, begunBefore, begunAfter]) {
      await eventually(
        'the account is erased',
        async () => (await call(url(), 'GET', '/api/balance', { key })).status === 401,
        patienceMs,
      );
      await eventually(
        'its key is destroyed',
        async () => (await keyOf(id)) === undefined,
        patienceMs,
      );
    }
    expect(await done('verify')).to.include('OK: everything holds.');
  });

  it('names every payment that the restored log does not know', async () => {
    const { out } = await operate('reconcile', '--from-block', '0');
    const { storage } = (service as TestService).service.foundation;
    const { rows } = await storage.readDb.query<{ id: string }>(
      'select distinct receipt_id as id from read_models.ledger_entries where receipt_id is not null',
    );
    const known = new Set(rows.map(({ id }) => id));
    const lost = [checkouts, invoices].map((ids) => ids.filter((id) => !known.has(id)));
    for (const ids of lost) expect(ids.length).to.be.greaterThan(0);
    for (const id of checkouts)
      expect(out.includes(`LOST ${id}: 10.00 USD`)).to.equal(!known.has(id));
    for (const id of invoices) expect(out.includes(`LOST ${id}: `)).to.equal(!known.has(id));
    const onChain = [...known].filter((id) => id.startsWith('eip155:84532:')).length;
    expect(paidByWallets - onChain).to.be.greaterThan(0);
    expect(out.match(/DIFFERENCE eip155:84532:\S+: the chain has \$2\.00/g) ?? []).to.have.length(
      paidByWallets - onChain,
    );
    const seen = await operate('reconcile', '--seen', lost.flat().join(), '--by', 'J. Doe');
    expect(seen.out).not.to.include('LOST');
    for (const id of lost.flat()) expect(seen.out).to.include(`seen ${id}: `);
  });

  it('credits each payment on the chain to its payer again, once, as soon as its block is read', async () => {
    await chain.client.mine({ blocks: 13 });
    const { storage } = (service as TestService).service.foundation;
    await eventually(
      'every payment is in the books',
      async () => {
        const { rows } = await storage.readDb.query<{ receipts: bigint; micro: bigint }>(
          `select count(distinct receipt_id) as receipts, sum(-crypto_micro)::bigint as micro
           from read_models.ledger_entries
           where account = 'usdc_onchain' and receipt_id like 'eip155:84532:%'`,
        );
        const [known] = rows;
        if (Number(known?.receipts) < paidByWallets) return false;
        expect(Number(known?.micro)).to.equal(paidByWallets * 2_000_000);
        return true;
      },
      patienceMs,
    );
    const { code, out } = await operate('reconcile', '--from-block', '0');
    expect(out).not.to.include('DIFFERENCE');
    expect(code, out).to.equal(0);
  });
});
