import { type AnyOperation, operation } from '../../contract/operation.ts';
import { contractNotFound } from '../../contract/refusals.ts';
import { type Clock, toTimestamp } from '../../ground/clock.ts';
import type { Db } from '../../ground/db.ts';
import { Type } from '../../ground/type.ts';
import type { Limits } from '../../limits/table.ts';
import { Cursor, OneOf, Page, RowsPerPage, usualRows } from '../../presenters/common.ts';
import { Contract, type ContractView, presentContract } from '../../presenters/contract.ts';
import { pageOf, placeOf } from '../../presenters/paging.ts';
import {
  type ContractRecord,
  contractById,
  listContracts,
} from '../../projections/contracts/query.ts';

type ContractReadPorts = {
  db: Db;
  clock: Clock;
  limits: Limits;
  /** The personal parts, in the order of the records. */
  open(records: ContractRecord[]): Promise<ContractView['personal'][]>;
  /** A contract of the account of which nothing is counted yet, as its stream says. */
  newContract(accountId: string, contractId: string): Promise<NewContract | undefined>;
};

type NewContract = Omit<ContractView, 'now'> & { version: bigint };

const path = '/api/anp/contracts';
const tag = 'Negotiation';

/**
 * A live account has one at a time, and never as many. A test account ends periods by hand: only the latest of its
 * contracts are searched for a DID.
 */
const mostOfAccount = 1_000;

/** A contract that was just made may have no row yet. @throws AppError contract_not_found */
const ownContract = async (
  { db, open, newContract }: ContractReadPorts,
  accountId: string,
  contractId: string,
): Promise<NewContract> => {
  const record = await contractById(db, contractId);
  if (record?.accountId === accountId) {
    const [personal] = await open([record]);
    return { record, personal, version: record.version };
  }
  const made = record ? undefined : await newContract(accountId, contractId);
  if (made) return made;
  throw contractNotFound();
};

const listContractsOperation = ({ db, clock, limits, open }: ContractReadPorts) =>
  operation({
    name: 'list_contracts',
    method: 'GET',
    path,
    tag,
    summary: 'List volume contracts',
    description:
      'Lists the contracts of the account, newest first. Another customer’s `did` returns an empty list.',
    access: 'read',
    permit: { about: 'account' },
    input: {
      query: Type.Exact({
        customer_did: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 512,
            description: 'Only contracts of this DID.',
          }),
        ),
        state: Type.Optional(
          OneOf(['active', 'fulfilled', 'breached', 'all'] as const, 'Default: active.'),
        ),
        limit: Type.Optional(RowsPerPage(limits)),
        cursor: Type.Optional(Cursor),
      }),
    },
    responses: { 200: { description: 'Contracts', schema: Page(Contract) } },
    errors: ['invalid_cursor'],
    async handle({ caller: { accountId }, query }) {
      const { state = 'active', customer_did: did, limit = usualRows(limits) } = query;
      const before = placeOf(query.cursor);
      const now = toTimestamp(clock());
      const of = state === 'all' ? {} : { state };
      // The DID is in the personal part, so each contract has to be opened.
      const most = did === undefined ? limit + 1 : mostOfAccount;
      const records = await listContracts(db, { accountId, ...of, before, limit: most });
      const personal = await open(records);
      const found = records
        .map((record, n) => ({ record, personal: personal[n], now }))
        .filter((one) => did === undefined || one.personal?.customerDid === did);
      const body = pageOf(found, limit, ({ record }) => record.createdPosition, presentContract);
      return { body };
    },
  });

const getContractOperation = (ports: ContractReadPorts) =>
  operation({
    name: 'get_contract',
    method: 'GET',
    path: `${path}/{contract_id}`,
    tag,
    summary: 'Get a volume contract in full',
    description:
      'The answer contains its tiers, the count of each period, and the cost of a shortfall.',
    access: 'read',
    permit: { about: 'account' },
    input: {
      params: Type.Object({ contract_id: Type.String({ minLength: 1, maxLength: 64 }) }),
    },
    responses: { 200: { description: 'The contract', schema: Contract } },
    errors: ['contract_not_found'],
    async handle({ caller: { accountId }, params }) {
      const { version, ...view } = await ownContract(ports, accountId, params.contract_id);
      return { body: presentContract({ ...view, now: toTimestamp(ports.clock()) }), version };
    },
  });

export const contractReadOperations = (ports: ContractReadPorts): AnyOperation[] => [
  listContractsOperation(ports),
  getContractOperation(ports),
];
