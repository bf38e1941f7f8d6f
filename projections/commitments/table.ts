import type { AcceptedOffer } from '../../events/commitment.ts';
import { bigint, defineTable, fixed, json, key, type RowOf, text, time, uuid } from '../upsert.ts';

const columns = {
  commitment_id: key(text()),
  account_id: fixed(text()),
  tier: fixed(text()),
  /** Log position: the order of lists. */
  position: fixed(bigint()),
  accepted_at: fixed(time()),
  doc: fixed(json<AcceptedOffer>()),
};

/** The agreed terms, which never change. */
export const commitmentTable = defineTable('commitments', columns, {
  indexes: [
    '(account_id, position)',
    // An export reads them by name.
    '(account_id, commitment_id)',
    // Each acceptance looks for an earlier one of the same command.
    "(account_id, (doc::jsonb ->> 'commandId'))",
  ],
});

const useColumns = {
  letter_id: key(uuid()),
  commitment_id: text(),
  /** The letter's money in the wallet, held or spent; none: the letter no longer uses the commitment. */
  money_micro: bigint(),
};

export type UseRow = RowOf<typeof useColumns>;

/** Letters that used a commitment, or do. */
export const commitmentUseTable = defineTable('commitment_uses', useColumns, {
  indexes: ['(commitment_id)'],
});
