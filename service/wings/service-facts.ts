import type { AnyOperation } from '../../contract/operation.ts';
import { type ServiceFacts, serves } from '../../contract/service-facts.ts';
import { countriesOf, servicesOf } from '../../postal/services.ts';
import type { CountryCode } from '../../postal/types.ts';
import { serviceVersion } from '../../read-api/general.ts';
import { documentUrlOf } from '../../read-api/service-did.ts';
import type { Site } from '../foundation/wing.ts';

const shortNames: Record<CountryCode, string> = {
  US: 'the US',
  FR: 'France',
  GB: 'the UK',
  CA: 'Canada',
  DE: 'Germany',
};
/** Joined by hand: Intl.ListFormat would load its rules at the start of each process, for 15 ms of CPU time. */
const destinationsOf = (codes: readonly CountryCode[]): string => {
  const names = codes.map((code) => shortNames[code]);
  const [last, ...before] = names.toReversed();
  return before.length === 0 ? `${last}` : `${before.toReversed().join(', ')} and ${last}`;
};

/** The facts of this installation, as they are now: its DID changes when its key does. */
export const serviceFactsOf = (
  { config, keys, baseUrl }: Pick<Site, 'config' | 'keys' | 'baseUrl'>,
  operations: readonly AnyOperation[],
): ServiceFacts => {
  const { did } = keys.serviceKeys.identity();
  const { x402, lnd, stripe, prices } = config;
  const codes = countriesOf(prices.services);
  return {
    ...config.serviceName,
    version: serviceVersion,
    baseUrl,
    did,
    operations,
    description: `Send real letters to ${destinationsOf(codes)}.`,
    didDocument: documentUrlOf(did),
    countries: Object.fromEntries(
      codes.map((code) => [
        code,
        servicesOf(code).flatMap(({ id }) => (prices.services.has(id) ? [id] : [])),
      ]),
    ),
    x402: x402 && {
      network: x402.network.network,
      networkName: x402.network.nameV1,
      asset: x402.network.asset,
      testnet: x402.network.testnet,
    },
    topUps: [
      ...(x402 ? (['usdc'] as const) : []),
      ...(lnd ? (['lightning'] as const) : []),
      ...(stripe ? (['card'] as const) : []),
    ],
    // A mech that is switched off answers, too: that it is.
    mech: serves({ operations }, '/api/mech') ? config.mech?.mode : undefined,
    registration: !config.registrationClosed,
    mail: config.mail !== undefined,
    credentials: config.credentials,
  };
};
