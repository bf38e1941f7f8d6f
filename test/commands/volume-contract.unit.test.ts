import { expect } from 'chai';
import { periodsFrom, startOfDayIn } from '../../commands/negotiation/contract-calendar.ts';
import { startIn } from '../../commands/negotiation/make-contract.ts';
import {
  type CreateContract,
  createContract,
  type EndPeriod,
  endPeriod,
  evolve,
  initialState,
  isDiscountFixed,
  type RecordBill,
  type RecordReturn,
  recordBill,
  recordReturn,
  type SettlePeriod,
  settlePeriod,
  type VolumeContracts,
} from '../../commands/negotiation/volume-contract.ts';
import type { ContractTerms, VolumeContractEvent } from '../../events/volume-contract.ts';
import { tierOf, volumeTiers } from '../../money/volume-tiers.ts';
import { describeDecider, refusalOf, refusedBy } from '../support/decider-spec.ts';

const accountId = 'acct_1';
const digest = 'd'.repeat(43);
const personal = { customerDid: 'did:key:z6Mk', jws: 'a.b.c' };

const termsOf = (more: Partial<ContractTerms> = {}): ContractTerms => ({
  contractId: 'contract_1',
  accountId,
  test: false,
  committedUnits: 51,
  period: 'month',
  timeZone: 'UTC',
  periods: [
    { startsAt: '2026-03-01T00:00:00.000Z', endsAt: '2026-04-01T00:00:00.000Z' },
    { startsAt: '2026-04-01T00:00:00.000Z', endsAt: '2026-05-01T00:00:00.000Z' },
  ],
  tiers: [...volumeTiers],
  breachTerms: { shortfall: 'rebill_at_undiscounted_price', graceDays: 7 },
  requestHash: digest,
  ...more,
});

type Command = CreateContract | EndPeriod | SettlePeriod | RecordBill | RecordReturn;

const decide = (state: VolumeContracts, command: Command): VolumeContractEvent[] => {
  switch (command.type) {
    case 'CreateContract':
      return createContract(state, command);
    case 'EndPeriod':
      return endPeriod(state, command);
    case 'SettlePeriod':
      return settlePeriod(state, command);
    case 'RecordBill':
      return recordBill(state, command);
    case 'RecordReturn':
      return recordReturn(state, command);
  }
};

const foldOf = (events: VolumeContractEvent[]): VolumeContracts =>
  events.reduce((state, event) => evolve(state, event, '2026-03-01T00:00:00.000Z'), initialState());

const { given } = describeDecider({ initialState, evolve, decide });

const create = (terms = termsOf(), printedBefore = 1_000_000): CreateContract => ({
  type: 'CreateContract',
  terms,
  printedBefore,
  ...personal,
});
const made = (terms = termsOf()): VolumeContractEvent => ({
  type: 'VolumeContractCreated',
  data: terms,
  personal,
});
const of = { contractId: 'contract_1', number: 1 };
const place = { ...of, accountId };
const ended: VolumeContractEvent = { type: 'VolumeContractPeriodEnded', data: place };
const breached: VolumeContractEvent = {
  type: 'VolumeContractPeriodBreached',
  data: { ...place, units: 50, shortfall: 1, billMicro: 90_000 },
};
const billed: VolumeContractEvent = {
  type: 'VolumeContractShortfallBilled',
  data: { ...place, amountMicro: 100_000, commissionMicro: 10_000 },
};

const giveBack = (discountMicro: bigint, amountMicro: bigint): RecordReturn => ({
  type: 'RecordReturn',
  ...of,
  discountMicro,
  amountMicro,
});
const reduced = (discountMicro: number, amountMicro: number): VolumeContractEvent => ({
  type: 'VolumeContractShortfallReduced',
  data: { ...place, discountMicro, amountMicro },
});

describe('a shortfall whose letters are cancelled or fail after it was billed', () => {
  const before = [made(), ended, breached, billed];

  it('is reduced once by each sum of discounts, which only grows', () => {
    given(...before)
      .when(giveBack(30_000n, 40_000n))
      .then(reduced(30_000, 40_000));
    given(...before, reduced(30_000, 40_000))
      .when(giveBack(30_000n, 40_000n))
      .thenNothing();
    given(...before, reduced(30_000, 40_000))
      .when(giveBack(20_000n, 30_000n))
      .thenNothing();
    given(...before, reduced(30_000, 40_000))
      .when(giveBack(90_000n, 100_000n))
      .then(reduced(90_000, 100_000));
  });

  it('is not reduced by more than was billed, and not before', () => {
    const tooMuch = /more of contract_1 would be given back than was billed/;
    expect(() => decide(foldOf(before), giveBack(90_001n, 1n))).to.throw(tooMuch);
    expect(() => decide(foldOf([made(), ended, breached]), giveBack(1n, 1n))).to.throw(tooMuch);
  });
});

