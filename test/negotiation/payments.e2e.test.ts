/** Acceptance of offers, and payment of a locked price: UCANs, x402. */
import { expect } from 'chai';
import type { Static } from 'typebox';
import type { Offer } from '../../identity/offers.ts';
import type { Commitment } from '../../presenters/commitment.ts';
import { clientOf, letterTo, type ProblemJson, type Sent } from '../support/client.ts';
import { startPaidService } from '../support/evm/paid-service.ts';
import { paymentHeader, requirementsIn } from '../support/evm/x402.ts';

type CommitmentJson = Static<typeof Commitment>;

describe('negotiation without a key of one’s own', function () {
  this.timeout(180_000);
  let paid: Awaited<ReturnType<typeof startPaidService>>;
  const client = clientOf(() => paid.service);
  before(async () => {
    paid = await startPaidService();
  });
  after(() => paid?.stop());

  const offerTo = async (key?: string): Promise<Offer> =>
    (
      await client.call<Offer>(
        'POST',
        '/api/anp/offer',
        { intent: 'transactional', to_country: 'DE' },
        key === undefined ? {} : { key },
      )
    ).body;
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(`${paid.service.url}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });

  it('is open to whoever pays by x402: an offer, its acceptance, and the letter at that price', async () => {
    const signer = await paid.chain.newPayer(50_000_000n);
    const pay = async (path: string, body: object) => {
      const requirements = requirementsIn(await post(path, body));
      const payment = await paymentHeader(signer, requirements);
      const send = () => post(path, body, { 'PAYMENT-SIGNATURE': payment });
      return { requirements, answer: await send(), repeat: send };
    };
    const offer = await offerTo();
    const accepting = await pay('/api/anp/accept', { offer_id: offer.offer_id, tier: 'economy' });
    const commitment = (await accepting.answer.json()) as CommitmentJson;
    expect(accepting.answer.status, JSON.stringify(commitment)).to.equal(201);
    expect(commitment).to.include({ payment_method: 'crypto', currency: 'USDC' });
    const { commitment_id, locked_price } = commitment;
    const letter = letterTo('DE', { commitment_id });
    const sending = await pay('/api/send', letter);
    const sent = (await sending.answer.json()) as Sent;
    expect(sending.answer.status, JSON.stringify(sent)).to.equal(201);
    expect(Number(sending.requirements.amount) / 1e6).to.equal(locked_price);
    expect(sent.price.total).to.equal(locked_price);
    // The same payment again is answered as at first.
    const repeated = await sending.repeat();
    expect(repeated.status).to.equal(201);
    expect(await repeated.json()).to.deep.equal(sent);
    // Once it is used nothing more is asked for, nor taken.
    const again = await post('/api/send', letter);
    expect(((await again.json()) as ProblemJson).code).to.equal('commitment_consumed');
  });

  it('refuses x402 for a price that is to be paid by fiat, before anything is taken', async () => {
    const ada = await client.register('live');
    const { offer_id } = await offerTo(ada.key);
    const body = { offer_id, tier: 'economy', payment_method: 'fiat' };
    const { commitment_id } = (await ada.post<CommitmentJson>('/api/anp/accept', body)).body;
    const letter = letterTo('DE', { commitment_id });
    const refused = await client.call('POST', '/api/send', letter);
    expect(refused.body).to.include({ status: 409, code: 'commitment_payment_mismatch' });
    const poor = await ada.post('/api/send', letter);
    expect(poor.body).to.include({ status: 402, code: 'insufficient_funds' });
  });

  it('lets a UCAN accept what its scope and caveats allow, and own it for its account', async () => {
    const ada = await client.register();
    const issue = async (body: object) =>
      (await ada.post<{ token: string }>('/api/identity/ucan', body)).body.token;
    const reader = client.as(`ucan:${await issue({ scope: 'read' })}`);
    const sender = client.as(`ucan:${await issue({ scope: 'send' })}`);
    const offer = await offerTo(sender.key);
    expect(offer.account_id).to.equal(ada.account.account_id);
    const body = { offer_id: offer.offer_id, tier: 'standard', payment_method: 'fiat' };
    expect((await reader.post('/api/anp/accept', body)).body.code).to.equal('scope_insufficient');
    const accepted = await sender.post<CommitmentJson>('/api/anp/accept', body);
    expect(accepted.status, accepted.text).to.equal(201);
    const path = `/api/anp/commitments/${accepted.body.commitment_id}`;
    expect((await ada.get(path)).status).to.equal(200);
    expect((await reader.get(path)).status).to.equal(200);
  });
});
