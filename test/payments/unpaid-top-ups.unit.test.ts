import { expect } from 'chai';
import fc from 'fast-check';
import { createCommandHandler } from '../../commands/handling/handle.ts';
import { RailUnavailable } from '../../commands/payments/rails.ts';
import { createTopUps, type TopUpMethod } from '../../commands/payments/top-ups.ts';
import { openWallet, walletAggregate } from '../../commands/wallets/wallet.ts';
import { isAppError } from '../../contract/errors.ts';
import { toTimestamp } from '../../ground/clock.ts';
import { uuidv5 } from '../../ground/uuid.ts';
import { createMemoryDataKeys } from '../support/memory-data-keys.ts';
import { createMemoryEventStore } from '../support/memory-event-store.ts';

const space = '0b6c6a52-7d5c-5a3e-9d55-2f8d9b1c7e12';
const minutes = 60_000;
const payable = { card: 60 * minutes, lightning: 15 * minutes } as const;
type Method = keyof typeof payable;
const most = 20;

const createWorld = async () => {
  let now = Date.parse('2026-11-03T09:00:00.000Z');
  let isAway = false;
  let opened = 0;
  const clock = () => now;
  const handler = createCommandHandler({
    store: createMemoryEventStore(),
    dataKeys: createMemoryDataKeys(),
    clock,
  });
  const rate = { value: '100000', source: 'test', at: toTimestamp(now) };
  const methodOf = (method: Method): TopUpMethod => ({
    method,
    payableMs: payable[method],
    open: async ({ topUpId }) => {
      if (isAway) throw new RailUnavailable('it is away');
      opened += 1;
      const expiresAt = toTimestamp(now + payable[method]);
      return method === 'card'
        ? {
            terms: { method, sessionId: topUpId, currency: 'USD', amountMinor: 500 },
            handed: 'https://checkout.example/',
            expiresAt,
          }
        : {
            terms: { method, paymentHash: 'a'.repeat(64), amountSat: 5_000, rate },
            handed: 'lnbc',
            expiresAt,
          };
    },
  });
  const topUpsBy = (methods: TopUpMethod[]) => createTopUps({ handler, clock, methods });
  const topUps = topUpsBy([methodOf('card'), methodOf('lightning')]);
  const context = (commandId: string) => ({ commandId, actor: 'test' });
  for (const accountId of ['acct_1', 'acct_2'])
    await handler.handle(walletAggregate, accountId, context(uuidv5(space, accountId)), (it) =>
      openWallet(it, { type: 'OpenWallet', accountId, test: false }),
    );
  const askOf =
    ({ request }: Pick<typeof topUps, 'request'>) =>
    async (accountId: string, method: Method, commandId: string, more: object = {}) => {
      const wish = { accountId, amountMicro: 5_000_000n, currency: 'USD' as const, ...more };
      const asking = { ...context(commandId), requestHash: 'h'.repeat(43) };
      return (await request(method, wish, asking)).topUp.asked.topUpId;
    };
  return {
    topUps,
    ask: askOf(topUps),
    /** Once the operator has switched both methods off. */
    askWithoutMethods: askOf(topUpsBy([])),
    opened: () => opened,
    wait: (ms: number) => {
      now += ms;
    },
    goAway: (away: boolean) => {
      isAway = away;
    },
    clock,
  };
};

type Step =
  | { what: 'ask' | 'ask in vain'; method: Method }
  | { what: 'pay' | 'expire' | 'repeat'; n: number }
  | { what: 'wait'; ms: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom<Step>({ what: 'ask', method: 'card' }) },
  { weight: 12, arbitrary: fc.constantFrom<Step>({ what: 'ask', method: 'lightning' }) },
  { weight: 2, arbitrary: fc.constantFrom<Step>({ what: 'ask in vain', method: 'card' }) },
  {
    weight: 5,
    arbitrary: fc.record({
      what: fc.constantFrom('pay' as const, 'expire' as const, 'repeat' as const),
      n: fc.nat(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ what: fc.constant('wait' as const), ms: fc.nat(10 * minutes) }),
  },
);

/** A top-up that the account asked for; `until`: how long it takes a place. */
type Asked = { commandId: string; method: Method; topUpId?: string; until: number };

const refusalOf = async (asking: Promise<unknown>): Promise<string | undefined> => {
  try {
    await asking;
    return undefined;
  } catch (error) {
    if (!isAppError(error)) throw error;
    return error.code;
  }
};

describe('unpaid top-ups by card and Lightning', () => {
  it('are twenty of an account at most, and none is refused below that', async () => {
    let refusals = 0;
    const run = async (steps: readonly Step[]) => {
      const { topUps, ask, opened, wait, goAway, clock } = await createWorld();
      const asked: Asked[] = [];
      const unpaid = () => asked.filter(({ until }) => until > clock());
      for (const [turn, one] of steps.entries()) {
        const known = asked.filter(({ topUpId }) => topUpId);
        const chosen = 'n' in one ? known[one.n % Math.max(known.length, 1)] : undefined;
        if (one.what === 'wait') wait(one.ms);
        else if (one.what === 'ask' || one.what === 'ask in vain') {
          const commandId = uuidv5(space, `${turn}`);
          const isFull = unpaid().length >= most;
          const inVain = one.what === 'ask in vain';
          goAway(inVain);
          const before = opened();
          let topUpId: string | undefined;
          const refused = await refusalOf(
            ask('acct_1', one.method, commandId).then((id) => {
              topUpId = id;
            }),
          );
          goAway(false);
          const expected = isFull
            ? 'topup_limit_reached'
            : inVain
              ? 'payment_unavailable'
              : undefined;
          expect(refused).to.equal(expected);
          expect(opened() - before).to.equal(refused ? 0 : 1);
          if (isFull) refusals += 1;
          else {
            const until = clock() + (inVain ? minutes : payable[one.method]);
            asked.push({ commandId, method: one.method, ...(topUpId ? { topUpId } : {}), until });
          }
        } else if (chosen?.topUpId) {
          const { commandId, method, topUpId } = chosen;
          if (one.what === 'repeat')
            expect(await ask('acct_1', method, commandId)).to.equal(topUpId);
          else if (one.what === 'pay') {
            await topUps.paid(topUpId, { id: topUpId, amountMicro: 5_000_000n });
            chosen.until = 0;
          } else if (chosen.until > 0) {
            await topUps.expire(topUpId);
            chosen.until = 0;
          }
        }
      }
      // Another account has its own places, and an order or a payment in the same request takes none.
      await ask('acct_2', 'card', uuidv5(space, 'other'));
      const checkout = { description: 'A letter', email: 'a@example.com', returnUrl: 'https://x/' };
      await ask('acct_1', 'card', uuidv5(space, 'order'), { checkout });
    };
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 40, maxLength: 90 }), run), {
      seed: 20261130,
      numRuns: 60,
    });
    expect(refusals).to.be.greaterThan(100);
  });

  it('are the same ones when they are asked for again, also after their method was switched off', async () => {
    const { ask, askWithoutMethods } = await createWorld();
    const [first, second] = [uuidv5(space, 'first'), uuidv5(space, 'second')];
    const topUpId = await ask('acct_1', 'card', first);
    expect(await askWithoutMethods('acct_1', 'card', first)).to.equal(topUpId);
    expect(await refusalOf(askWithoutMethods('acct_1', 'card', second))).to.equal(
      'payment_method_unavailable',
    );
  });
});
