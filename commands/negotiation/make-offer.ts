/**
 * Making an offer: three tiers of a letter, priced on the way that sending takes, and signed. An offer is not
 * an event: it binds us only, costs nothing, and anybody may ask for one. It is kept until it can no longer
 * be accepted, and its signature proves it.
 */
import { type Clock, toTimestamp } from '../../ground/clock.ts';
import { drawRandom } from '../../ground/random.ts';
import {
  type Offer,
  type OfferRequest,
  type OfferTerms,
  signOffer,
} from '../../identity/offers.ts';
import { type DocumentSigner, documentHash } from '../../identity/signed-document.ts';
import { intentClasses } from '../../postal/intents.ts';
import type { TierName } from '../../postal/tiers.ts';
import { createRelease, type ReleasePorts } from '../preparation/release.ts';
import { assertSendDate } from '../preparation/send-date.ts';
import {
  createOfferedTiers,
  type OfferAsker,
  type OfferedTiers,
  type OfferWish,
  type TierPorts,
} from './offered-tiers.ts';
import { recommend } from './recommend.ts';

/** How often they accepted each tier before; undefined: never. */
type TierCounts = Partial<Record<TierName, number>>;

type OfferPorts = TierPorts &
  ReleasePorts & {
    clock: Clock;
    /** The signer: the service, by its DID. */
    issuer(): { did: string; signer: DocumentSigner };
    /** Durable when it resolves. */
    keep(offer: Offer): Promise<void>;
    /** The tiers that the account accepted before. */
    acceptedBy(accountId: string): Promise<TierCounts | undefined>;
  };

export type MakeOffer = (wish: OfferWish, asker: OfferAsker) => Promise<Offer>;

const requestOf = (wish: OfferWish, tiers: OfferedTiers['tiers']): OfferRequest => ({
  intent: wish.intent,
  to_country: wish.country,
  quantity: wish.quantity,
  pages: 'pages' in wish.of ? wish.of.pages : Math.max(...tiers.map(({ pages }) => pages)),
  color: wish.color,
  duplex: wish.duplex,
  service: wish.service ?? null,
  send_date: wish.sendDate ?? null,
});

export const createMakeOffer = (ports: OfferPorts): MakeOffer => {
  const { clock, limits } = ports;
  const { releaseOf } = createRelease(ports);
  const tiersOf = createOfferedTiers(ports);

  return async (wish, asker) => {
    const { intent, country, quantity } = wish;
    const now = clock();
    assertSendDate(wish.sendDate, country, now, limits);
    const releaseAt = releaseOf({ country, test: asker?.test ?? false }, wish.sendDate);
    const prices = ports.prices();
    const { chosen, tiers } = await tiersOf(wish, asker, { releaseAt, prices });
    const accepted = asker && (await ports.acceptedBy(asker.accountId));
    const jti = drawRandom(16).toString('base64url');
    const request = requestOf(wish, tiers);
    const { did, signer } = ports.issuer();
    const { tier: recommended, because } = recommend(chosen, accepted);
    const terms: OfferTerms = {
      offer_id: `offer_${jti}`,
      jti,
      iss: did,
      account_id: asker?.accountId ?? null,
      test: asker?.test ?? false,
      intent,
      sla_days: intentClasses[intent].slaDays,
      proof_level: intentClasses[intent].proofLevel,
      request,
      request_hash: documentHash(request),
      quantity,
      tiers,
      recommended,
      recommended_because: because,
      terms: { max_uses: 1, commitment_hours: limits.commitmentHours },
      pricing_version: prices.version,
      issued_at: toTimestamp(now),
      expires_at: toTimestamp(now + limits.offerMinutes * 60_000),
    };
    const offer = signOffer(terms, signer);
    await ports.keep(offer);
    return offer;
  };
};
