/** Closing the periods of volume contracts. */
import { expect } from 'chai';
import type { CommandHandler } from '../../commands/handling/handle.ts';
import type { ContractDue } from '../../projections/contracts/query.ts';
import { createClosePeriods } from '../../reactors/negotiation/close-periods.ts';

/** A contract whose period is due. `waiting`: letters of it that are not in production yet. */
const contractOf = (accountId: string, waiting: number) =>
  ({
    accountId,
    contractId: `contract of ${accountId}`,
    doc: {
      terms: { breachTerms: { graceDays: 0 } },
      periods: [{ number: 1, state: 'open', endsAt: '2026-10-01T00:00:00.000Z', waiting }],
    },
  }) as unknown as ContractDue;

/** Accounts whose periods were ended in a round. Those whose name starts with `broken` throw. */
const roundOf = (due: ContractDue[]) => {
  const ended: string[] = [];
  const handle = async (_: unknown, accountId: string) => {
    if (accountId.startsWith('broken')) throw new Error('an event of a newer version');
    ended.push(accountId);
    return { events: [{}] };
  };
  const goOn = createClosePeriods({
    handler: { handle } as unknown as CommandHandler,
    clock: () => Date.parse('2026-11-24T00:00:00Z'),
    lowMicro: 0n,
    contractsDue: async (_, limit, after) => {
      const from = due.findIndex(({ contractId }) => contractId === after?.contractId) + 1;
      return due.slice(from, from + limit);
    },
    isAnyOverdue: async () => true,
    forgottenCharge: async () => undefined,
  });
  return { goOn, ended };
};

describe('closing the periods of volume contracts', () => {
  for (const crowd of [0, 199, 200, 201, 1_000]) {
    const crowdOf = (name: string, waiting: number) =>
      Array.from({ length: crowd }, (_, n) => contractOf(`${name}-${n}`, waiting));

    it(`goes on behind ${crowd} contracts that wait for overdue letters`, async () => {
      const { goOn, ended } = roundOf([...crowdOf('waits', 1), contractOf('ready', 0)]);
      expect(await goOn()).to.equal(1);
      expect(ended).to.deep.equal(['ready']);
    });

    it(`goes on behind ${crowd} contracts whose step fails`, async () => {
      const { goOn, ended } = roundOf([...crowdOf('broken', 0), contractOf('ready', 0)]);
      const outcome = await goOn().catch((reason: Error) => reason.message);
      expect(outcome).to.equal(crowd === 0 ? 1 : 'an event of a newer version');
      expect(ended).to.deep.equal(['ready']);
    });
  }
});
