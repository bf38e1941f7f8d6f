/** Payments of requests that take none twice: a read, or a cancellation. */
import { expect } from 'chai';
import { createCommandHandler } from '../../commands/handling/handle.ts';
import { createIntake } from '../../commands/payments/intake.ts';
import { type Authorization, type Rail, RailUnavailable } from '../../commands/payments/rails.ts';
import { AppError } from '../../contract/errors.ts';
import { digest } from '../support/digest.ts';
import { createMemoryDataKeys } from '../support/memory-data-keys.ts';
import { createMemoryEventStore } from '../support/memory-event-store.ts';
import { payerAccounts } from '../support/payer-accounts.ts';

const authorization: Authorization = {
  payer: `0x${'c'.repeat(40)}`,
  payTo: `0x${'b'.repeat(40)}`,
  amountMicro: 10_000n,
  validAfter: 0n,
  validBefore: 2n ** 40n,
  nonce: `0x${'1'.repeat(64)}`,
  signature: `0x${'ab'.repeat(65)}`,
};

const clock = () => Date.parse('2026-11-03T09:00:00.000Z');

/** The code with which a payment of a rail with these faults is answered, however often it is presented. */
const answersOf = (faults: Partial<Rail>, isFree: () => boolean, repeatable: boolean) => {
  const handler = createCommandHandler({
    store: createMemoryEventStore(),
    dataKeys: createMemoryDataKeys(),
    clock,
  });
  const intake = createIntake({
    handler,
    clock,
    pause: async () => {},
    payers: payerAccounts(handler, clock),
    holds: {
      hold: async () => ({ held: isFree() ? 'now' : undefined, aheadMicro: 0n }),
      giveBack: async () => {},
    },
    rail: {
      network: 'eip155:84532',
      asset: `0x${'a'.repeat(40)}`,
      payTo: authorization.payTo,
      settle: async () => ({ state: 'pending' }),
      head: async () => 1,
      isSigned: async () => true,
      balanceOf: async () => 10_000n,
      verify: async () => undefined,
      gasOf: () => ({ gas: 1n, ceiling: 1n }),
      fateOf: async () => ({ state: 'unused' }),
      ...faults,
    },
  });
  const request = { operation: 'get_balance', requestHash: digest('read'), repeatable };
  return async (): Promise<AppError> => {
    const error = await intake.take(authorization, request).catch((reason: unknown) => reason);
    return error instanceof AppError ? error : expect.fail('it is refused');
  };
};

const away = async (): Promise<never> => {
  throw new RailUnavailable(new Error('away'));
};

/** Obstacles to the settlement of a payment that is on record. */
const obstacles: Record<string, [Partial<Rail>, () => boolean]> = {
  'a slow chain': [{}, () => true],
  'a node that goes away': [{ fateOf: away }, () => true],
  'other payments of the payer': [{}, () => false],
};

describe('a payment that is not settled in time', () => {
  for (const [what, [faults, isFree]] of Object.entries(obstacles)) {
    it(`is never asked for again by a request that would not take it (${what})`, async () => {
      const answer = answersOf(faults, isFree, false);
      const first = await answer();
      expect((await answer()).code).to.equal('payment_already_used');
      expect(first.code).to.equal('payment_already_used');
      expect(first.message).to.include('a new payment').and.include('is credited');
    });

    it(`is asked for again by a request that may be repeated (${what})`, async () => {
      const answer = answersOf(faults, isFree, true);
      for (const _ of [1, 2])
        expect((await answer()).code).to.match(/^payment_(pending|unavailable)$/);
    });
  }

  it('may be presented again where it was not recorded', async () => {
    const answer = answersOf({ verify: away }, () => true, false);
    for (const _ of [1, 2]) expect((await answer()).code).to.equal('payment_unavailable');
  });
});
