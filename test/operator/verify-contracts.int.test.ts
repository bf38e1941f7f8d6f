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
  this.timeout(60_000);
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
    world.time.now += 45 * dayMs;
    do while (await world.project());
    while ((await world.closePeriods()) > 0);
    const recorded = await world.store.readAll({ after: 0n as never, limit: 10_000 });
    log = recorded.map(decodeEvent);
    records = [...(await world.contractsOf('acct_few')), ...(await world.contractsOf('acct_many'))];
  });
  after(() => world?.close());

  /** What is found in a log, beside rows of the read model. */
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

  it('names a letter that was cancelled and still counts', () => {
    const found = verify(log.filter(({ type }) => type !== 'LetterCancelled'));
    // The bill of the one, and the discounts of both: a letter that is not printed is no unit anyway.
    expect(found).to.have.length(3);
  });

  it('names rows that do not follow from the log, that are missing, and that it knows nothing of', () => {
    const [few, many] = structuredClone(records) as [ContractRecord, ContractRecord];
    const [period] = few.doc.periods;
    if (period) period.units += 1;
    const found = verify(log, [few, { ...many, contractId: 'contract_other' }]);
    expect(found).to.have.length(3);
    expect(found.join('\n'))
      .to.match(
        /in period 1 the read model has 3 letters .*\(breached\), the log 2 .*rebuild contracts/,
      )
      .and.to.contain('the read model has no row')
      .and.to.contain('the read model has contract_other, the log has none');
  });
});
