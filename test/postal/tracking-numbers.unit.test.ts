import { expect } from 'chai';
import fc from 'fast-check';
import { services } from '../../postal/services.ts';
import {
  checkTrackingNumber,
  operators,
  simulatedTrackingNumber,
  trackingUrl,
} from '../../postal/tracking-numbers.ts';
import { type ServiceId, serviceIds } from '../../postal/types.ts';

const tracked = serviceIds.filter((id) => services[id].tracking !== 'none');
const untracked = serviceIds.filter((id) => services[id].tracking === 'none');
const seed = new TextEncoder().encode('a letter');

describe('checkTrackingNumber', () => {
  it('takes published sample numbers in the ways people write them', () => {
    const table: [ServiceId, string, string][] = [
      ['gb_signed_for', 'RB123456785GB', 'RB123456785GB'],
      ['gb_special_delivery', 'rb 1234 5678 5 gb', 'RB123456785GB'],
      ['de_einschreiben', 'RR473124829DE', 'RR473124829DE'],
      ['de_einschreiben_einwurf', 'RR 47 312 482 9DE', 'RR473124829DE'],
      ['us_certified', '9400111206206406260787', '9400111206206406260787'],
      ['us_priority', '9400 1112 0620 6406 2607 87', '9400111206206406260787'],
      ['us_priority', '420100019400111206206406260787', '9400111206206406260787'],
      ['us_priority', '4201000112349400111206206406260787', '9400111206206406260787'],
      ['us_certified', '7016 0910 0001 0831 0009', '70160910000108310009'],
      ['us_priority', 'EA473124829US', 'EA473124829US'],
      ['ca_priority', '7035114477138472', '7035114477138472'],
      ['ca_registered', 'RN 473 124 829 CA', 'RN473124829CA'],
      ['fr_lettre_suivie', '6M20132968235', '6M20132968235'],
      ['fr_lettre_recommandee', '1A 123 456 7890 1', '1A12345678901'],
      ['fr_lettre_recommandee', 'RR473124829FR', 'RR473124829FR'],
    ];
    for (const [service, number, normalized] of table) {
      expect(checkTrackingNumber(service, number), number).to.deep.equal({ ok: true, normalized });
    }
  });

  it('notices a wrong character by the check digit', () => {
    const table: [ServiceId, string][] = [
      ['gb_signed_for', 'RB123456784GB'],
      ['gb_signed_for', 'RB213456785GB'],
      ['us_certified', '9400111206206406260788'],
      ['ca_priority', '7035114477138473'],
      ['ca_registered', 'RN473124828CA'],
      ['fr_lettre_suivie', 'RR473124828FR'],
    ];
    for (const [service, number] of table) {
      const result = checkTrackingNumber(service, number);
      expect(result, number).to.include({ ok: false, code: 'tracking_number_check_digit' });
    }
  });

  it('refuses another shape, another country and other services, naming the shape it has', () => {
    const table: [ServiceId, string][] = [
      ['gb_signed_for', 'RB123456785DE'],
      ['gb_signed_for', '9400111206206406260787'],
      ['us_certified', 'EA473124829US'],
      ['us_priority', '9100111206206406260787'],
      ['us_priority', '70160910000108310009'],
      ['ca_priority', '703511447713847'],
      ['fr_lettre_suivie', 'MM20132968235'],
      ['de_einschreiben', ''],
      ['de_einschreiben', '1'.repeat(100_000)],
    ];
    for (const [service, number] of table) {
      const result = checkTrackingNumber(service, number);
      expect(result, number).to.include({ ok: false, code: 'tracking_number_format' });
      if (!result.ok) {
        expect(result.detail).to.include(service).and.to.include('Copy it again');
        expect(result.detail.length).to.be.below(300);
      }
    }
  });

  it('knows no number of an untracked service', () => {
    for (const service of untracked) {
      const result = checkTrackingNumber(service, 'RB123456785GB');
      expect(result).to.include({ ok: false, code: 'tracking_not_offered' });
      expect(trackingUrl({ service, test: false }, 'RB123456785GB')).to.equal(undefined);
    }
  });
});

describe('simulatedTrackingNumber', () => {
  it('is valid for every tracked service, whatever the seed, and the same for the same seed', () => {
    const anySeed = fc.uint8Array({ minLength: 1, maxLength: 32 });
    fc.assert(
      fc.property(fc.constantFrom(...tracked), anySeed, (service, bytes) => {
        const number = simulatedTrackingNumber(service, bytes);
        expect(checkTrackingNumber(service, number)).to.deep.equal({
          ok: true,
          normalized: number,
        });
        expect(simulatedTrackingNumber(service, bytes)).to.equal(number);
      }),
    );
  });

  it('begins as no real number does', () => {
    const prefixes = { US: '92000000000', CA: '0000000', FR: '0T', GB: 'XX', DE: 'XX' };
    for (const service of tracked) {
      const prefix = prefixes[services[service].country];
      expect(simulatedTrackingNumber(service, seed).startsWith(prefix)).to.equal(true);
    }
  });

  it('rarely repeats', () => {
    const numbers = new Set<string>();
    for (let index = 0; index < 1_000; index += 1) {
      const bytes = new TextEncoder().encode(`letter ${index}`);
      numbers.add(simulatedTrackingNumber('gb_signed_for', bytes));
    }
    expect(numbers.size).to.be.above(990);
  });

  it('is refused without a seed and for a service without tracking', () => {
    expect(() => simulatedTrackingNumber('gb_signed_for', new Uint8Array())).to.throw(RangeError);
    expect(() => simulatedTrackingNumber('us_first_class', seed)).to.throw(RangeError);
  });
});

describe('trackingUrl', () => {
  it('leads to the national operator of the service, with the number in it', () => {
    for (const service of tracked) {
      const number = simulatedTrackingNumber(service, seed);
      const { trackingUrl: template, name } = operators[services[service].country];
      expect(trackingUrl({ service, test: false }, number)).to.equal(
        template.replace('{number}', number),
      );
      expect(services[service].operator).to.equal(name);
    }
  });

  it('leads nowhere for a test letter, whose number is invented', () => {
    for (const service of tracked) {
      const number = simulatedTrackingNumber(service, seed);
      expect(trackingUrl({ service, test: true }, number)).to.equal(undefined);
    }
  });

  it('escapes what is not a number', () => {
    expect(trackingUrl({ service: 'us_priority', test: false }, '1&a=$&')).to.equal(
      'https://tools.usps.com/go/TrackConfirmAction?tLabels=1%26a%3D%24%26',
    );
  });
});