describe('volume contracts of an account', () => {
  it('are made once, and the same request makes no other', () => {
    given().when(create()).then(made());
    given(made()).when(create()).thenNothing();
    given(made())
      .when(create(termsOf({ requestHash: 'e'.repeat(43) })))
      .thenRefuses('idempotency_key_reused');
  });

  it('commit a live account to no more than it has sent before; a test account to anything', () => {
    const terms = termsOf();
    const { committedUnits } = terms;
    given()
      .when(create(terms, committedUnits - 1))
      .thenRefuses('contract_needs_history');
    given().when(create(terms, committedUnits)).then(made(terms));
    const test = termsOf({ test: true });
    given().when(create(test, 0)).then(made(test));
    given(made(terms)).when(create(terms, 0)).thenNothing();
  });

  it('tell a live account the volume that it can commit to, or that there is none yet', () => {
    const said = (printedBefore: number) => {
      const terms = termsOf({ committedUnits: 300 });
      return refusedBy(() => decide(initialState(), create(terms, printedBefore)))?.message;
    };
    expect(said(299)).to.include('Commit to at most 299 letters');
    expect(said(51)).to.include('Commit to at most 51 letters');
    expect(said(50)).to.include('The smallest contract is for 51 letters.');
  });

  it('do not overlap; the next one may begin where the last one ends', () => {
    const next = (startsAt: string) =>
      termsOf({
        contractId: 'contract_2',
        periods: [{ startsAt, endsAt: '2026-06-01T00:00:00.000Z' }],
      });
    given(made())
      .when(create(next('2026-04-30T23:59:59.999Z')))
      .thenRefuses('contract_overlaps');
    const after = next('2026-05-01T00:00:00.000Z');
    given(made()).when(create(after)).then(made(after));
    given(made(after)).when(create()).then(made());
  });

  it('do not stand in the way of another when all their periods have ended', () => {
    const other = termsOf({ contractId: 'contract_2' });
    const second: VolumeContractEvent = {
      type: 'VolumeContractPeriodEnded',
      data: { ...place, number: 2 },
    };
    given(made(), ended).when(create(other)).thenRefuses('contract_overlaps');
    given(made(), ended, second).when(create(other)).then(made(other));
  });

  it('end a test period whenever it is wished, a live one never before its time', () => {
    const now: EndPeriod = { type: 'EndPeriod', ...of, now: 'whenever' };
    given(made()).when(now).thenNothing();
    given(made(termsOf({ test: true })))
      .when(now)
      .then(ended);
  });

  it('end a period when its days of grace are over, once', () => {
    const at = (time: string): EndPeriod => ({ type: 'EndPeriod', ...of, now: Date.parse(time) });
    given(made()).when(at('2026-04-07T23:59:59.999Z')).thenNothing();
    given(made()).when(at('2026-04-08T00:00:00.000Z')).then(ended);
    given(made(), ended).when(at('2027-01-01T00:00:00.000Z')).thenNothing();
  });

  it('settle a period by what was counted up to its end, and bill its discounts where letters are missing', () => {
    const by = (units: number): SettlePeriod => ({
      type: 'SettlePeriod',
      ...of,
      units,
      discountMicro: 90_000n,
    });
    given(made())
      .when(by(51))
      .thenThrows(/not over/);
    const fulfilled = {
      type: 'VolumeContractPeriodFulfilled' as const,
      data: { ...place, units: 51 },
    };
    given(made(), ended).when(by(51)).then(fulfilled);
    given(made(), ended).when(by(50)).then(breached);
    given(made(), ended, breached).when(by(51)).thenNothing();
  });

  it('have the discounts of letters that were queued in them until they are over', () => {
    const created = evolve(initialState(), made(), '2026-03-01T00:00:00.000Z');
    const ended = (state: VolumeContracts, number: number, at: string): VolumeContracts =>
      evolve(state, { type: 'VolumeContractPeriodEnded', data: { ...of, accountId, number } }, at);
    const first = ended(created, 1, '2026-04-08T00:00:00.000Z');
    const both = ended(first, 2, '2026-05-08T00:00:00.000Z');
    const days = ['2026-03-31', '2026-04-01', '2026-05-03'];
    const fixed = (state: VolumeContracts, on: string, contractId = of.contractId): string[] =>
      days.filter((day) =>
        isDiscountFixed(state, contractId, `${day}T10:00:00.000Z`, `${on}T00:00:00.000Z`),
      );
    expect(fixed(created, '2026-03-31')).to.deep.equal([]);
    // A week before its count is closed.
    expect(fixed(created, '2026-04-01')).to.deep.equal(['2026-03-31']);
    expect(fixed(first, '2026-04-08')).to.deep.equal(['2026-03-31']);
    expect(fixed(first, '2026-05-01')).to.deep.equal(days);
    expect(fixed(both, '2026-05-08')).to.deep.equal(days);
    expect(fixed(both, '2026-05-08', 'contract_2')).to.deep.equal([]);
    // The first period of a test contract was ended by hand, so the letter is of the second.
    const early = ended(created, 1, '2026-03-10T00:00:00.000Z');
    expect(fixed(early, '2026-03-31')).to.deep.equal([]);
  });

  it('are billed once, and only for a breach', () => {
    const bill: RecordBill = {
      type: 'RecordBill',
      ...of,
      amountMicro: 100_000n,
      commissionMicro: 10_000n,
    };
    given(made(), ended)
      .when(bill)
      .thenThrows(/nothing/);
    given(made(), ended, breached).when(bill).then(billed);
    given(made(), ended, breached, billed).when(bill).thenNothing();
  });
});

