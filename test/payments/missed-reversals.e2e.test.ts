/** Refunds and disputes at Stripe that the log does not know: their webhook was missed, or came after the backup. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { clientOf, until } from '../support/client.ts';
import { runOperator } from '../support/operator.ts';
import { emptyDatabase, freshDatabase } from '../support/postgres.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { type StripeServer, startStripe } from '../support/stripe-server.ts';

type TopUp = { topup_id: string; status: string; checkout_url: string };
type Place = Record<'DATABASE_URL' | 'DATA_DIR', string>;

describe('a refund or dispute whose webhook is not in the log', function () {
  this.timeout(300_000);
  let folder = '';
  let stripe: StripeServer;
  let service: TestService | undefined;
  const databases: Awaited<ReturnType<typeof freshDatabase>>[] = [];
  const { register, as } = clientOf(() => service as TestService);
  before(async () => {
    stripe = await startStripe();
    folder = await mkdtemp(join(tmpdir(), 'missed-reversals-'));
  });
  after(async () => {
    await stop();
    await stripe?.stop();
    for (const one of databases) await one.drop();
    await rm(folder, { recursive: true, force: true });
  });

  const newPlace = async (name: string, create: typeof freshDatabase): Promise<Place> => {
    const database = await create();
    databases.push(database);
    const DATA_DIR = join(folder, name);
    await mkdir(DATA_DIR);
    return { DATABASE_URL: database.url, DATA_DIR };
  };
  const envOf = (place: Place): Record<string, string> => ({
    ...place,
    ERASURE_JOURNAL: join(folder, 'erasures.log'),
    ...stripe.env,
  });
  const stop = async (): Promise<void> => {
    await service?.stop();
    service = undefined;
  };
  const start = async (place: Place): Promise<void> => {
    service = await startTestService(envOf(place));
    stripe.tellTo(`${service.url}/webhooks/stripe`);
  };
  const done = async (place: Place, ...args: string[]): Promise<string> => {
    const { code, out, err } = await runOperator(envOf(place), args);
    expect(code, args.join(' ') + out + err).to.equal(0);
    return out;
  };
  const toppedUp = async () => {
    const account = await register('live');
    const { body } = await account.post<TopUp>('/api/topup', { method: 'card', amount: 20 });
    const { payment_intent, ...session } = stripe.complete(body.checkout_url);
    expect(await stripe.tell('checkout.session.completed', session)).to.equal(200);
    await until(async () => (await account.balance()).available === 20);
    return { ...account, url: body.checkout_url, payment_intent };
  };

  it('is taken back anyway, and in the books that were restored as well', async () => {
    const place = await newPlace('data', freshDatabase);
    const identity = join(folder, 'identity.age');
    const recipient = (await done(place, 'backup-key', identity)).trim();
    await start(place);
    const [told, refunded, disputed] = [await toppedUp(), await toppedUp(), await toppedUp()];
    const backups = join(folder, 'backups');
    await done(place, 'backup', '--to', backups, '--recipient', recipient);

    stripe.refund(told.url, 2_000);
    const { payment_intent } = told;
    expect(await stripe.tell('charge.refunded', { payment_intent })).to.equal(200);
    await until(async () => (await told.balance()).available === 0);
    await stop();
    // More than one page of Stripe's list.
    for (let cent = 0; cent < 101; cent++) stripe.refund(refunded.url, 1);
    const dispute = stripe.dispute(disputed.url, 2_000);
    const missed = await done(place, 'reconcile').catch(String);
    expect(missed).to.match(/cs_test_\d+, refunds and disputes: Stripe has -\$1\.01, the books/);
    expect(missed).to.match(/cs_test_\d+, refunds and disputes: Stripe has -\$20\.00, the books/);
    await start(place);
    const available = () =>
      Promise.all(
        [told, refunded, disputed].map(
          async ({ account }) => (await as(account.api_key).balance()).available,
        ),
      );
    await until(async () => String(await available()) === '0,18.99,0');
    expect(await done(place, 'reconcile')).to.not.include('DIFFERENCE');

    dispute.status = 'won';
    await stop();
    const elsewhere = await newPlace('elsewhere', emptyDatabase);
    await done(elsewhere, 'restore', '--from', backups, '--identity', identity);
    await start(elsewhere);
    await until(async () => String(await available()) === '0,18.99,20');
    expect(await done(elsewhere, 'reconcile')).to.not.include('DIFFERENCE');
  });
});
