/** Negotiation: offers, their acceptance, learning from it, and volume contracts. */
import { accountAggregate } from '../../commands/accounts/account.ts';
import { createAcceptOffer } from '../../commands/negotiation/accept-offer.ts';
import { commitmentAggregate } from '../../commands/negotiation/commitment.ts';
import { lockedUntil } from '../../commands/negotiation/discount-end.ts';
import { createMakeOffer, type MakeOffer } from '../../commands/negotiation/make-offer.ts';
import { walletAggregate } from '../../commands/wallets/wallet.ts';
import { createBatchLoader } from '../../ground/batch-loader.ts';
import type { Offer } from '../../identity/offers.ts';
import { documentIn } from '../../identity/signed-document.ts';
import { verifyDocument } from '../../identity/verify-document.ts';
import { publishedIdentity, statementSigner } from '../../infra/identity/published-identity.ts';
import { sweepOffers } from '../../infra/postgres/offers.ts';
import type { MicroUsd } from '../../money/amounts.ts';
import { commitmentRows } from '../../projections/commitments/project.ts';
import {
  acceptedTiers,
  commitmentOf,
  commitmentsMadeBy,
} from '../../projections/commitments/query.ts';
import { contracts as contractRows } from '../../projections/contracts/project.ts';
import { commitmentReadOperations } from '../../read-api/negotiation/commitments.ts';
import { intentClassesOperation } from '../../read-api/negotiation/intent-classes.ts';
import { learnedOffers, profileOperation } from '../../read-api/negotiation/profiles.ts';
import { verifyOperation } from '../../read-api/negotiation/verify.ts';
import { acceptOperation } from '../../write-api/negotiation/accept.ts';
import { offerOperation } from '../../write-api/negotiation/offers.ts';
import { handOverOf } from '../foundation/hand-over.ts';
import type { Site, Wing } from '../foundation/wing.ts';
import { closingPeriods, contractReadOperationsOf, contractWriteOperations } from './contracts.ts';

const issuerOf = ({ keys: { serviceKeys } }: Site) => ({
  did: serviceKeys.identity().did,
  signer: statementSigner(serviceKeys),
});

/** Verifies what this service signed, with the keys that it signs credentials with. */
const documentVerifierOf =
  ({ keys, baseUrl, clock }: Site) =>
  (given: unknown) =>
    verifyDocument(given, {
      keys: publishedIdentity(keys.serviceKeys, baseUrl).keys.filter(
        ({ purpose }) => purpose === 'credential',
      ),
      nowMs: clock(),
    });

/** Makes offers, for callers of every protocol. */
const makeOfferOf = (site: Site): MakeOffer => {
  const { config, clock, storage, discounts, shared } = site;
  const { limits, x402 } = config;
  const acceptedBy = createBatchLoader({
    maxBatch: 100,
    async load(accountIds: string[]) {
      const found = await acceptedTiers(storage.readDb, [...new Set(accountIds)], learnedOffers);
      return accountIds.map((accountId) => found.get(accountId));
    },
  });
  const x402Terms = x402 && {
    x402Terms: (amountMicro: MicroUsd) => ({
      network: x402.network.network,
      asset: x402.network.asset,
      payTo: x402.payTo,
      amount: String(amountMicro),
    }),
  };
  return createMakeOffer({
    clock,
    limits,
    prices: site.prices,
    openText: shared.documentTools.documents.openText,
    acceptedBy,
    ...x402Terms,
    discountOf: discounts.of,
    cancellationWindowMs: config.cancellationWindowSeconds * 1_000,
    handOverAt: handOverOf(config),
    issuer: () => issuerOf(site),
    keep: async ({ offer_id, jws, expires_at }) => {
      await shared.offers.put({ offerId: offer_id, jws, expiresAt: expires_at });
    },
  });
};

const acceptOfferOf = (site: Site) => {
  const { commands, clock, config, shared, storage } = site;
  const madeBy = async (accountId: string, commandId: string): Promise<string[]> => {
    await site.isUpToDate([commitmentRows.name]);
    return commitmentsMadeBy(storage.readDb, accountId, commandId);
  };
  return createAcceptOffer({
    handler: commands.handler,
    clock,
    limits: config.limits,
    async kept(offerId) {
      const jws = await shared.offers.get(offerId);
      return jws === undefined ? undefined : { ...documentIn<Offer>(jws), jws };
    },
    verify: documentVerifierOf(site),
    async availableOf(accountId) {
      const { state } = await commands.handler.load(walletAggregate, accountId);
      return state.available;
    },
    ...(storage.store.uniqueIds ? {} : { madeBy }),
  });
};

/** The DID that acts for an account: its own, or that of the wallet that it is. */
const didOf =
  ({ commands }: Site) =>
  async (accountId: string): Promise<string | undefined> => {
    const { state } = await commands.handler.load(accountAggregate, accountId);
    if (state.status === 'none') return undefined;
    return state.did?.did ?? (state.kind === 'wallet' ? state.name : undefined);
  };

export const negotiation: Wing = {
  name: 'negotiation',
  projections: [commitmentRows, contractRows],
  open(site) {
    const { config, clock, storage } = site;
    const { limits } = config;
    const db = storage.readDb;
    const issuer = () => issuerOf(site);
    return {
      write: () => [
        offerOperation({ makeOffer: makeOfferOf(site), limits }),
        acceptOperation({
          offers: acceptOfferOf(site),
          clock,
          issuer,
          lettersUsing: async (accountId, commitmentId) =>
            (await commitmentOf(db, accountId, commitmentId))?.letters ?? [],
          lockedUntil: (agreed) => lockedUntil(site.commands.handler, agreed),
        }),
        ...contractWriteOperations(site),
      ],
      read: () => [
        intentClassesOperation(),
        verifyOperation(documentVerifierOf(site)),
        profileOperation({ db, didOf: didOf(site) }),
        ...commitmentReadOperations({
          db,
          clock,
          limits,
          issuer,
          async agreedOf(commitmentId) {
            const { state } = await site.commands.handler.load(commitmentAggregate, commitmentId);
            return state.status === 'agreed' ? state.agreed : undefined;
          },
          lockedUntil: (agreed) => lockedUntil(site.commands.handler, agreed),
        }),
        ...contractReadOperationsOf(site),
      ],
      react: ({ clocks }) => ({
        chores: [
          closingPeriods(site, clocks.deeds.now),
          {
            what: 'forgetting offers',
            everyMs: 600_000,
            work: () => sweepOffers(db, clock()),
          },
        ],
      }),
    };
  },
};
