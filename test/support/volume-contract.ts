/** A volume contract of the account of the letter world, which gives its discount from now on. */
import {
  createContract,
  endPeriod,
  volumeContractAggregate,
} from '../../commands/negotiation/volume-contract.ts';
import { volumeTiers } from '../../money/volume-tiers.ts';
import { account, type LetterWorld } from './letter-world.ts';

const contractId = 'contract_1';

/** @param endsAt RFC 3339; its count is closed a week later */
export const makeContract = async (
  { handler, discount, context }: Pick<LetterWorld, 'handler' | 'discount' | 'context'>,
  endsAt: string,
  { test = false } = {},
): Promise<void> => {
  await handler.handle(volumeContractAggregate, account, context(), (state) =>
    createContract(state, {
      type: 'CreateContract',
      terms: {
        contractId,
        accountId: account,
        test,
        committedUnits: 51,
        period: 'month',
        timeZone: 'UTC',
        periods: [{ startsAt: '2026-10-01T00:00:00.000Z', endsAt }],
        tiers: [...volumeTiers],
        breachTerms: { shortfall: 'rebill_at_undiscounted_price', graceDays: 7 },
        requestHash: 'd'.repeat(43),
      },
      customerDid: 'did:key:z6Mk',
      jws: 'a.b.c',
      printedBefore: 1_000,
    }),
  );
  discount.now = { contractId, basisPoints: 1_000 };
};

/** Ends the only period of the test contract at once. */
export const endContract = async ({
  handler,
  context,
}: Pick<LetterWorld, 'handler' | 'context'>): Promise<void> => {
  await handler.handle(volumeContractAggregate, account, context(), (state) =>
    endPeriod(state, { type: 'EndPeriod', contractId, number: 1, now: 'whenever' }),
  );
};
