import { expect } from 'chai';
import { formatOf } from '../../postal/paper.ts';
import {
  isEstimateOn,
  maxSheets,
  postage,
  type RateRow,
  rates,
  usualRates,
} from '../../postal/rates.ts';
import { services, servicesOf } from '../../postal/services.ts';
import { countryCodes, type ServiceId, serviceIds } from '../../postal/types.ts';

const on = '2026-11-20';

describe('services', () => {
  it('are the 16 of the specification, each of exactly one country', () => {
    expect(Object.keys(services)).to.deep.equal([...serviceIds]);
    const listed = countryCodes.flatMap((country) => servicesOf(country));
    expect(listed.map((service) => service.id)).to.have.members([...serviceIds]);
  });

  it('have the tracking class of the specification', () => {
    const of = (tracking: string) => serviceIds.filter((id) => services[id].tracking === tracking);
    expect(of('async')).to.deep.equal(['fr_lettre_suivie', 'fr_lettre_recommandee']);
    expect(of('none')).to.have.members([
      'fr_lettre_verte',
      'us_first_class',
      'gb_first_class',
      'gb_second_class',
      'ca_lettermail',
      'de_standardbrief',
    ]);
  });

  it('claim tracking proof exactly where they are tracked, and a full trail only with all the rest', () => {
    for (const { proofLevels, tracking, signature, proofOfPosting } of Object.values(services)) {
      expect(proofLevels.includes('tracking')).to.equal(tracking !== 'none');
      expect(proofLevels.includes('signature')).to.equal(signature);
      expect(proofLevels.includes('certified')).to.equal(proofOfPosting);
      if (proofLevels.includes('full_audit_trail')) expect(proofLevels).to.have.length(5);
    }
  });
});

describe('postage', () => {
  const priced = (service: ServiceId, sheets: number, day = on) =>
    postage({ service, sheets, format: formatOf(services[service].country), on: day }, usualRates);

  it('exists for 1 to maxSheets sheets of every service, and not for one more', () => {
    for (const id of serviceIds) {
      const most = services[id].maxSheets;
      expect(most, id).to.be.at.least(60);
      for (let sheets = 1; sheets <= most; sheets += 1) {
        expect(priced(id, sheets), `${id} ${sheets}`).to.not.equal(undefined);
      }
      expect(priced(id, most + 1), id).to.equal(undefined);
    }
  });

  it('never falls when a sheet is added', () => {
    for (const id of serviceIds) {
      let before = 0n;
      for (let sheets = 1; sheets <= services[id].maxSheets; sheets += 1) {
        const { cents } = priced(id, sheets) ?? { cents: -1n };
        expect(cents >= before, `${id} ${sheets}`).to.equal(true);
        before = cents;
      }
    }
  });

  it('is that of the published bands', () => {
    const cents = (service: ServiceId, sheets: number, day?: string) =>
      priced(service, sheets, day)?.cents;
    expect([3, 4, 8, 9].map((sheets) => cents('de_standardbrief', sheets))).to.deep.equal([
      95n,
      110n,
      110n,
      180n,
    ]);
    expect([5, 6, 9].map((sheets) => cents('ca_lettermail', sheets))).to.deep.equal([
      144n,
      175n,
      175n,
    ]);
    expect([5, 6].map((sheets) => cents('us_first_class', sheets))).to.deep.equal([78n, 107n]);
    expect([3, 4, 8, 9, 15, 40].map((sheets) => cents('fr_lettre_verte', sheets))).to.deep.equal([
      152n,
      310n,
      310n,
      310n,
      310n,
      524n,
    ]);
    expect([1, 4, 40, 90].map((sheets) => cents('fr_lettre_suivie', sheets))).to.deep.equal([
      202n,
      360n,
      574n,
      791n,
    ]);
    expect(cents('fr_lettre_verte', 4, '2025-12-31')).to.equal(278n);
    expect(cents('us_certified', 1)).to.equal(608n);
    expect(cents('de_einschreiben', 1)).to.equal(360n);
    expect(cents('de_einschreiben_einwurf', 1)).to.equal(330n);
    expect(cents('gb_first_class', 19)).to.equal(180n);
  });

  it('changes on the day a new tariff starts', () => {
    expect(priced('fr_lettre_verte', 1, '2025-12-31')?.cents).to.equal(139n);
    expect(priced('fr_lettre_verte', 1, '2026-01-01')?.cents).to.equal(152n);
    expect(priced('gb_second_class', 1, '2026-04-06')?.cents).to.equal(87n);
    expect(priced('gb_second_class', 1, '2026-04-07')?.cents).to.equal(91n);
  });

  it('is unknown before the first row', () => {
    expect(priced('de_standardbrief', 1, '2024-12-31')).to.equal(undefined);
    expect(maxSheets('de_standardbrief', 'A4', '2024-12-31', usualRates)).to.equal(0);
  });

  it('says that prices which were not found are estimates', () => {
    const isEstimate = (id: ServiceId) => priced(id, 1)?.row.estimate;
    for (const id of ['gb_signed_for', 'gb_special_delivery', 'ca_registered', 'ca_priority']) {
      expect(isEstimate(id as ServiceId), id).to.equal(true);
    }
    expect(isEstimate('de_standardbrief')).to.equal(false);
    expect(isEstimate('gb_first_class')).to.equal(false);
    const isEstimateOfFour = (id: ServiceId, day: string) => priced(id, 4, day)?.row.estimate;
    expect(isEstimateOfFour('fr_lettre_verte', '2025-12-31')).to.equal(true);
    expect(isEstimateOfFour('fr_lettre_verte', '2026-01-01')).to.equal(false);
    expect(isEstimateOfFour('fr_lettre_recommandee', '2026-01-01')).to.equal(true);
  });

  it('says that a published price is an estimate once it is a year old, until a newer one is known', () => {
    const isEstimate = (id: ServiceId, on: string) => {
      const row = priced(id, 1, on)?.row;
      return row && isEstimateOn(row, on);
    };
    expect(isEstimate('us_first_class', '2025-07-13')).to.equal(false);
    expect(isEstimate('us_first_class', '2026-07-12')).to.equal(false);
    expect(isEstimate('us_first_class', '2026-07-13')).to.equal(true);
    expect(isEstimate('ca_lettermail', '2026-11-23')).to.equal(true);
    // Its price of 2026 followed that of 2025.
    expect(isEstimate('fr_lettre_verte', '2025-12-31')).to.equal(false);
    expect(isEstimate('fr_lettre_verte', '2026-11-23')).to.equal(false);
    expect(isEstimate('fr_lettre_verte', '2027-01-01')).to.equal(true);
    // A price that no tariff contains is an estimate from the beginning.
    expect(isEstimate('ca_registered', '2025-01-13')).to.equal(true);
  });

  it('has no gap between the rows of a band: a row ends on the day before its successor', () => {
    const key = (row: RateRow) => `${row.service} ${row.envelope} ${row.maxGrams}`;
    for (const ended of rates.filter((row) => row.validTo !== undefined)) {
      const day = new Date(`${ended.validTo}T00:00:00Z`);
      day.setUTCDate(day.getUTCDate() + 1);
      const next = day.toISOString().slice(0, 10);
      const successor = rates.find((row) => key(row) === key(ended) && row.validFrom === next);
      expect(successor, key(ended)).to.not.equal(undefined);
    }
  });
});
