/** Making a volume contract: its periods by the calendar, its terms signed by the service. */

import { AppError } from '../../contract/errors.ts';
import { invalidField } from '../../contract/refusals.ts';
import type { ContractPeriodLength, ContractTerms } from '../../events/volume-contract.ts';
import { type Clock, toTimestamp } from '../../ground/clock.ts';
import { addDays, dayMs, isDay } from '../../ground/day.ts';
import { uuidv5 } from '../../ground/uuid.ts';
import { type ContractDocument, signContract } from '../../identity/contracts.ts';
import type { DocumentSigner } from '../../identity/signed-document.ts';
import { volumeTiers } from '../../money/volume-tiers.ts';
import type { CallerDids } from '../accounts/caller-did.ts';
import type { CommandContext } from '../handling/fold.ts';
import type { CommandHandler } from '../handling/handle.ts';
import { isTimeZone, periodsFrom, startOfDayIn } from './contract-calendar.ts';
import {
  contractOf,
  createContract,
  type VolumeContract,
  volumeContractAggregate,
} from './volume-contract.ts';

type ContractWish = {
  accountId: string;
  test: boolean;
  committedUnits: number;
  period: ContractPeriodLength;
  /** How many periods, one after the other. */
  count: number;
  /** A day, or a time with its offset; absent: now. */
  startsAt: string | undefined;
  timeZone: string;
  requestHash: string;
  /** Epoch ms: when the credential that asks ends. */
  lastMomentMs: number;
};

/** CHOICE: a shortfall is billed a week after its period. */
const graceDays = 7;
/** So much earlier than now is now: clocks differ, and requests take their time. */
const lateMs = 300_000;
const aheadMs = 366 * dayMs;
/** As long as a period lasts at most. */
const historyDays: Record<ContractPeriodLength, number> = { month: 31, quarter: 92, year: 366 };

const invalid = (pointer: string, detail: string): AppError =>
  invalidField(pointer, 'not_allowed', detail);

