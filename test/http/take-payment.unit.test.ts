import { expect } from 'chai';
import { AppError } from '../../contract/errors.ts';
import type { AnyOperation, Caller } from '../../contract/operation.ts';
import type { PaymentGateway } from '../../http/payment-gateway.ts';
import type { HttpContext } from '../../http/rule.ts';
import { takePayment } from '../../http/take-payment.ts';

const payer: Caller = { accountId: 'payer', keyId: 'x402', scope: 'send', test: false };
const holdsMs = 300_000;
const about = { url: '', description: '', method: 'POST', reads: false } as const;
type Prices = { nobody: bigint; payer: bigint };

/** Pays `amountMicro`, under a key if there is one. */
const createWorld = (now: Prices, before: Prices = now) => {
  const moved: bigint[] = [];
  const noted: [accountId: string, position: bigint][] = [];
  const obeyed = new Set<string>();
  const gateway: PaymentGateway<bigint> = {
    readPriceMicro: 1n,
    signedIn: async () => undefined,
    signInFor: () => ({}),
    assertPermits: () => {},
    presented: (headers) =>
      headers['x-payment'] === undefined ? undefined : BigInt(String(headers['x-payment'])),
    amountOf: (amount) => amount,
    idOf: (amount) => `${amount}`,
    isRecorded: async (amount) => moved.includes(amount),
    priceHoldsMs: holdsMs,
    required: (price) => new AppError('payment_required', 'pay', { extra: { price } }),
    payerOf: async () => payer,
    async take(amount, { priceMicro }) {
      if (amount !== priceMicro) throw gateway.required(priceMicro, about);
      await new Promise((resolve) => setImmediate(resolve));
      moved.push(amount);
      const payment = { paymentId: `${moved.length}`, receiptId: 'r', amountMicro: amount };
      return { caller: payer, payment, position: BigInt(moved.length), headers: {} };
    },
  };
  const operation = {
    name: 'send_letter',
    summary: 'Send',
    access: 'send',
    idempotent: true,
    method: 'POST',
    payable: {
      priceOf: async ({ caller, agoMs }: { caller: Caller | undefined; agoMs: number }) =>
        (agoMs === 0 ? now : before)[caller ? 'payer' : 'nobody'],
      wasObeyed: async ({ commandId }: { commandId: string }) => obeyed.has(commandId),
    },
  } as unknown as AnyOperation;
  const rule = takePayment(operation, {
    gateway: gateway as PaymentGateway,
    digest: (text) => text,
    baseUrl: '',
    ownWrites: { note: (accountId, position) => noted.push([accountId, position]) },
  });
  const pay = async (amount: bigint, idempotencyKey?: string) => {
    const state = { idempotencyKey, address: '', body: {}, params: {}, query: {} };
    const ctx = {
      state,
      path: '/',
      req: { headers: { 'x-payment': String(amount) } },
      res: { setHeader: () => {} },
    } as unknown as HttpContext;
    await rule(ctx, async () => {
      await new Promise((resolve) => setImmediate(resolve));
      const { commandId } = await import('../../http/command-of.ts').then(({ commandMaker }) =>
        commandMaker(operation, (text) => text)(ctx.state),
      );
      obeyed.add(commandId);
    });
    return ctx.state.payment?.pricedAgoMs;
  };
  const refusedPrice = (amount: bigint) =>
    pay(amount).then(
      () => undefined,
      (error: AppError) => error.extra?.price,
    );
  return { pay, refusedPrice, moved, noted };
};

describe('the price that a payment is taken for', () => {
  it('is the payer’s own, or the one that somebody unknown was asked for', async () => {
    const { pay, moved } = createWorld({ nobody: 159n, payer: 154n });
    expect(await pay(154n)).to.equal(0);
    expect(await pay(159n)).to.equal(0);
    expect(moved).to.deep.equal([154n, 159n]);
  });

  it('is never less than the payer’s own, which is asked for instead', async () => {
    const { refusedPrice, moved } = createWorld({ nobody: 150n, payer: 154n });
    expect(await refusedPrice(150n)).to.equal(154n);
    expect(await refusedPrice(160n)).to.equal(154n);
    expect(moved).to.deep.equal([]);
  });

  it('is one that a 402 asked for before prices changed, by which the request is priced', async () => {
    const world = createWorld({ nobody: 170n, payer: 165n }, { nobody: 159n, payer: 154n });
    for (const amount of [159n, 154n]) expect(await world.pay(amount)).to.equal(holdsMs);
    expect(await world.refusedPrice(158n)).to.equal(165n);
  });

  it('is what was paid when the same payment comes again after its request was carried out', async () => {
    const now = { nobody: 159n, payer: 154n };
    const { pay, refusedPrice, moved } = createWorld(now);
    await pay(154n);
    Object.assign(now, { nobody: 170n, payer: 165n });
    expect(await pay(154n)).to.equal(0);
    expect(await refusedPrice(155n)).to.equal(165n);
    expect(new Set(moved)).to.deep.equal(new Set([154n]));
  });

  it('counts as a write of the payer, for which its reads wait', async () => {
    const { pay, noted } = createWorld({ nobody: 159n, payer: 154n });
    await pay(154n);
    expect(noted).to.deep.equal([[payer.accountId, 1n]]);
  });

  it('is taken once for one key, however many payments come with it at once', async () => {
    const { pay, moved } = createWorld({ nobody: 159n, payer: 159n });
    await Promise.all([pay(159n, 'key'), pay(159n, 'key'), pay(159n, 'key')]);
    await pay(159n, 'key');
    expect(moved).to.have.length(1);
    await pay(159n, 'another key');
    expect(moved).to.have.length(2);
  });
});
