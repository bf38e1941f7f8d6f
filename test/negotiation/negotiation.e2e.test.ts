import { expect } from 'chai';
import type { Static } from 'typebox';
import type { Offer } from '../../identity/offers.ts';
import type { Commitment } from '../../presenters/commitment.ts';
import type { Profile } from '../../presenters/profile.ts';
import type { VerifiedDocument } from '../../presenters/verified-document.ts';
import {
  letterTo,
  type PageOf,
  type ProblemJson,
  type Sent,
  until,
  useService,
} from '../support/client.ts';

type CommitmentJson = Static<typeof Commitment>;
type Verified = Static<typeof VerifiedDocument>;
type Wish = Record<string, unknown>;

const german: Wish = { intent: 'transactional', to_country: 'DE' };

describe('Negotiation', function () {
  this.timeout(180_000);
  const client = useService();
  type Customer = Awaited<ReturnType<typeof client.register>>;
  let ada: Customer;
  let bob: Customer;

  before(async () => {
    ada = await client.register();
    bob = await client.register();
  });

  const offerTo = async (who: Customer | undefined, wish: Wish = german): Promise<Offer> => {
    const key = who ? { key: who.key } : {};
    const answer = await client.call<Offer>('POST', '/api/anp/offer', wish, key);
    expect(answer.status, answer.text).to.equal(200);
    return answer.body;
  };
  const accept = <T = CommitmentJson>(who: Customer, body: object, headers = {}) =>
    who.post<T>('/api/anp/accept', body, headers);
  const commit = async (who: Customer, wish = german, tier = 'standard') => {
    const offer = await offerTo(who, wish);
    const body = { offer_id: offer.offer_id, tier, payment_method: 'fiat' };
    const answer = await accept(who, body);
    expect(answer.status, answer.text).to.equal(201);
    return { offer, commitment: answer.body };
  };
  const tierOf = (offer: Offer, tier: string) =>
    offer.tiers.find((one) => one.tier === tier) as Offer['tiers'][number];
  const sendWith = (who: Customer, commitment: string, more: object = {}) =>
    who.post<Sent>('/api/send', letterTo('DE', { commitment_id: commitment, ...more }));
  const refusal = (answer: { body: unknown }) => answer.body as ProblemJson;

  describe('an offer', () => {
    it('makes an offer for the account of a UCAN that may send and not read', async () => {
      const { account_id: account } = (await ada.get<{ account_id: string }>('/api/balance')).body;
      const issued = await ada.post<{ token: string }>('/api/identity/delegate', {
        audience: 'did:key:z6MknGc3ocHs3zdPiJbnaaqDi58NGb4pk1Sp9WxWufuXSdxf',
        capabilities: { [`letters://${account}/`]: { 'letters/send': [{}] } },
      });
      expect(issued.status, issued.text).to.equal(201);
      const sender = client.as(`ucan:${issued.body.token}`);
      const answer = await sender.post<Offer>('/api/anp/offer', german);
      expect(answer.body).to.include({ account_id: account, test: true });
      const body = { offer_id: answer.body.offer_id, tier: 'standard', payment_method: 'fiat' };
      const stranger = await accept<ProblemJson>(bob, body);
      expect(stranger.body.code).to.equal('offer_not_yours');
      const accepted = await sender.post('/api/anp/accept', body);
      expect(accepted.status, accepted.text).to.equal(201);
    });

    it('is made to anybody, bound to nobody', async () => {
      const offer = await offerTo(undefined);
      expect(offer.account_id).to.equal(null);
      expect(offer.tiers.map(({ tier }) => tier)).to.deep.equal(['premium', 'standard', 'economy']);
    });

    it('is bound to the account that asked', async () => {
      expect((await offerTo(ada)).account_id).to.equal(ada.account.account_id);
    });

    it('takes the fields of a whole letter and keeps nothing personal of them', async () => {
      const wish = { ...letterTo('DE'), ...german, content: 'Dear Erika,\n\nhello.' };
      const offer = await offerTo(ada, wish);
      expect(offer.request.pages).to.equal(1);
      expect(JSON.stringify(offer)).not.to.match(/Erika|Heidestr|hello/);
    });

    it('is refused for an intent, a country or a quantity that there is not, and for a day too far', async () => {
      for (const wrong of [
        { intent: 'gossip' },
        { to_country: 'ES' },
        { quantity: 0 },
        { pages: 61 },
        { send_date: '3143-03-01' },
        { send_date: '2020-01-01' },
      ]) {
        const answer = await client.call('POST', '/api/anp/offer', { ...german, ...wrong });
        expect(answer.status, JSON.stringify(wrong)).to.equal(422);
      }
    });

    it('is refused for a service that does not do what the intent promises, and needs the intent', async () => {
      const wish = { intent: 'legal_compliance', to_country: 'DE', service: 'de_standardbrief' };
      const answer = await ada.post('/api/anp/offer', wish);
      expect(refusal(answer)).to.include({ status: 422, code: 'service_not_available' });
      expect(answer.text).to.include('or leave out service.');
    });

    it('counts the pages of a text in any script as a quote does', async () => {
      // Each in a process that has set no such script before: the first caller opens its faces.
      for (const content of [
        'Frohe Ostern 🐣🥚',
        'שלום עולם',
        'नमस्ते दुनिया',
        '平和'.repeat(3_000),
      ]) {
        const offer = await offerTo(undefined, { ...german, content });
        const quote = await ada.post<{ pages: number }>('/api/quote', {
          to_country: 'DE',
          content,
        });
        expect(offer.request.pages, content.slice(0, 20)).to.equal(quote.body.pages);
      }
    });

    it('refuses a text that cannot be printed as a quote does', async () => {
      for (const content of ['a\u0007b', 'abc \u202e def', ' \n ', '\u{10ffff}']) {
        const asked = await client.call('POST', '/api/anp/offer', { ...german, content });
        const quoted = await ada.post('/api/quote', { to_country: 'DE', content });
        expect(asked.body.code, JSON.stringify(content)).to.equal('content_not_printable');
        expect(asked.body.errors).to.deep.equal(quoted.body.errors);
      }
      const content = 'a'.repeat(500_001);
      const asked = await client.call('POST', '/api/anp/offer', { ...german, content });
      expect(asked.body).to.include({ status: 413, code: 'body_too_large' });
    });

    it('asks for the pages of what it does not lay out', async () => {
      for (const more of [
        { content: '<p>Hi</p>' },
        { document_url: 'https://a.example/a.pdf' },
        { document: 'JVBERi0xLjc=', logo: 'logo_1' },
      ]) {
        const asked = await client.call('POST', '/api/anp/offer', { ...german, ...more });
        expect(asked.body.errors?.[0]?.code).to.equal('pages_needed');
        expect((await offerTo(undefined, { ...german, ...more, pages: 2 })).request.pages).to.equal(
          2,
        );
      }
    });
  });

  describe('verifying', () => {
    const verify = async (body: object): Promise<Verified> => {
      const answer = await client.call<Verified>('POST', '/api/anp/verify', body);
      expect(answer.status, answer.text).to.equal(200);
      return answer.body;
    };

    it('says that an offer is ours, as a whole, by its jws, and as the body itself', async () => {
      const offer = await offerTo(undefined);
      for (const body of [{ offer }, { jws: offer.jws }, { offer: offer.jws }, offer]) {
        const found = await verify(body);
        expect(found.valid, JSON.stringify(found.checks)).to.equal(true);
        expect(found.kind).to.equal('offer');
      }
    });

    it('says so where a member is missing or was added, null or not', async () => {
      const offer = await offerTo(undefined);
      expect(offer.account_id).to.equal(null);
      for (const name of Object.keys(offer) as (keyof Offer)[]) {
        const { [name]: _, ...rest } = offer;
        if (name !== 'jws') {
          const found = await verify({ offer: rest });
          expect(found.valid, name).to.equal(false);
          expect(found.checks.find(({ ok }) => !ok)?.detail, name).to.contain(name);
        }
      }
      expect((await verify({ offer: { ...offer, note: null } })).valid).to.equal(false);
    });

    it('names what was changed', async () => {
      const offer = await offerTo(undefined);
      const found = await verify({ offer: { ...offer, recommended: 'nonsense' } });
      expect(found.valid).to.equal(false);
      expect(found.checks.find(({ ok }) => !ok)).to.include({ name: 'content' });
      expect(found.checks.find(({ ok }) => !ok)?.detail).to.contain('recommended');
    });

    it('says that a receipt is ours', async () => {
      const { commitment } = await commit(ada);
      expect(await verify({ jws: commitment.jws })).to.include({ valid: true, kind: 'receipt' });
    });

    it('answers 200 to any garbage, and calls none of it valid', async () => {
      const { jws } = await offerTo(undefined);
      const [header, payload, signature] = jws.split('.') as [string, string, string];
      const garbage = [
        ...['', '.', '..', 'a.b.c', jws.slice(1), `${jws}A`, `${header}.${payload}.`],
        `${header}.${payload}.${signature.startsWith('AA') ? 'BB' : 'AA'}${signature.slice(2)}`,
        `e30.${payload}.${signature}`,
        `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`,
        `${header}.${Buffer.from('[]').toString('base64url')}.${signature}`,
      ];
      for (const one of garbage) {
        expect((await verify({ jws: one })).valid, one).to.equal(false);
        expect((await verify({ offer: { jws: one } })).valid, one).to.equal(false);
      }
      for (const offer of [{}, { jws: 7 }, { jws: { a: 1 } }, { __proto__: null, a: [] }]) {
        expect((await verify({ offer })).valid).to.equal(false);
      }
    });
  });

  describe('accepting', () => {
    it('locks the price of a tier: 201, and 200 with the same commitment when it is repeated', async () => {
      const { offer, commitment } = await commit(ada, german, 'premium');
      expect(commitment.locked_price).to.equal(tierOf(offer, 'premium').fiat.total);
      const again = await accept(ada, { offer_id: offer.offer_id, tier: 'premium' });
      expect(again.status).to.equal(200);
      expect(again.body).to.deep.equal(commitment);
    });

    it('is refused for another tier or another way to pay: 409 that names the commitment', async () => {
      const { offer, commitment } = await commit(ada);
      for (const other of [{ tier: 'premium' }, { tier: 'standard', payment_method: 'crypto' }]) {
        const answer = await accept(ada, { offer_id: offer.offer_id, ...other });
        expect(refusal(answer).code).to.equal('offer_already_accepted');
        expect(answer.body.commitment_id).to.equal(commitment.commitment_id);
      }
    });

    it('is refused of another account’s offer: 403; of none: 404', async () => {
      const { offer_id } = await offerTo(ada);
      const others = await accept(bob, { offer_id, tier: 'economy' });
      expect(refusal(others)).to.include({ status: 403, code: 'offer_not_yours' });
      const none = await accept(ada, { offer_id: 'offer_none', tier: 'economy' });
      expect(refusal(none)).to.include({ status: 404, code: 'offer_not_found' });
      expect(none.text).to.include('Send the offer itself as offer');
    });

    it('gives an offer that was made to nobody to who comes first', async () => {
      const { offer_id } = await offerTo(undefined);
      expect((await accept(ada, { offer_id, tier: 'economy' })).status).to.equal(201);
      const late = await accept(bob, { offer_id, tier: 'economy' });
      expect(refusal(late)).to.include({ status: 409, code: 'offer_already_accepted' });
    });

    it('is refused of an offer that was tampered with: 422', async () => {
      const offer = await offerTo(ada);
      const cheap = structuredClone(offer);
      tierOf(cheap, 'premium').fiat.total = 0.01;
      const payload = Buffer.from(JSON.stringify(cheap)).toString('base64url');
      const [header, , signature] = offer.jws.split('.');
      for (const body of [
        { offer: cheap },
        { offer: `${header}.${payload}.${signature}` },
        { offer_id: offer.offer_id, offer_hash: 'x'.repeat(43) },
        { offer_id: (await offerTo(ada)).offer_id, offer },
      ]) {
        const answer = await accept(ada, { ...body, tier: 'premium' });
        expect(refusal(answer)).to.include({ status: 422, code: 'offer_invalid' });
      }
      expect((await accept(ada, { offer, tier: 'premium' })).status).to.equal(201);
    });

    it('needs a key that may send', async () => {
      const { offer_id } = await offerTo(ada);
      const body = { offer_id, tier: 'economy' };
      expect((await client.call('POST', '/api/anp/accept', body)).status).to.equal(401);
      const { api_key: key } = (
        await ada.post<{ api_key: string }>('/auth/keys', { label: 'r', scope: 'read' })
      ).body;
      expect((await client.call('POST', '/api/anp/accept', body, { key })).status).to.equal(403);
    });

    it('honours an Idempotency-Key', async () => {
      const { offer_id } = await offerTo(ada);
      const headers = { 'Idempotency-Key': 'accept-1' };
      const first = await accept(ada, { offer_id, tier: 'economy' }, headers);
      const again = await accept(ada, { offer_id, tier: 'economy' }, headers);
      expect([first.status, again.status]).to.deep.equal([201, 201]);
      expect(again.headers.get('idempotent-replayed')).to.equal('true');
      expect(again.body).to.deep.equal(first.body);
      const { offer_id: another } = await offerTo(ada);
      for (const other of [
        { offer_id, tier: 'premium' },
        { offer_id: another, tier: 'economy' },
      ]) {
        const reused = await accept(ada, other, headers);
        expect(refusal(reused).code).to.equal('idempotency_key_reused');
      }
    });

    it('of different tiers at once: one wins', async () => {
      for (let round = 0; round < 5; round++) {
        const { offer_id } = await offerTo(ada);
        const answers = await Promise.all(
          ['economy', 'standard', 'premium', 'economy'].map((tier) =>
            accept(ada, { offer_id, tier, payment_method: 'fiat' }),
          ),
        );
        const won = answers.filter(({ status }) => status < 300);
        expect(new Set(won.map(({ body }) => body.tier)).size).to.equal(1);
        expect(won.filter(({ status }) => status === 201)).to.have.length(1);
        for (const { status, body } of answers) {
          if (status >= 300) expect(refusal({ body }).code).to.equal('offer_already_accepted');
        }
      }
    });
  });

  describe('a commitment', () => {
    it('is what a letter costs, once', async () => {
      const { commitment } = await commit(ada, german, 'premium');
      const sent = await sendWith(ada, commitment.commitment_id);
      expect(sent.status, sent.text).to.equal(201);
      expect(sent.body.service).to.equal(commitment.service);
      expect(sent.body.price.total).to.equal(commitment.locked_price);
      const second = await sendWith(ada, commitment.commitment_id);
      expect(refusal(second)).to.include({ status: 409, code: 'commitment_consumed' });
      const read = await ada.get<CommitmentJson>(
        `/api/anp/commitments/${commitment.commitment_id}`,
      );
      expect(read.body).to.include({ state: 'consumed', uses_left: 0 });
      expect(read.body.letters).to.deep.equal([sent.body.letter_id]);
    });

    it('is used by one of many sends at once', async () => {
      const { commitment } = await commit(ada);
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => sendWith(ada, commitment.commitment_id)),
      );
      expect(answers.filter(({ status }) => status === 201)).to.have.length(1);
      for (const answer of answers.filter(({ status }) => status !== 201)) {
        expect(refusal(answer).code).to.equal('commitment_consumed');
      }
    });

    it('is free again when its letter is cancelled, and the money is back', async () => {
      const before = (await ada.balance()).available;
      const { commitment } = await commit(ada);
      const first = await sendWith(ada, commitment.commitment_id);
      expect((await ada.balance()).available).to.be.closeTo(before - commitment.locked_price, 1e-9);
      await ada.post(`/api/letters/${first.body.letter_id}/cancel`);
      expect((await ada.balance()).available).to.be.closeTo(before, 1e-9);
      const again = await sendWith(ada, commitment.commitment_id);
      expect(again.status, again.text).to.equal(201);
    });

    it('is for as many letters as were asked for', async () => {
      const { commitment } = await commit(ada, { ...german, quantity: 2 }, 'economy');
      const answers = await Promise.all(
        Array.from({ length: 4 }, () => sendWith(ada, commitment.commitment_id)),
      );
      expect(answers.filter(({ status }) => status === 201)).to.have.length(2);
    });

    it('is refused for a letter that differs, which it says in a sentence', async () => {
      const { commitment } = await commit(ada, german, 'economy');
      const wrong: [object, string][] = [
        [{ ...letterTo('FR'), to_country: 'FR' }, 'to_country'],
        [{ service: 'de_einschreiben' }, 'service'],
        [{ intent: 'bulk_marketing' }, 'intent'],
        [{ color: true }, 'color'],
        [{ duplex: false }, 'duplex'],
        [{ content: 'Line.\n'.repeat(200) }, 'pages'],
      ];
      for (const [more, name] of wrong) {
        const answer = await sendWith(ada, commitment.commitment_id, more);
        expect(refusal(answer), name).to.include({ status: 409, code: 'commitment_mismatch' });
        expect(refusal(answer).detail).to.contain(name);
      }
      expect((await sendWith(ada, commitment.commitment_id)).status).to.equal(201);
    });

    it('is not another account’s', async () => {
      const { commitment } = await commit(ada);
      const id = commitment.commitment_id;
      expect(refusal(await sendWith(bob, id)).code).to.equal('commitment_not_found');
      expect((await bob.get(`/api/anp/commitments/${id}`)).status).to.equal(404);
    });

    it('goes with no quote', async () => {
      const answer = await sendWith(ada, 'commitment_a', { quote_id: 'quote_a' });
      expect(refusal(answer)).to.include({ status: 422, code: 'validation_failed' });
    });

    it('is paid by the money that was agreed to', async () => {
      const eve = await client.register('live');
      const offer = await offerTo(eve);
      const body = { offer_id: offer.offer_id, tier: 'economy', payment_method: 'crypto' };
      const { body: commitment } = await accept(eve, body);
      expect(commitment.locked_price).to.equal(tierOf(offer, 'economy').crypto.total);
      const answer = await sendWith(eve, commitment.commitment_id);
      expect(refusal(answer)).to.include({ status: 402, code: 'insufficient_funds' });
      expect(refusal(answer).detail).to.contain('cryptocurrency');
    });

    it('is paid by test money at the crypto price too, which comes back when the letter is cancelled', async () => {
      const before = (await ada.balance()).available;
      const offer = await offerTo(ada);
      const body = { offer_id: offer.offer_id, tier: 'economy', payment_method: 'crypto' };
      const { body: commitment } = await accept(ada, body);
      const { crypto, fiat } = tierOf(offer, 'economy');
      expect(crypto.total).to.be.lessThan(fiat.total);
      const sent = await sendWith(ada, commitment.commitment_id);
      expect(sent.status, sent.text).to.equal(201);
      expect(sent.body.price).to.include({ total: crypto.total, commission: crypto.commission });
      expect((await ada.balance()).available).to.be.closeTo(before - crypto.total, 1e-9);
      await ada.post(`/api/letters/${sent.body.letter_id}/cancel`);
      expect((await ada.balance()).available).to.be.closeTo(before, 1e-9);
    });

    it('is free again when its letter fails, and the money is back', async () => {
      const before = (await ada.balance()).available;
      const { commitment } = await commit(ada);
      const failing = { to_name: 'Test Print Failure' };
      const first = await sendWith(ada, commitment.commitment_id, failing);
      expect(first.status, first.text).to.equal(201);
      await until(async () => (await ada.letter(first.body.letter_id)).status === 'failed');
      const path = `/api/anp/commitments/${commitment.commitment_id}`;
      await until(async () => (await ada.get<CommitmentJson>(path)).body.state === 'active');
      await until(async () => Math.abs((await ada.balance()).available - before) < 1e-9);
      const again = await sendWith(ada, commitment.commitment_id);
      expect(again.status, again.text).to.equal(201);
      expect(again.body.price.total).to.equal(commitment.locked_price);
    });

    it('is kept by a draft that is sent with it', async () => {
      const { commitment } = await commit(ada);
      const { commitment_id } = commitment;
      const draft = await sendWith(ada, commitment_id, { draft: true });
      expect(draft.body.status, draft.text).to.equal('draft');
      const { letter_id } = draft.body;
      const sent = await ada.post<typeof draft.body>('/api/send', { letter_id, commitment_id });
      expect(sent.status, sent.text).to.equal(201);
      expect(sent.body.price.total).to.equal(commitment.locked_price);
    });

    it('is used by a draft that is sent twice at once only if it is what the draft costs', async () => {
      for (let round = 0; round < 6; round++) {
        const offer = await offerTo(ada);
        const body = { offer_id: offer.offer_id, tier: 'economy', payment_method: 'crypto' };
        const { commitment_id, locked_price } = (await accept(ada, body)).body;
        const { letter_id } = await ada.send({ service: 'de_standardbrief', draft: true });
        const answers = await Promise.all(
          [{}, { commitment_id }, {}, { commitment_id }].map((more) =>
            ada.post('/api/send', { letter_id, ...more }),
          ),
        );
        expect(answers.filter(({ status }) => status === 201)).to.have.length(1);
        const { total } = (await ada.letter(letter_id)).price;
        const path = `/api/anp/commitments/${commitment_id}`;
        const used = async () => (await ada.get<CommitmentJson>(path)).body.letters.length === 1;
        const itsOwn = total === locked_price;
        await until(async () => (await used()) === itsOwn);
        const next = await sendWith(ada, commitment_id);
        expect(next.status, next.text).to.equal(itsOwn ? 409 : 201);
        if (!itsOwn) await ada.post(`/api/letters/${next.body.letter_id}/cancel`);
        await ada.post(`/api/letters/${letter_id}/cancel`);
      }
    });

    it('answers a repeated send as before, also when it is used', async () => {
      const { commitment } = await commit(ada);
      const headers = { 'Idempotency-Key': 'send-1' };
      const body = letterTo('DE', { commitment_id: commitment.commitment_id });
      const first = await ada.post<{ letter_id: string }>('/api/send', body, headers);
      const again = await ada.post<{ letter_id: string }>('/api/send', body, headers);
      expect([first.status, again.status]).to.deep.equal([201, 201]);
      expect(again.body.letter_id).to.equal(first.body.letter_id);
    });

    it('is listed for its account, newest first', async () => {
      const { commitment } = await commit(bob);
      const list = await bob.get<PageOf<CommitmentJson>>('/api/anp/commitments?limit=1');
      expect(list.body.data).to.deep.equal([commitment]);
    });
  });

  describe('GET /api/anp/intent-classes', () => {
    it('tells six classes whose weights sum to 1', async () => {
      const { body } = await client.call<{ data: { weights: Record<string, number> }[] }>(
        'GET',
        '/api/anp/intent-classes',
      );
      expect(body.data).to.have.length(6);
      for (const { weights } of body.data) {
        expect(Object.values(weights).reduce((sum, one) => sum + one)).to.equal(1);
      }
    });
  });

  describe('a profile', () => {
    it('is learned from what was accepted and sent, and says why', async () => {
      const eve = await client.register();
      const path = `/api/anp/profiles/${eve.account.account_id}`;
      expect((await eve.get<Static<typeof Profile>>(path)).body).to.include({
        persona: 'new',
        letters: 0,
      });
      const offers: Offer[] = [];
      for (let n = 0; n < 3; n++) {
        const { offer, commitment } = await commit(eve, german, 'premium');
        offers.push(offer);
        await sendWith(eve, commitment.commitment_id);
      }
      const { body } = await eve.get<Static<typeof Profile>>(path);
      const { total } = tierOf(offers[0] as Offer, 'premium').fiat;
      expect(body).to.include({ persona: 'business', letters: 3, accepted: 3, avg_spend: total });
      expect(body.preferred_tiers).to.deep.equal({ economy: 0, standard: 0, premium: 1 });
      expect(body.intents.transactional).to.equal(3);
      expect(body.because.length).to.be.greaterThan(1);
      const [first, next] = [offers[0] as Offer, await offerTo(eve)];
      expect(next.recommended).to.equal('premium');
      expect(next.tiers).to.deep.equal(first.tiers);
    });

    it('says how many of the accepted offers were of the tier that was accepted most', async () => {
      const eve = await client.register();
      const path = `/api/anp/profiles/${eve.account.account_id}`;
      const because = async () =>
        (await eve.get<Static<typeof Profile>>(path)).body.because.join('\n');
      const { commitment } = await commit(eve, german, 'economy');
      await sendWith(eve, commitment.commitment_id);
      expect((await because()).split('\n')).to.deep.equal([
        'persona business: the intent of the only letter.',
        'avg_spend and intents: of the only letter that was sent.',
        'preferred_tiers: the only accepted offer was economy.',
      ]);
      await commit(eve, german, 'premium');
      expect(await because()).to.include('of the last 2 accepted offers, 50 % were ');
      await commit(eve, german, 'premium');
      expect(await because()).to.include('of the last 3 accepted offers, 67 % were premium.');
    });

    it('needs a key of full scope', async () => {
      const path = `/api/anp/profiles/${ada.account.account_id}`;
      for (const scope of ['read', 'send']) {
        const { body } = await ada.post<{ api_key: string }>('/auth/keys', { label: scope, scope });
        const refused = await client.call('GET', path, undefined, { key: body.api_key });
        expect(refused.status).to.equal(403);
        expect(refused.body).to.include({ code: 'scope_insufficient', required_scope: 'full' });
      }
    });

    it('is its owner’s alone, by account or DID', async () => {
      const { did } = (await ada.post<{ did: string }>('/api/identity/did', {})).body;
      expect((await ada.get(`/api/anp/profiles/${did}`)).status).to.equal(200);
      for (const id of [did, ada.account.account_id, 'did:key:z6MkNobody', 'acct_none']) {
        const answer = await bob.get(`/api/anp/profiles/${id}`);
        expect(answer.body).to.include({ status: 404, code: 'profile_not_found' });
      }
      expect((await client.call('GET', `/api/anp/profiles/${did}`)).status).to.equal(401);
    });
  });
});