const time =
  /^(\d{4}-\d\d-\d\d)[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** Nothing ends a contract early, so it may not outlast the credential that made it. @throws AppError */
const assertWithin = ({ periods }: ContractTerms, lastMomentMs: number): void => {
  const endsAt = periods.at(-1)?.endsAt ?? '';
  if (Date.parse(endsAt) <= lastMomentMs) return;
  throw new AppError(
    'scope_insufficient',
    `The contract runs until ${endsAt}, but this credential expires at ${toTimestamp(lastMomentMs)}. Use a key that lasts longer, or commit to fewer periods.`,
  );
};

/** Epoch ms. @throws AppError validation_failed for a date that has passed, or is more than a year ahead */
export const startIn = (
  text: string | undefined,
  { timeZone, now }: { timeZone: string; now: number },
): number => {
  if (!isTimeZone(timeZone)) {
    throw invalid('/time_zone', 'time_zone is not the name of a time zone, such as Europe/Berlin.');
  }
  if (text === undefined) return now;
  const date = time.exec(text)?.[1] ?? text;
  if (!isDay(date)) {
    const detail = 'starts_at is neither a day (2027-01-01) nor a time (2027-01-01T00:00:00Z).';
    throw invalid('/starts_at', detail);
  }
  const startsAt = date === text ? startOfDayIn(text, timeZone) : Date.parse(text);
  const isNow = date === text ? startOfDayIn(addDays(text, 1), timeZone) : startsAt + lateMs;
  if (startsAt <= now && now < isNow) return now;
  if (startsAt < now) {
    throw invalid('/starts_at', 'starts_at has passed. Leave it out to start the contract now.');
  }
  if (startsAt - now > aheadMs) {
    throw invalid('/starts_at', 'starts_at is more than a year ahead. Make the contract later.');
  }
  return startsAt;
};

const documentOf = (
  terms: ContractTerms,
  more: Pick<ContractDocument, 'iss' | 'customer_did' | 'issued_at'>,
): ContractDocument => ({
  contract_id: terms.contractId,
  ...more,
  test: terms.test,
  committed_units: terms.committedUnits,
  period: terms.period,
  time_zone: terms.timeZone,
  periods: terms.periods.map(({ startsAt, endsAt }) => ({ starts_at: startsAt, ends_at: endsAt })),
  tiers: terms.tiers.map(({ from, to, basisPoints }) => ({
    from,
    to,
    discount: basisPoints / 10_000,
  })),
  breach_terms: {
    shortfall: terms.breachTerms.shortfall,
    grace_days: terms.breachTerms.graceDays,
  },
});

type MadeContract = {
  contract: VolumeContract;
  version: bigint;
  position: bigint;
  replayed: boolean;
};

export const createMakeContract = (ports: {
  handler: CommandHandler;
  clock: Clock;
  /** The DID that acts for the account, made where there is none. */
  didOf(accountId: string, context: CommandContext): Promise<string>;
  signer(): DocumentSigner;
  /** DID of the service. */
  serviceDid(): string;
  /** How many letters of an account were accepted since then (RFC 3339) and went into production. */
  printedSince(accountId: string, since: string): Promise<number>;
  /** Told of each contract, so that its discount counts at once. */
  made(contract: VolumeContract): void;
}) => {
  const { handler, clock } = ports;

  /**
   * @throws AppError validation_failed, contract_overlaps, contract_needs_history, idempotency_key_reused,
   * scope_insufficient
   */
  return async (wish: ContractWish, context: CommandContext): Promise<MadeContract> => {
    const { accountId, test, committedUnits, period, count, timeZone, requestHash } = wish;
    const contractId = `contract_${uuidv5(context.commandId, 'contract').replaceAll('-', '')}`;
    const now = clock();
    const before = await handler.load(volumeContractAggregate, accountId);
    const known = contractOf(before.state, contractId);
    // A repetition is not judged by the current time.
    const startsAt = known
      ? Date.parse(known.terms.periods[0]?.startsAt ?? '')
      : startIn(wish.startsAt, { timeZone, now });
    const terms: ContractTerms = {
      contractId,
      accountId,
      test,
      committedUnits,
      period,
      timeZone,
      requestHash,
      periods: periodsFrom(startsAt, { period, count, timeZone }),
      tiers: [...volumeTiers],
      breachTerms: { shortfall: 'rebill_at_undiscounted_price', graceDays },
      // The period of a test contract is ended by hand, long before its letters would be printed.
      ...(test ? {} : { countsPrinted: true as const }),
    };
    if (!known) assertWithin(terms, wish.lastMomentMs);
    // Refuses before a DID is made for nothing.
    const printedBefore = await ports.printedSince(
      accountId,
      toTimestamp(now - historyDays[period] * dayMs),
    );
    const create = { type: 'CreateContract' as const, terms, printedBefore };
    createContract(before.state, { ...create, customerDid: '', jws: '' });
    const customerDid = known?.customerDid ?? (await ports.didOf(accountId, context));
    const document = documentOf(terms, {
      iss: ports.serviceDid(),
      customer_did: customerDid,
      issued_at: toTimestamp(now),
    });
    const { jws } = signContract(document, ports.signer());
    const { state, events, version, position } = await handler.handle(
      volumeContractAggregate,
      accountId,
      context,
      (contracts) => createContract(contracts, { ...create, customerDid, jws }),
    );
    const contract = contractOf(state, contractId);
    if (!contract) throw new Error(`${contractId} is not there`);
    if (events.length > 0) ports.made(contract);
    return { contract, version, position, replayed: events.length === 0 };
  };
};

export type MakeContract = ReturnType<typeof createMakeContract>;

/** For accounts with a key the DID of the account; a wallet’s account is its wallet’s. */
export const contractDids =
  (ports: {
    callerDids: Pick<CallerDids, 'ensure'>;
    walletDid(accountId: string): Promise<string | undefined>;
  }) =>
  async (accountId: string, context: CommandContext): Promise<string> =>
    (await ports.walletDid(accountId)) ?? (await ports.callerDids.ensure(accountId, context)).did;
