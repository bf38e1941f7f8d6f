import type { Db } from '../../ground/db.ts';
import { createConditions } from '../conditions.ts';
import type { ContractDoc, ContractRow } from './table.ts';

export { isReturnDue, periodAt, printedUnits } from './period-at.ts';
export type { ContractDoc, ContractRow, PeriodDoc, PeriodState } from './table.ts';

/** A contract as readers get it. */
export type ContractRecord = {
  contractId: string;
  accountId: string;
  state: ContractRow['state'];
  createdPosition: bigint;
  changedPosition: bigint;
  version: bigint;
  doc: ContractDoc;
  /** The personal part, sealed for the event `doc.sealedFor`. */
  sealed: string | undefined;
};

type StoredRow = Omit<ContractRow, 'doc'> & { doc: string };

const columns =
  'contract_id, account_id, state, created_position, changed_position, version, doc, sealed';

const toRecord = (row: StoredRow): ContractRecord => ({
  contractId: row.contract_id,
  accountId: row.account_id,
  state: row.state,
  createdPosition: row.created_position,
  changedPosition: row.changed_position,
  version: row.version,
  doc: JSON.parse(row.doc),
  sealed: row.sealed ?? undefined,
});

type ContractFilter = {
  accountId: string;
  state?: ContractRow['state'];
  /** Rows older than this place in the list. */
  before?: bigint;
  limit: number;
};

/** Newest first. */
export const listContracts = async (db: Db, filter: ContractFilter): Promise<ContractRecord[]> => {
  const { where, parameter, text, values } = createConditions();
  where((p) => `account_id = ${p}`, filter.accountId);
  where((p) => `state = ${p}`, filter.state);
  where((p) => `created_position < ${p}`, filter.before);
  const { rows } = await db.query<StoredRow>(
    `select ${columns} from read_models.contracts where ${text()}
     order by created_position desc limit ${parameter(filter.limit)}`,
    values,
  );
  return rows.map(toRecord);
};

/** A contract of any owner. */
export const contractById = async (db: Db, id: string): Promise<ContractRecord | undefined> => {
  const { rows } = await db.query<StoredRow>(
    `select ${columns} from read_models.contracts where contract_id = $1`,
    [id],
  );
  return rows[0] && toRecord(rows[0]);
};

export type ContractDue = ContractRecord & { dueAt: Date };

/** Contracts with something to do by `now`, the longest due first, behind the contract `after`. */
export const contractsDue = async (
  db: Db,
  now: string,
  limit: number,
  after?: Pick<ContractDue, 'contractId' | 'dueAt'>,
): Promise<ContractDue[]> => {
  const { rows } = await db.query<StoredRow & { due_at: Date }>(
    `select ${columns}, due_at from read_models.contracts
     where due_at is not null and due_at <= $1::timestamptz
       and ($3::timestamptz is null or (due_at, contract_id) > ($3, $4))
     order by due_at, contract_id limit $2`,
    [now, limit, after?.dueAt, after?.contractId],
  );
  return rows.map((row) => ({ ...toRecord(row), dueAt: row.due_at }));
};

/** Contracts of an account that are not over. */
export const activeContracts = (db: Db, accountId: string): Promise<ContractRecord[]> =>
  listContracts(db, { accountId, state: 'active', limit: 1_000 });

/** Which of these contracts have a row, in whatever state. */
export const contractsIn = async (db: Db, ids: string[]): Promise<Set<string>> => {
  const { rows } = await db.query<{ contract_id: string }>(
    'select contract_id from read_models.contracts where contract_id = any($1)',
    [ids],
  );
  return new Set(rows.map((row) => row.contract_id));
};

/** How far the contracts know the log by their last change. */
export const lastContractChange = async (db: Db): Promise<bigint> => {
  const { rows } = await db.query<{ position: bigint }>(
    'select coalesce(max(changed_position), 0)::bigint as position from read_models.contracts',
  );
  return rows[0]?.position ?? 0n;
};

/** Accounts whose contracts changed after a position in the log, and the position up to which this holds. */
export const contractsChangedAfter = async (
  db: Db,
  position: bigint,
): Promise<{ accountIds: string[]; position: bigint }> => {
  const { rows } = await db.query<{ account_id: string; changed_position: bigint }>(
    'select account_id, changed_position from read_models.contracts where changed_position > $1',
    [position],
  );
  return {
    accountIds: rows.map((row) => row.account_id),
    position: rows.reduce(
      (last, row) => (row.changed_position > last ? row.changed_position : last),
      position,
    ),
  };
};
