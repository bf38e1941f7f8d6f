/** Whether a service meets the demands of an intent class, and the warnings if it does not. */
import { AppError } from '../../contract/errors.ts';
import { numberOf } from '../../ground/plural.ts';
import {
  anyServiceIntent,
  intentClasses,
  isPromise,
  meetsProof,
  meetsSla,
  servicesFor,
} from '../../postal/intents.ts';
import { type Offered, type Service, services, servicesOf } from '../../postal/services.ts';
import type { CountryCode, Intent, ServiceId } from '../../postal/types.ts';
import type { Warning } from './check-letter.ts';

const refuse = (
  detail: string,
  code: string,
  reason: string,
  hint?: string,
  pointer = '/service',
): AppError =>
  new AppError('service_not_available', detail, {
    errors: [{ pointer, code, detail: reason, ...(hint === undefined ? {} : { hint }) }],
  });

/** @throws AppError service_not_available where no letter goes to the country, or none for the intent */
export const assertReachable = (country: CountryCode, intent: Intent, offered: Offered): void => {
  if (!servicesOf(country).some(({ id }) => offered.has(id))) {
    const reached = new Set([...offered].map((id) => services[id].country));
    throw refuse(
      `This service sends no letters to ${country}. It sends them to ${[...reached].join(', ')}.`,
      'country_not_offered',
      `No service to ${country} is offered here.`,
      [...reached].join(', '),
      '/to_country',
    );
  }
  if (servicesFor(intent, country, offered).length > 0) return;
  const way = isPromise(intent) ? 'Use another intent' : 'Use another intent, or name a service';
  throw refuse(
    `No service to ${country} that is offered here meets the intent ${intent}. ${way}: GET /api/services/${country} lists the services with their intents.`,
    'intent_not_offered',
    `No service to ${country} is offered here for ${intent}.`,
    undefined,
    '/intent',
  );
};

/**
 * A service that the caller names must deliver to the country, and do what the intent promises.
 * `transactional` and `bulk_marketing` promise nothing: there the service wins, see `fitWarnings`.
 * @param ask.optional fields that the caller may leave out
 * @throws AppError service_not_available, naming the offered services that fit
 */
export const assertServiceFits = (
  country: CountryCode,
  service: ServiceId,
  intent: Intent,
  ask: { offered: Offered; optional: 'service' | 'service or intent' },
): void => {
  const { offered, optional } = ask;
  assertReachable(country, isPromise(intent) ? intent : anyServiceIntent, offered);
  const fitting = servicesFor(intent, country, offered);
  const there = isPromise(intent)
    ? fitting
    : servicesOf(country).flatMap(({ id }) => (offered.has(id) ? [id] : []));
  if (services[service].country !== country) {
    throw refuse(
      `${service} does not deliver to ${country}. Use ${there.join(' or ')}.`,
      'service_country_mismatch',
      `${service} is a service of ${services[service].country}.`,
    );
  }
  if (!offered.has(service)) {
    throw refuse(
      `${service} is not offered here. Use ${there.join(' or ')}.`,
      'service_not_offered',
      `No letter goes by ${service} here.`,
      there.join(', '),
    );
  }
  if (!isPromise(intent) || fitting.includes(service)) return;
  throw refuse(
    `${service} does not meet the intent ${intent}. Use ${fitting.join(' or ')}, or leave out ${optional}.`,
    'service_intent_mismatch',
    `${service} lacks the speed or proof of ${intent}.`,
    fitting.join(', '),
  );
};

const speedOf = ({ slaDays }: Service): string =>
  `takes ${slaDays === 1 ? '' : 'up to '}${numberOf(slaDays, 'business day')}`;

const named = (candidates: readonly Service[]): string =>
  candidates.length === 0
    ? 'no service of the country that is offered here does'
    : `use ${candidates.map(({ id }) => id).join(' or ')} for that`;

/**
 * The demands of the sender's intent that the letter's service does not meet: `intent_not_met` where another
 * service of the country meets them, `sla_not_available` where no service is as fast.
 */
export const fitWarnings = (
  letter: { service: ServiceId; intent: Intent; sheets: number },
  offered: Offered,
): Warning[] => {
  const { intent, sheets } = letter;
  const service = services[letter.service];
  const { slaDays, proof } = intentClasses[intent];
  const proving = servicesOf(service.country).filter(
    (one) => offered.has(one.id) && meetsProof(intent, one) && one.maxSheets >= sheets,
  );
  const fast = proving.filter((one) => meetsSla(intent, one));
  const lacks = [
    ...(meetsProof(intent, service) ? [] : [`lacks its proof (${proof})`]),
    ...(meetsSla(intent, service) || fast.length === 0
      ? []
      : [`${speedOf(service)} and not ${slaDays}`]),
  ];
  const warning = (code: string, detail: string) => ({ pointer: '/intent', code, detail });
  return [
    ...(lacks.length === 0
      ? []
      : [
          warning(
            'intent_not_met',
            `${service.id} does not meet ${intent}: it ${lacks.join(' and ')}; ${named(fast.length === 0 ? proving : fast)}.`,
          ),
        ]),
    ...(meetsSla(intent, service) || fast.length > 0
      ? []
      : [
          warning(
            'sla_not_available',
            `${intent} aims at ${numberOf(slaDays, 'business day')}, and no ${service.country} service with its proof is that fast: ${service.id} ${speedOf(service)}.`,
          ),
        ]),
  ];
};
