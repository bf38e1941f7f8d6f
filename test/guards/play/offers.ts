/** Accepted offers in a run. A letter that uses one costs the locked price, whichever credential sends it. */
import { acceptOffer, commitmentAggregate } from '../../../commands/negotiation/commitment.ts';
import { digest } from '../../support/digest.ts';
import { account, type Process, type World } from './world.ts';

const sentBefore = '2026-03-30T20:00:00.000Z';
const expiresAfterRuns = '2027-01-01T00:00:00.000Z';

/** Accepts an offer for one or two letters to France, at some price. */
export const acceptSome = async (
  { handler }: Process,
  { random }: World,
  context: { commandId: string; actor: string },
) => {
  const subtotalCents = 150 + Math.floor(random() * 500);
  const isCrypto = random() < 0.5;
  const commissionCents = Math.ceil(subtotalCents * (isCrypto ? 0.025 : 0.05));
  const { commandId } = context;
  const accepted = {
    commitmentId: `commitment_${commandId}`,
    offerId: `offer_${commandId}`,
    offerHash: digest(commandId),
    accountId: account,
    test: false,
    tier: 'standard',
    paymentMethod: isCrypto ? ('crypto' as const) : ('fiat' as const),
    intent: 'transactional',
    service: 'fr_lettre_suivie',
    country: 'FR',
    pages: 9,
    color: false,
    duplex: true,
    quantity: 1 + Math.floor(random() * 2),
    price: {
      postageCents: subtotalCents - 100,
      printCents: 100,
      surchargeCents: 0,
      charge: {
        subtotalCryptoCents: isCrypto ? subtotalCents : 0,
        commissionCryptoCents: isCrypto ? commissionCents : 0,
        subtotalFiatCents: isCrypto ? 0 : subtotalCents,
        commissionFiatCents: isCrypto ? 0 : commissionCents,
      },
      pricingVersion: '2026-01-01.1',
      local: { currency: 'EUR', postageCents: subtotalCents - 110, rate: '1.07' },
    },
    expiresAt: expiresAfterRuns,
    commandId,
    requestHash: digest('accept', commandId),
  };
  const { state } = await handler.handle(
    commitmentAggregate,
    accepted.commitmentId,
    context,
    (commitment) =>
      acceptOffer(commitment, {
        type: 'AcceptOffer',
        accepted,
        offerExpiresAt: expiresAfterRuns,
        now: sentBefore,
        methodGiven: true,
      }),
  );
  if (state.status === 'none')
    throw new Error('the commitment of an accepted offer does not exist');
  return state.agreed;
};

export type Agreed = Awaited<ReturnType<typeof acceptSome>>;