describe('the tier of a volume contract', () => {
  it('follows what is committed at once, and what was sent when that is more', () => {
    const tier = (committedUnits: number, units: number) =>
      tierOf(volumeTiers, { committedUnits, units }).from;
    expect(tier(51, 0)).to.equal(51);
    expect(tier(250, 250)).to.equal(51);
    expect(tier(51, 251)).to.equal(251);
    expect(tier(300, 10)).to.equal(251);
    expect(tier(1_001, 0)).to.equal(1_001);
    expect(tier(51, 5_000_000)).to.equal(1_001);
  });

  it('covers every volume without a gap, and gives more for more', () => {
    for (const [n, tier] of volumeTiers.entries()) {
      const next = volumeTiers[n + 1];
      expect(tier.to === null ? undefined : tier.to + 1).to.equal(next?.from);
      if (next) expect(next.basisPoints).to.be.greaterThan(tier.basisPoints);
    }
  });
});

describe('the periods of a volume contract', () => {
  const ends = (
    start: string,
    period: 'month' | 'quarter' | 'year',
    count: number,
    timeZone = 'UTC',
  ) => periodsFrom(Date.parse(start), { period, count, timeZone }).map(({ endsAt }) => endsAt);

  it('end so many months after the start, on the last day where a month is too short', () => {
    expect(ends('2026-01-31T10:30:00.000Z', 'month', 4)).to.deep.equal([
      '2026-02-28T10:30:00.000Z',
      '2026-03-31T10:30:00.000Z',
      '2026-04-30T10:30:00.000Z',
      '2026-05-31T10:30:00.000Z',
    ]);
    expect(ends('2026-11-30T00:00:00.000Z', 'quarter', 2)).to.deep.equal([
      '2027-02-28T00:00:00.000Z',
      '2027-05-30T00:00:00.000Z',
    ]);
    expect(ends('2028-02-29T12:00:00.000Z', 'year', 1)).to.deep.equal(['2029-02-28T12:00:00.000Z']);
  });

  it('end at the same time of day in their time zone when the clocks are changed', () => {
    // Berlin: +1 until 29 March 2026, 02:00, then +2; back on 25 October, 03:00.
    expect(ends('2026-03-01T09:00:00.000Z', 'month', 1, 'Europe/Berlin')).to.deep.equal([
      '2026-04-01T08:00:00.000Z',
    ]);
    expect(ends('2026-10-01T22:00:00.000Z', 'month', 1, 'Europe/Berlin')).to.deep.equal([
      '2026-11-01T23:00:00.000Z',
    ]);
    // 02:30 is not there on the day of the change: an hour later. 02:30 is there twice: the first.
    expect(ends('2026-02-28T01:30:00.000Z', 'month', 1, 'Europe/Berlin')).to.deep.equal([
      '2026-03-28T01:30:00.000Z',
    ]);
    expect(ends('2026-01-29T01:30:00.000Z', 'month', 2, 'Europe/Berlin')[1]).to.equal(
      '2026-03-29T01:30:00.000Z',
    );
    expect(ends('2026-09-25T00:30:00.000Z', 'month', 1, 'Europe/Berlin')).to.deep.equal([
      '2026-10-25T00:30:00.000Z',
    ]);
  });

  it('follow each other without a gap, whatever the zone and the start', () => {
    for (const timeZone of [
      'UTC',
      'America/New_York',
      'Asia/Kathmandu',
      'Australia/Lord_Howe',
      'Pacific/Apia',
    ]) {
      for (
        let start = Date.UTC(2025, 0, 1, 7, 13);
        start < Date.UTC(2026, 1, 1);
        start += 37 * 3_600_000
      ) {
        const periods = periodsFrom(start, { period: 'month', count: 12, timeZone });
        expect(Date.parse(periods[0]?.startsAt ?? '')).to.equal(start);
        for (const [n, { startsAt, endsAt }] of periods.entries()) {
          expect(Date.parse(endsAt) - Date.parse(startsAt)).to.be.within(
            27 * 86_400_000,
            32 * 86_400_000,
          );
          if (n > 0) expect(startsAt).to.equal(periods[n - 1]?.endsAt);
        }
      }
    }
  });

  it('end at midnight where they began with a day, also one that has no midnight', () => {
    // On 5 September 2027 clocks in Chile go from midnight to one o'clock.
    const start = startOfDayIn('2027-09-05', 'America/Santiago');
    expect(new Date(start).toISOString()).to.equal('2027-09-05T04:00:00.000Z');
    const ended = ends('2027-09-05T04:00:00.000Z', 'month', 2, 'America/Santiago');
    expect(ended).to.deep.equal(['2027-10-05T03:00:00.000Z', '2027-11-05T03:00:00.000Z']);
    expect(ends('2027-09-05T05:00:00.000Z', 'month', 1, 'America/Santiago')).to.deep.equal([
      '2027-10-05T05:00:00.000Z',
    ]);
  });

  it('begin at midnight of a day in their zone', () => {
    expect(new Date(startOfDayIn('2026-07-01', 'America/New_York')).toISOString()).to.equal(
      '2026-07-01T04:00:00.000Z',
    );
  });
});

