/** Volume contracts: fewer dollars a letter for a promise of many. */

import type { KeepLimits } from '../../commands/guards/keep-limits.ts';
import type { MakeContract } from '../../commands/negotiation/make-contract.ts';
import type { VolumeContract } from '../../commands/negotiation/volume-contract.ts';
import { lastMomentOf } from '../../contract/bounds.ts';
import { type AnyOperation, operation } from '../../contract/operation.ts';
import { type Clock, toTimestamp } from '../../ground/clock.ts';
import { Type } from '../../ground/type.ts';
import { leastUnits, mostUnits } from '../../money/volume-tiers.ts';
import { OneOf } from '../../presenters/common.ts';
import { Contract, presentContract } from '../../presenters/contract.ts';

const Body = Type.NamedExact('CreateContract', {
  committed_units: Type.Integer({
    minimum: leastUnits,
    maximum: mostUnits,
    description: 'The number of letters that you will send in each period.',
  }),
  period: OneOf(['month', 'quarter', 'year'] as const),
  period_count: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 12,
      default: 1,
      description: 'The number of consecutive periods. Each is counted and settled separately.',
    }),
  ),
  starts_at: Type.Optional(
    Type.String({
      minLength: 10,
      maxLength: 40,
      description:
        'A day (from its beginning in `time_zone`) or a time with its offset, within a year. Default: now.',
    }),
  ),
  time_zone: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      default: 'UTC',
      description: 'The time zone whose calendar ends the periods, such as `Europe/Berlin`.',
    }),
  ),
});

/** As the read model will have it: nothing is counted yet. */
export const recordOfNew = ({ terms, createdAt, periods }: VolumeContract) => ({
  state: 'active' as const,
  doc: {
    terms,
    createdAt,
    periods: periods.map(({ number, startsAt, endsAt }) => ({
      number,
      startsAt,
      endsAt,
      state: 'open' as const,
      units: 0,
      discountMicro: 0,
    })),
  },
});

export const contractOperation = (ports: {
  makeContract: MakeContract;
  keepLimits: Pick<KeepLimits, 'assertMayOwe'>;
  clock: Clock;
}): AnyOperation =>
  operation({
    name: 'create_contract',
    method: 'POST',
    path: '/api/anp/contracts',
    tag: 'Negotiation',
    summary: 'Commit to a volume for a discount',
    description:
      'From its start, every price of the account (quotes, offers, sends) gets the discount of `current_tier` on printing. Printed letters count. A live account can commit to at most as many letters as it had printed before, in a time of the same length. A period with fewer letters than committed is billed as `breach_terms` say. An account has one contract at a time. An expiring credential cannot make a contract that outlasts it. A policy counts no shortfall, so a credential with a policy makes no contract; under a policy of the account it needs scope full.',
    access: 'send',
    permit: { about: 'account' },
    idempotent: true,
    readsOwnWrites: true,
    input: { body: Body },
    responses: { 201: { description: 'The binding contract', schema: Contract } },
    errors: [
      ...(['validation_failed', 'contract_overlaps', 'contract_needs_history'] as const),
      ...(['policy_protected', 'conflict'] as const),
    ],
    examples: [
      {
        summary: 'Three hundred letters a month, for a quarter',
        body: {
          committed_units: 300,
          period: 'month',
          period_count: 3,
          time_zone: 'Europe/Berlin',
        },
      },
    ],
    async handle({ body, caller, command }) {
      const { accountId, test } = caller;
      await ports.keepLimits.assertMayOwe(caller, 'the shortfall of a volume contract');
      const wish = {
        accountId,
        test,
        requestHash: command.requestHash,
        committedUnits: body.committed_units,
        period: body.period,
        count: body.period_count ?? 1,
        startsAt: body.starts_at,
        timeZone: body.time_zone ?? 'UTC',
        lastMomentMs: lastMomentOf(caller),
      };
      const { contract, version, position, replayed } = await ports.makeContract(wish, command);
      const now = toTimestamp(replayed ? Date.parse(contract.createdAt) : ports.clock());
      return {
        body: presentContract({ record: recordOfNew(contract), personal: contract, now }),
        version,
        position,
        replayed,
      };
    },
  });
