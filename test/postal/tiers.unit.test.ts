import { expect } from 'chai';
import { splitCharge, totalOf } from '../../money/charge.ts';
import { countries } from '../../postal/countries.ts';
import { intentClasses, isPromise, meetsProof, servicesOffered } from '../../postal/intents.ts';
import { priceSubtotal, sheetsOf, usualPrices } from '../../postal/pricing.ts';
import { services, servicesOf } from '../../postal/services.ts';
import { type Candidate, chooseTiers, meetsIntent, tierNames } from '../../postal/tiers.ts';
import { type CountryCode, countryCodes, type Intent, intents } from '../../postal/types.ts';

const on = '2026-11-20';

/** The services that are offered, priced as a letter is. */
const candidates = (
  country: CountryCode,
  intent: Intent,
  letter: { pages: number; color: boolean; duplex: boolean },
): Candidate[] => {
  const sheets = sheetsOf(letter.pages, letter.duplex);
  const format = countries[country].pageFormat;
  const priced = servicesOf(country).flatMap(({ id: service }) => {
    const subtotal = priceSubtotal(
      { service, intent, country, sheets, format, on, ...letter },
      usualPrices,
    );
    return subtotal ? [{ service, subtotalMicro: subtotal.subtotalMicro }] : [];
  });
  const offered = servicesOffered(intent, country, (id) =>
    priced.some(({ service }) => service === id),
  );
  return priced.filter(({ service }) => offered.includes(service));
};

describe('the tiers of an offer', () => {
  /** Every country, class and number of pages, in every way to print it. */
  const each = (
    check: (place: string, country: CountryCode, intent: Intent, of: Candidate[]) => void,
  ) => {
    let offers = 0;
    for (const country of countryCodes) {
      for (const intent of intents) {
        for (let pages = 1; pages <= 60; pages++) {
          for (const [color, duplex] of [
            [false, true],
            [true, true],
            [false, false],
            [true, false],
          ] as const) {
            const of = candidates(country, intent, { pages, color, duplex });
            if (of.length === 0) continue;
            offers++;
            check(`${country} ${intent} ${pages} ${color} ${duplex}`, country, intent, of);
          }
        }
      }
    }
    expect(offers).to.be.greaterThan(5_000);
  };

  it('cost no less the higher they are, and less from crypto, for every letter there can be', () => {
    each((place, _country, intent, of) => {
      const tiers = chooseTiers(intent, of);
      const costs = tiers.map(
        ({ service }) => of.find((one) => one.service === service)?.subtotalMicro ?? -1n,
      );
      expect(tiers.map(({ tier }) => tier)).to.deep.equal([...tierNames]);
      for (const fund of [0n, 1n << 62n]) {
        const [economy = 0n, standard = 0n, premium = 0n] = costs.map((cost) =>
          totalOf(splitCharge(cost, fund)),
        );
        expect(economy <= standard && standard <= premium, place).to.equal(true);
      }
      for (const cost of costs) {
        const fiat = totalOf(splitCharge(cost, 0n));
        const crypto = totalOf(splitCharge(cost, 1n << 62n));
        expect(cost > 0n && crypto < fiat, place).to.equal(true);
        for (const quantity of [1n, 2n, 51n, 10_000n]) {
          expect(crypto * quantity < fiat * quantity, place).to.equal(true);
        }
      }
    });
  });

  it('have the proof of the class wherever it promises one, and say what they lack elsewhere', () => {
    each((place, _country, intent, of) => {
      for (const { service, meetsIntent: meets, difference } of chooseTiers(intent, of)) {
        const about = services[service];
        if (isPromise(intent)) expect(meetsProof(intent, about), place).to.equal(true);
        expect(meets, place).to.equal(meetsIntent(intent, about));
        expect(difference.includes('It does not have'), place).to.equal(!meets);
        expect(difference, place).to.contain(about.name);
      }
    });
  });

  it('are scored between 0 and 1, ranked by that, and dearer only where they are better', () => {
    each((place, _country, intent, of) => {
      const tiers = chooseTiers(intent, of);
      expect(tiers.map(({ rank }) => rank).toSorted(), place).to.deep.equal([1, 2, 3]);
      const byRank = tiers.toSorted((a, b) => a.rank - b.rank);
      expect(byRank.map(({ score }) => score)).to.deep.equal(
        tiers.map(({ score }) => score).toSorted((a, b) => b - a),
      );
      for (const { score } of tiers) expect(score > 0 && score <= 1, place).to.equal(true);
      const { cost, ...quality } = intentClasses[intent].weights;
      expect(cost + quality.speed + quality.proof + quality.reliability).to.be.closeTo(1, 1e-12);
    });
  });

  it('that are the same letter say so', () => {
    each((place, _country, intent, of) => {
      const tiers = chooseTiers(intent, of);
      tiers.forEach(({ service, difference }, index) => {
        const twin = tiers.slice(0, index).some((one) => one.service === service);
        expect(difference.startsWith('The same letter at the same price'), place).to.equal(twin);
      });
    });
  });

  it('are three different ones where a country has them', () => {
    const tiers = chooseTiers(
      'transactional',
      candidates('GB', 'transactional', { pages: 1, color: false, duplex: true }),
    );
    expect(new Set(tiers.map(({ service }) => service)).size).to.equal(3);
  });
});