describe('the start of a volume contract', () => {
  const now = Date.parse('2026-11-24T10:00:00.000Z');
  const at = (text: string | undefined, timeZone = 'UTC') =>
    new Date(startIn(text, { timeZone, now })).toISOString();

  it('is now where nothing is said, a moment ago or today; else the day or time', () => {
    for (const text of [undefined, '2026-11-24', '2026-11-24T09:58:00Z']) {
      expect(at(text), text).to.equal('2026-11-24T10:00:00.000Z');
    }
    expect(at('2026-12-01')).to.equal('2026-12-01T00:00:00.000Z');
    expect(at('2026-12-01', 'Europe/Berlin')).to.equal('2026-11-30T23:00:00.000Z');
    expect(at('2026-12-01T12:00:00+05:30')).to.equal('2026-12-01T06:30:00.000Z');
  });

  it('is refused where it has passed, is far ahead, or no time at all', () => {
    const wrong = [
      '2026-11-23',
      '2026-11-24T09:00:00Z',
      '2027-12-24',
      '2026-02-30',
      'tomorrow',
      '2026-12-01T12:00:00',
      '2026-12-01T25:00:00Z',
      '2026-12-01 12:00Z',
      '9999-99-99',
      '+275760-09-13',
    ];
    for (const text of wrong) {
      expect(
        refusalOf(() => at(text)),
        text,
      ).to.equal('validation_failed');
    }
    for (const zone of ['Mars/Olympus', '+02:00', '', ' ', 'Europe/Berlin\n']) {
      expect(
        refusalOf(() => at(undefined, zone)),
        zone,
      ).to.equal('validation_failed');
    }
  });
});
