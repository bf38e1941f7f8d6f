import type { AnyOperation } from '../../contract/operation.ts';
import { type ServiceFacts, serves } from '../../contract/service-facts.ts';
import { servicesOf } from '../../postal/services.ts';
import { type CountryCode, countryCodes } from '../../postal/types.ts';
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
const names = countryCodes.map((code) => shortNames[code]);
/** Joined by hand: Intl.ListFormat would load its rules at the start of each process, for 15 ms of CPU time. */
const destinations = `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

/** The facts of this installation, as they are now: its DID changes when its key does. */
export const factsOf = (
  { config, keys, baseUrl }: Pick<Site, 'config' | 'keys' | 'baseUrl'>,
  operations: readonly AnyOperation[],
): ServiceFacts => {
  const { did } = keys.serviceKeys.identity();
  const { x402, lnd, stripe } = config;
  return {
    ...config.serviceName,
    version: serviceVersion,
    baseUrl,
    did,
    operations,
    description: `Send real letters to ${destinations}.`,
    didDocument: documentUrlOf(did),
    countries: Object.fromEntries(
      countryCodes.map((code) => [code, servicesOf(code).map(({ id }) => id)]),
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
    mail: config.mail !== undefined,
    credentials: config.credentials,
  };
};
