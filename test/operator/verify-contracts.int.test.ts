import { expect } from 'chai';
import { type AnyEvent, type DecodedEvent, decodeEvent } from '../../events/envelope.ts';
import { isLetterStream } from '../../events/letter.ts';
import { volumeContractPrefix } from '../../events/volume-contract.ts';
import type { WalletEvent } from '../../events/wallet.ts';
import { createContractCheck } from '../../operator/verify/contracts.ts';
import { createFindings } from '../../operator/verify/findings.ts';
import { createWalletCheck } from '../../operator/verify/wallets.ts';
import type { ContractRecord } from '../../projections/contracts/query.ts';
import { type ContractWorld, openContractWorld } from '../support/contract-world.ts';

const dayMs = 86_400_000;

describe('verifying volume contracts', function () {
  this.timeout(180_000);
  let world: ContractWorld;
  let log: AnyEvent[];
  let records: ContractRecord[];

  before(async () => {
    world = await openContractWorld();
    await world.rebuild();
    for (const [accountId, letters] of [
      ['acct_few', 3],
      ['acct_many', 52],
    ] as const) {
      await world.openWallet(accountId);
      await world.make(accountId);
      const sent: string[] = [];
      for (let n = 0; n < letters; n++) sent.push(await world.send(accountId));
      await world.cancel(sent[0] as string);
      for (const letterId of sent.slice(1)) await world.print(letterId);
    }
    await world.openWallet('acct_late');
    await world.make('acct_late');
    const [late = ''] = [await world.send('acct_late'), await world.send('acct_late')];
    await world.print(late);
    world.time.now += 45 * dayMs;
    do while (await world.project());
    while ((await world.closePeriods()) > 0);
    await world.fail(late);
    do while (await world.project());
    while ((await world.closePeriods()) > 0);
    const recorded = await world.store.readAll({ after: 0n as never, limit: 10_000 });
    log = recorded.map(decodeEvent);
    const accounts = ['acct_few', 'acct_many', 'acct_late'];
    records = (await Promise.all(accounts.map(world.contractsOf))).flat();
  });
  after(() => world?.close());

  /** The findings in a log, compared with rows of the read model. */
  const verify = (events: AnyEvent[], rows: ContractRecord[] = records): string[] => {
    const findings = createFindings();
    const wallets = createWalletCheck(findings);
    const contracts = createContractCheck(findings, wallets);
    for (const event of events) {
      if (event.stream.startsWith('wallet-')) wallets.check(event as DecodedEvent<WalletEvent>);
      if (isLetterStream(event.stream) || event.stream.startsWith(volumeContractPrefix)) {
        contracts.check(event);
      }
    }
    contracts.compareRows(
      new Map(rows.map(({ contractId, state, doc }) => [contractId, { state, doc }])),
    );
    return findings.list().map(({ detail }) => detail);
  };
  const changed = <T extends AnyEvent['type']>(type: T, change: object): AnyEvent[] =>
    log.map((event) =>
      event.type === type
        ? ({ ...event, data: { ...event.data, ...change } } as unknown as AnyEvent)
        : event,
    );

  it('is satisfied with what the service did', () => {
    expect(log.map(({ type }) => type)).to.include.members([
      'VolumeContractPeriodFulfilled',
      'VolumeContractPeriodBreached',
      'VolumeContractShortfallBilled',
      'VolumeContractShortfallReduced',
    ]);
    expect(verify(log)).to.deep.equal([]);
  });

  it('names a period that was settled with another number of letters', () => {
    const [few] = verify(changed('VolumeContractPeriodBreached', { units: 1 }));
    expect(few).to.match(
      /^period 1 of contract_\w+ is breached with 1 of 51 letters, the log has 2/,
    );
    const [many] = verify(changed('VolumeContractPeriodFulfilled', { units: 52 }));
    expect(many).to.contain('is fulfilled with 52 of 51 letters, the log has 51');
    const [free] = verify(changed('VolumeContractPeriodBreached', { billMicro: 0 }));
    expect(free).to.contain('of discounts');
  });

  it('names a bill that the wallet did not pay', () => {
    const [found] = verify(changed('VolumeContractShortfallBilled', { amountMicro: 1 }));
    expect(found).to.match(/is billed \$0\.000001, the wallet was charged \$0\.\d+/);
  });

  it('names a reduction that the wallet did not get, or that no letter was cancelled for', () => {
    const [amount] = verify(changed('VolumeContractShortfallReduced', { amountMicro: 1 }));
    expect(amount).to.match(/gave back \$0\.000001, \$0\.06 are due and the wallet got \$0\.06$/);
    const [discount] = verify(changed('VolumeContractShortfallReduced', { discountMicro: 90_000 }));
    expect(discount).to.match(/gave back \$0\.09 of discounts, the log has \$0\.05 of letters/);
    const [kept] = verify(log.filter(({ type }) => type !== 'FundsRefunded'));
    expect(kept).to.contain('$0.06 are due and the wallet got $0.00');
    const [never] = verify(log.filter(({ type }) => type !== 'LetterFailed'));
    expect(never).to.contain('the log has $0.00 of letters');
  });

  it('names a letter that was cancelled and still counts', () => {
    const found = verify(log.filter(({ type }) => type !== 'LetterCancelled'));
    // The bill of the one, and the discounts of both: a letter that is not printed is no unit anyway.
    expect(found).to.have.length(3);
  });

  it('names rows that do not follow from the log, that are missing, and that it knows nothing of', () => {
    const [few, many, late] = structuredClone(records) as ContractRecord[];
    if (!few || !many || !late) throw new Error('a contract is missing');
    const [period] = few.doc.periods;
    if (period) period.units += 1;
    const found = verify(log, [few, { ...many, contractId: 'contract_other' }, late]);
    expect(found).to.have.length(3);
    expect(found.join('\n'))
      .to.match(
        /in period 1 the read model has 3 letters .*\(breached\), the log 2 .*rebuild contracts/,
      )
      .and.to.contain('the read model has no row')
      .and.to.contain('the read model has contract_other, the log has none');
  });
});
