/** Negotiation: offers, what is accepted of them, what is learned from that, and volume contracts. */
import { createMakeOffer } from '../commands/negotiation/make-offer.ts';
import { fontMetrics } from '../documents/render/font-metrics.ts';
import { statementSigner } from '../infra/identity/published-identity.ts';
import { createOfferStore, prepareOffers, sweepOffers } from '../infra/postgres/offers.ts';
import { contracts as contractRows } from '../projections/contracts/project.ts';
import { offerOperation } from '../write-api/negotiation/offers.ts';
import { closingPeriods, contractReadOperationsOf, contractWriteOperations } from './contracts.ts';
import { handOverOf } from './print-partners.ts';
import type { Site, Wing } from './wing.ts';

/** Makes offers, for whoever asks over whatever protocol. */
export const makeOfferOf = ({ config, clock, keys, storage, discounts }: Site) => {
  const { serviceKeys } = keys;
  const store = createOfferStore(storage.readDb);
  const { x402 } = config;
  return createMakeOffer({
    ...{ clock, limits: config.limits, metrics: fontMetrics() },
    discountOf: discounts.of,
    cancellationWindowMs: config.cancellationWindowSeconds * 1_000,
    handOverAt: handOverOf(config),
    signer: () => statementSigner(serviceKeys),
    serviceDid: () => serviceKeys.identity().did,
    keep: async ({ offer_id, jws, expires_at }) => {
      await store.put({ offerId: offer_id, jws, expiresAt: expires_at });
    },
    sharesOf: async () => undefined,
    ...(x402
      ? {
          x402Terms: (amountMicro: bigint) => ({
            network: x402.network.network,
            asset: x402.network.asset,
            amount: String(amountMicro),
            payTo: x402.payTo,
          }),
        }
      : {}),
  });
};

export const negotiation: Wing = {
  name: 'negotiation',
  projections: [contractRows],
  prepare: ({ readDb }) => prepareOffers(readDb),
  open(site) {
    const { config, clock, storage } = site;
    return {
      write: () => [
        offerOperation({ makeOffer: makeOfferOf(site), limits: config.limits }),
        ...contractWriteOperations(site),
      ],
      read: () => contractReadOperationsOf(site),
      react: () => ({
        chores: [
          closingPeriods(site),
          {
            what: 'forgetting offers',
            everyMs: 600_000,
            work: () => sweepOffers(storage.readDb, clock()),
          },
        ],
      }),
    };
  },
};
