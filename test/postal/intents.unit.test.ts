import { expect } from 'chai';
import {
  anyServiceIntent,
  intentClasses,
  isPromise,
  meetsProof,
  meetsSla,
  pickService,
  servicesFor,
} from '../../postal/intents.ts';
import { usualPrices } from '../../postal/pricing.ts';
import { allServices, services } from '../../postal/services.ts';
import { countryCodes, intents, serviceIds } from '../../postal/types.ts';

const on = '2026-11-20';

describe('intent classes', () => {
  it('have the SLA of the specification', () => {
    expect(intents.map((intent) => intentClasses[intent].slaDays)).to.deep.equal([
      1, 1, 2, 2, 3, 5,
    ]);
  });

  it('have weights that sum to 1', () => {
    for (const { weights } of Object.values(intentClasses)) {
      expect(Object.values(weights).reduce((sum, weight) => sum + weight)).to.equal(1);
    }
  });

  it('cost more the higher their priority', () => {
    const surcharges = intents.map((intent) => intentClasses[intent].surchargeCents);
    expect(surcharges).to.deep.equal([300n, 250n, 200n, 150n, 0n, 0n]);
  });
});

describe('pickService', () => {
  it('picks a fitting service of the country for every intent, country and usual size', () => {
    for (const country of countryCodes) {
      for (const intent of intents) {
        for (const sheets of [1, 2, 7, 30, 60]) {
          const picked = pickService(intent, country, sheets, on, usualPrices);
          expect(picked, `${intent} ${country} ${sheets}`).to.be.oneOf([
            ...servicesFor(intent, country, allServices),
          ]);
        }
      }
    }
  });

  it('never gives up the proof, and misses the SLA only where no product of the country meets both', () => {
    for (const country of countryCodes) {
      for (const intent of intents) {
        const all = Object.values(services).filter((service) => service.country === country);
        const both = all.filter((one) => meetsSla(intent, one) && meetsProof(intent, one));
        for (const id of servicesFor(intent, country, allServices)) {
          expect(meetsProof(intent, services[id])).to.equal(true);
          expect(meetsSla(intent, services[id]), `${intent} ${id}`).to.equal(both.length > 0);
        }
      }
    }
  });

  it('takes the cheapest that fits', () => {
    expect(pickService('bulk_marketing', 'GB', 1, on, usualPrices)).to.equal('gb_second_class');
    expect(pickService('regulatory_filing', 'GB', 1, on, usualPrices)).to.equal('gb_signed_for');
    expect(pickService('legal_compliance', 'DE', 1, on, usualPrices)).to.equal(
      'de_einschreiben_einwurf',
    );
    expect(pickService('confidential', 'DE', 1, on, usualPrices)).to.equal('de_einschreiben');
  });

  it('takes a next-day product where there is one, else the fastest with the proof', () => {
    expect(pickService('confidential', 'GB', 1, on, usualPrices)).to.equal('gb_special_delivery');
    expect(pickService('confidential', 'US', 1, on, usualPrices)).to.equal('us_certified');
    expect(pickService('time_critical', 'FR', 1, on, usualPrices)).to.equal('fr_lettre_suivie');
  });

  it('takes another service with the proof when those that fit are too small', () => {
    // us_priority fits alone and takes 60 sheets; the tracked us_certified takes more.
    expect(servicesFor('transactional', 'US', allServices)).to.deep.equal(['us_priority']);
    expect(pickService('transactional', 'US', 61, on, usualPrices)).to.equal('us_certified');
  });

  it('picks nothing for more sheets than any service takes', () => {
    expect(pickService('bulk_marketing', 'CA', 63, on, usualPrices)).to.equal(undefined);
  });
});

describe('classes', () => {
  it('promise a deadline or a proof, but for the two that have no surcharge', () => {
    for (const intent of intents) {
      expect(isPromise(intent), intent).to.equal(intentClasses[intent].surchargeCents > 0n);
    }
  });

  it("have one that every service fits, so that its cheapest service is the country's cheapest", () => {
    for (const id of serviceIds) {
      expect(servicesFor(anyServiceIntent, services[id].country, allServices), id).to.include(id);
    }
  });
});
