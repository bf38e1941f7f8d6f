/** Closing the periods of volume contracts. */
import { expect } from 'chai';
import type { CommandHandler } from '../../commands/handling/handle.ts';
import type { ContractRecord } from '../../projections/contracts/query.ts';
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
  }) as unknown as ContractRecord;

describe('closing the periods of volume contracts', () => {
  for (const crowd of [0, 199, 200, 201, 1_000]) {
    it(`goes on behind ${crowd} contracts that wait for overdue letters`, async () => {
      const due = [
        ...Array.from({ length: crowd }, (_, n) => contractOf(`waits-${n}`, 1)),
        contractOf('ready', 0),
      ];
      const ended: string[] = [];
      const handle = async (_: unknown, accountId: string) => {
        ended.push(accountId);
        return { events: [{}] };
      };
      const goOn = createClosePeriods({
        handler: { handle } as unknown as CommandHandler,
        clock: () => Date.parse('2026-11-24T00:00:00Z'),
        lowMicro: 0n,
        contractsDue: async (_, limit, skipped) => due.slice(skipped, skipped + limit),
        isAnyOverdue: async () => true,
        forgottenCharge: async () => undefined,
      });
      expect(await goOn()).to.equal(1);
      expect(ended).to.deep.equal(['ready']);
    });
  }
});
