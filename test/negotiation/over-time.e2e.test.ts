/** The end of offers, commitments and periods of contracts; and prices that last although rates change. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Static } from 'typebox';
import { toTimestamp } from '../../ground/clock.ts';
import type { Offer } from '../../identity/offers.ts';
import type { Commitment } from '../../presenters/commitment.ts';
import type { Contract } from '../../presenters/contract.ts';
import type { VerifiedDocument } from '../../presenters/verified-document.ts';
import { expectProblem, letterTo, type Sent, until, useService } from '../support/client.ts';
import { createMovedClock } from '../support/moved-clock.ts';

type CommitmentJson = Static<typeof Commitment>;
type ContractJson = Static<typeof Contract>;

const patienceMs = 60_000;

describe('negotiation over time', function () {
  this.timeout(180_000);
  // Euros are converted at another rate from 1 November on.
  const { clock, moveTo } = createMovedClock('2026-10-24T09:00:00Z');
  const client = useService(
    { LIMIT_COMMITMENT_HOURS: '240', LIMIT_EXCHANGE_RATE_DAYS: '1000' },
    { clock },
  );
  type Customer = Awaited<ReturnType<typeof client.register>>;

  const offerTo = async (who: Customer): Promise<Offer> => {
    const wish = { intent: 'transactional', to_country: 'DE' };
    const offer = await who.post<Offer>('/api/anp/offer', wish);
    expect(offer.status, offer.text).to.equal(200);
    return offer.body;
  };
  const accept = (who: Customer, offer: object, tier = 'premium') =>
    who.post<CommitmentJson>('/api/anp/accept', { ...offer, tier, payment_method: 'fiat' });
  const sendWith = (who: Customer, commitment_id: string, headers = {}) =>
    who.post<Sent>('/api/send', letterTo('DE', { commitment_id }), headers);

  it('accepts an offer until it expires, and says afterwards what was accepted of it', async () => {
    moveTo('2026-10-24T09:00:00Z');
    const ada = await client.register();
    const [accepted, missed] = [await offerTo(ada), await offerTo(ada)];
    const { body: commitment } = await accept(ada, { offer_id: accepted.offer_id });
    moveTo('2026-10-24T09:16:00Z');
    for (const offer of [{ offer_id: missed.offer_id }, { offer: missed.jws }, { offer: missed }]) {
      expectProblem(await accept(ada, offer), 410, 'offer_expired');
    }
    const found = await client.call<Static<typeof VerifiedDocument>>('POST', '/api/anp/verify', {
      jws: missed.jws,
    });
    expect(found.body).to.include({ valid: false, signed: true });
    const again = await accept(ada, { offer_id: accepted.offer_id });
    expect([again.status, again.body]).to.deep.equal([200, commitment]);
    const other = await accept(ada, { offer: accepted.jws }, 'economy');
    expectProblem(other, 409, 'offer_already_accepted');
  });

  it('answers a repeated acceptance as at first, also after its letter was sent and it expired', async () => {
    moveTo('2026-10-24T09:00:00Z');
    const ada = await client.register();
    const wish = { offer_id: (await offerTo(ada)).offer_id, tier: 'premium' };
    const headers = { 'Idempotency-Key': randomUUID() };
    const accepted = await ada.post<CommitmentJson>('/api/anp/accept', wish, headers);
    const { letter_id } = (await sendWith(ada, accepted.body.commitment_id)).body;
    for (const at of ['2026-10-24T09:01:00Z', '2026-10-26T09:00:00Z']) {
      moveTo(at);
      const again = await ada.post('/api/anp/accept', wish, headers);
      expect([again.status, again.text]).to.deep.equal([201, accepted.text]);
      expect(again.headers.get('idempotent-replayed')).to.equal('true');
    }
    const shown = await ada.post<CommitmentJson>('/api/anp/accept', wish);
    expect([shown.status, shown.body.letters]).to.deep.equal([200, [letter_id]]);
  });

  it('bills a discount that was locked before its contract ended, and locks it no longer than that', async () => {
    moveTo('2027-01-10T09:00:00Z');
    const ada = await client.register();
    const made = await ada.post<ContractJson>('/api/anp/contracts', {
      committed_units: 51,
      period: 'month',
    });
    const { contract_id, ends_at } = made.body;
    moveTo(toTimestamp(Date.parse(ends_at) - 60_000));
    const { body: commitment } = await accept(ada, { offer_id: (await offerTo(ada)).offer_id });
    expect(commitment.expires_at).to.equal(toTimestamp(Date.parse(ends_at) + 7 * 86_400_000));
    moveTo(toTimestamp(Date.parse(ends_at) + 3_600_000));
    const sent = await sendWith(ada, commitment.commitment_id);
    expect(sent.body.price.discount?.contract_id, sent.text).to.equal(contract_id);
    moveTo(toTimestamp(Date.parse(ends_at) + 8 * 86_400_000));
    const period = async () =>
      (await ada.get<ContractJson>(`/api/anp/contracts/${contract_id}`)).body.periods[0];
    await until(async () => (await period())?.billed !== undefined, patienceMs);
    expect(await period()).to.include({ units: 0, discounts: sent.body.price.discount?.amount });
  });

  it('keeps a price that was locked when rates change, and charges no other', async () => {
    moveTo('2026-10-28T09:00:00Z');
    const ada = await client.register();
    const offer = await offerTo(ada);
    const { body: commitment } = await accept(ada, { offer_id: offer.offer_id });
    moveTo('2026-11-03T09:00:00Z');
    const [today] = (await offerTo(ada)).tiers;
    expect(today?.service).to.equal(commitment.service);
    expect(today?.fiat.total).not.to.equal(commitment.locked_price);
    const before = (await ada.balance()).available;
    const sent = await sendWith(ada, commitment.commitment_id);
    expect(sent.status, sent.text).to.equal(201);
    const price = { ...sent.body.price };
    expect(price).to.deep.equal(commitment.price);
    expect(price.total).to.equal(commitment.locked_price);
    const after = (await ada.balance()).available;
    expect(after).to.be.closeTo(before - commitment.locked_price, 1e-9);
    // It costs the same when its address is corrected, and gives all of it back.
    const { letter_id } = sent.body;
    await ada.patch(`/api/letters/${letter_id}`, { to_name: 'Anna Meyer' });
    expect((await ada.letter(letter_id)).price.total).to.equal(commitment.locked_price);
    await ada.post(`/api/letters/${letter_id}/cancel`);
    expect((await ada.balance()).available).to.be.closeTo(before, 1e-9);
  });

  it('ends a commitment when it says, and repeats the answer of a send that came in time', async () => {
    moveTo('2026-11-04T09:00:00Z');
    const ada = await client.register();
    const used = (await accept(ada, { offer_id: (await offerTo(ada)).offer_id })).body;
    const unused = (await accept(ada, { offer_id: (await offerTo(ada)).offer_id })).body;
    const headers = { 'Idempotency-Key': 'in-time' };
    const first = await sendWith(ada, used.commitment_id, headers);
    expect(first.status, first.text).to.equal(201);
    moveTo('2026-11-14T09:00:10Z');
    expectProblem(await sendWith(ada, unused.commitment_id), 410, 'commitment_expired');
    const read = async ({ commitment_id }: CommitmentJson) =>
      (await ada.get<CommitmentJson>(`/api/anp/commitments/${commitment_id}`)).body.state;
    expect([await read(used), await read(unused)]).to.deep.equal(['consumed', 'expired']);
    const again = await sendWith(ada, used.commitment_id, headers);
    expect(again.status, again.text).to.equal(201);
    expect(again.body.letter_id).to.equal(first.body.letter_id);
  });

  it('ends a period at the hour of its zone, after clocks were put forward, and settles it after the grace', async () => {
    moveTo('2027-03-12T09:00:00Z');
    const ada = await client.register();
    const made = await ada.post<ContractJson>('/api/anp/contracts', {
      committed_units: 51,
      period: 'month',
      period_count: 2,
      starts_at: '2027-03-13',
      time_zone: 'Europe/Berlin',
    });
    expect(made.status, made.text).to.equal(201);
    // Midnight in Berlin, in winter and in summer.
    expect(made.body.periods.map(({ starts_at }) => starts_at)).to.deep.equal([
      '2027-03-12T23:00:00.000Z',
      '2027-04-12T22:00:00.000Z',
    ]);
    const path = `/api/anp/contracts/${made.body.contract_id}`;
    const periods = async () => (await ada.get<ContractJson>(path)).body.periods;
    const sendAt = async (at: string) => {
      moveTo(at);
      return (await ada.send({ service: 'de_standardbrief' })).price.discount?.contract_id;
    };
    const { contract_id } = made.body;
    expect([
      await sendAt('2027-03-12T22:59:50Z'),
      await sendAt('2027-03-12T23:00:01Z'),
      await sendAt('2027-04-12T21:59:50Z'),
      await sendAt('2027-04-12T22:00:01Z'),
    ]).to.deep.equal([undefined, contract_id, contract_id, contract_id]);
    await until(async () => (await periods())[1]?.units === 1, patienceMs);
    const told = (await periods()).map(({ units, state }) => [units, state]);
    expect(told).to.deep.equal([
      [2, 'grace'],
      [1, 'open'],
    ]);
    moveTo('2027-04-19T22:00:01Z');
    await until(async () => (await periods())[0]?.state === 'breached', patienceMs);
    const [first, second] = await periods();
    expect(first).to.include({ units: 2, shortfall: 49 });
    expect(second).to.include({ units: 1, state: 'open' });
  });
});
