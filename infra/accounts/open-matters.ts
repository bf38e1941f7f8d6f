/** Counts the open matters in read models that prevent the erasure of an account. */

import type { OpenMatters } from '../../commands/accounts/blockers.ts';
import { disputeDays } from '../../commands/payments/reversals.ts';
import { dayMs } from '../../ground/day.ts';
import type { Db } from '../../ground/db.ts';
import { linesOfWallet } from '../../projections/ledger/query.ts';

/**
 * A payment delays the erasure for this many days at most. The service looks for one that its chain forgot for as long
 * (see `openPayments`). One on a network that the settings no longer name may stay open for ever.
 */
const paymentDays = 30;

/**
 * Whether a discount of a contract may still be billed, or its bill refunded. A closing account sends nothing, so a
 * period without discounts costs it nothing more.
 */
const mayMoveMoney = `exists (select from jsonb_to_recordset(doc::jsonb -> 'periods') as period (
    state text, "discountMicro" bigint, "billMicro" bigint, "billedMicro" bigint, "goneMicro" bigint, "returnedMicro" bigint)
  where (state in ('open', 'ended') and "discountMicro" > 0)
    or ("billMicro" > 0 and "billedMicro" is null)
    or ("billedMicro" is not null and "goneMicro" > coalesce("returnedMicro", 0)))`;

const query = `
select
  (select coalesce(sum(letters), 0) from read_models.letter_counts
   where id in ($1 || '/queued', $1 || '/processing'))::int as letters,
  (select count(*) from read_models.approvals
   where account_id = $1 and status = 'pending')::int as approvals,
  (select count(*) from read_models.top_ups where account_id = $1 and status = 'pending')::int
    + (select count(*) from read_models.payments
       where account_id = $1 and status in ('claimed', 'reverted')
         and claimed_at > $3::timestamptz)::int
    + (select count(*) from read_models.mech_requests
       where account_id = $1 and status = 'claimed')::int as payments,
  (select count(*) from read_models.ledger_entries taken
   where ${linesOfWallet('$1', 'taken.')} and taken.type = 'FundsChargedBack'
     and taken.receipt_id ~ '^d[pu]_' and taken.created_at > $2::timestamptz
     and not exists (select from read_models.ledger_entries given
       where ${linesOfWallet('$1', 'given.')} and given.type = 'FundsCredited'
         and given.receipt_id like '%:reinstated:' || split_part(taken.receipt_id, ':', 1)))::int as disputes,
  (select count(*) from read_models.contracts
   where account_id = $1 and due_at is not null and ${mayMoveMoney})::int as contracts`;

/** @param now epoch ms */
export const openMattersOf = async (
  db: Db,
  accountId: string,
  now: number,
): Promise<OpenMatters> => {
  const [disputedSince, claimedSince] = [disputeDays, paymentDays].map(
    (days) => new Date(now - days * dayMs),
  );
  const { rows } = await db.query<OpenMatters>(query, [accountId, disputedSince, claimedSince]);
  const [row] = rows;
  if (!row) throw new Error('open matters are counted or not');
  return row;
};
