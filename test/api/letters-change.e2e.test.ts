import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import {
  expectProblem,
  type Letter,
  letterTo,
  type NotificationJson,
  type PageOf,
  recipientIn,
  until,
  useService,
} from '../support/client.ts';

const cents = (amount: number): number => Math.round(amount * 100);

describe('changing letters over HTTP', () => {
  const api = useService();
  type Client = Awaited<ReturnType<typeof api.register>>;
  let client: Client;
  beforeEach(async () => {
    client = await api.register();
  });
  const pathOf = (letterId: string): string => `/api/letters/${letterId}`;
  const cancel = (letterId: string, headers?: Record<string, string>) =>
    client.post<Letter>(`${pathOf(letterId)}/cancel`, undefined, headers);
  const patch = (letterId: string, body: object, headers?: Record<string, string>) =>
    client.patch<Letter>(pathOf(letterId), body, headers);

  describe('PATCH', () => {
    it('changes recipient, reference and metadata, and answers with the letter', async () => {
      const { letter_id } = await client.send({ reference: 'a', metadata: { k: 'v' } });
      const before = await client.letter(letter_id);
      const changes = {
        to_name: 'Berta Müller',
        to_company: 'Müller GmbH',
        reference: 'b',
        metadata: { other: 'w' },
      };
      const changed = await patch(letter_id, changes);
      expect(changed.status, changed.text).to.equal(200);
      expect(changed.headers.get('etag')).to.equal('"1"');
      expect(changed.body).to.deep.equal({
        ...before,
        ...changes,
        warnings: [],
        documents: changed.body.documents,
        updated_at: changed.body.updated_at,
      });
      expect(await client.letter(letter_id)).to.deep.equal(changed.body);
      expect((await client.balance()).held).to.equal(before.price.total);
      const listed = async (query: string) =>
        (await client.get<PageOf<Letter>>(`/api/letters?${query}`)).body.data.length;
      expect(await listed('reference=a')).to.equal(0);
      expect(await listed('reference=b')).to.equal(1);
      expect(await listed('metadata[k]=v')).to.equal(0);
      expect(await listed('metadata[other]=w')).to.equal(1);
    });

    it('removes what is set to null', async () => {
      const { letter_id } = await client.send({
        reference: 'a',
        to_line2: 'Hof',
        metadata: { k: 'v' },
      });
      const changed = await patch(letter_id, { reference: null, to_line2: null, metadata: null });
      expect(changed.body).to.deep.include({ reference: null, to_line2: null, metadata: {} });
    });

    it('settles the difference when the letter gets dearer or cheaper', async () => {
      const { letter_id, price } = await client.send();
      const totals = [price.total];
      for (const country of ['US', 'GB', 'FR', 'CA', 'DE'] as const) {
        const changed = await patch(letter_id, recipientIn(country));
        expect(changed.status, changed.text).to.equal(200);
        const { total, postage, printing, handling } = changed.body.price;
        expect(cents(postage) + cents(printing) + cents(handling)).to.equal(cents(total));
        expect(changed.body.service.startsWith(country.toLowerCase())).to.equal(true);
        expect(changed.body.to_country).to.equal(country);
        const held = { held: total, available: (10_000 - cents(total)) / 100, balance: 100 };
        expect(await client.balance()).to.include(held);
        totals.push(total);
      }
      expect(new Set(totals).size).to.be.above(2);
      await cancel(letter_id);
      expect(await client.balance()).to.include({ balance: 100, available: 100, held: 0 });
    });

    for (const draft of [false, true]) {
      it(`costs no more than max_total (${draft ? 'draft' : 'queued'})`, async () => {
        const { available } = await client.balance();
        const { letter_id } = await client.send(letterTo('DE', { draft }));
        let before = await client.letter(letter_id);
        for (const country of ['US', 'GB', 'FR', 'CA', 'DE'] as const) {
          const change = (max_total: number) =>
            patch(letter_id, { ...recipientIn(country), max_total });
          const refused = await change(0);
          expectProblem(refused, 402, 'max_total_exceeded');
          const { total } = refused.body as unknown as { total: number };
          expectProblem(await change((cents(total) - 1) / 100), 402, 'max_total_exceeded');
          expect(await client.letter(letter_id)).to.deep.equal(before);
          const changed = await change(total);
          expect(changed.status, changed.text).to.equal(200);
          expect(changed.body.price.total).to.equal(total);
          before = await client.letter(letter_id);
        }
        await cancel(letter_id);
        expect((await client.balance()).available).to.equal(available);
      });
    }

    it('charges the supplement of a heavy letter that goes overseas instead, and pays it back', async () => {
      const inParis = { to_postal_code: '75002', to_city: 'Paris' };
      const overseas = { to_postal_code: '97110', to_city: 'Pointe-à-Pitre' };
      const heavy = {
        ...inParis,
        content: 'Une ligne\n'.repeat(1_200),
        service: 'fr_lettre_verte',
        duplex: false,
      };
      const { letter_id, price } = await client.send(letterTo('FR', heavy));
      const there = await patch(letter_id, overseas);
      expect(there.body.price.postage, there.text).to.be.above(price.postage + 0.5);
      const back = await patch(letter_id, inParis);
      expect(back.body.price).to.deep.equal(price);
      expect(await client.balance()).to.include({ held: price.total });
      const light = await client.send(letterTo('FR', inParis));
      const far = await patch(light.letter_id, overseas);
      expect(far.body.price).to.deep.equal(light.price);
    });

    it('refuses a change that the wallet does not cover, and changes nothing', async () => {
      const live = await api.register('live');
      const { accounts } = api.service().service.foundation.commands;
      const credit = { bucket: 'fiat' as const, amountMicro: 4_490_000n, reference: 'bank 1' };
      const actor = { commandId: randomUUID(), actor: 'operator' };
      await accounts.credit(live.account.account_id, credit, actor);
      const { letter_id } = await live.send();
      const before = await live.letter(letter_id);
      const dearer = await live.patch(pathOf(letter_id), recipientIn('US'));
      expectProblem(dearer, 402, 'insufficient_funds');
      expect(await live.letter(letter_id)).to.deep.equal(before);
      expect(await live.balance()).to.include({ balance: 4.49, available: 0, held: 4.49 });
    });

    it('says how much more a change costs than the wallet has', async () => {
      const live = await api.register('live');
      const { accounts } = api.service().service.foundation.commands;
      const credit = { bucket: 'fiat' as const, amountMicro: 5_000_000n, reference: 'bank 1' };
      const actor = { commandId: randomUUID(), actor: 'operator' };
      await accounts.credit(live.account.account_id, credit, actor);
      const { letter_id, price } = await live.send();
      const refused = await live.patch(pathOf(letter_id), recipientIn('CA'));
      const { detail, ...known } = expectProblem(refused, 402, 'insufficient_funds');
      const { total, additional } = known as unknown as { total: number; additional: number };
      expect(cents(total)).to.equal(cents(price.total) + cents(additional));
      expect(known).to.include({ available: 0.51 });
      expect(detail).to.equal(
        `The change costs $${additional.toFixed(2)} more, but the wallet has only $0.51 available. Top up the wallet and change the letter again.`,
      );
      await accounts.credit(
        live.account.account_id,
        {
          ...credit,
          amountMicro: BigInt(cents(additional) * 10_000) - 510_000n,
          reference: 'bank 2',
        },
        { ...actor, commandId: randomUUID() },
      );
      const changed = await live.patch<Letter>(pathOf(letter_id), recipientIn('CA'));
      expect(changed.body.price.total, changed.text).to.equal(total);
    });

    it('checks the new address, naming the field', async () => {
      const { letter_id } = await client.send();
      const before = await client.letter(letter_id);
      const cases: [object, string, string][] = [
        [{ to_postal_code: '1' }, 'address_invalid', '/to_postal_code'],
        [{ to_country: 'GB' }, 'address_invalid', '/to_postal_code'],
        [{ to_city: '\u0007' }, 'address_invalid', '/to_city'],
        [{ to_name: '' }, 'validation_failed', '/to_name'],
        [{ to_name: null }, 'validation_failed', '/to_name'],
        [{ to_country: 'IT' }, 'validation_failed', '/to_country'],
        [{ reference: 'x'.repeat(121) }, 'validation_failed', '/reference'],
        [{ content: 'new' }, 'validation_failed', '/content'],
        [{ from_name: 'new' }, 'validation_failed', '/from_name'],
        [{}, 'validation_failed', ''],
      ];
      for (const [body, code, pointer] of cases) {
        expectProblem(await patch(letter_id, body), 422, code as 'validation_failed', pointer);
      }
      expect(await client.letter(letter_id)).to.deep.equal(before);
    });

    it('does not doubt again an address that was accepted as it is', async () => {
      const asIs = letterTo('FR', { to_postal_code: '7500', accept_address_as_is: true });
      const { letter_id } = await client.send(asIs);
      expect((await patch(letter_id, { reference: 'x' })).status).to.equal(200);
      const { to_name, to_line1, to_postal_code, to_city, to_country } = asIs;
      const same = { to_name, to_line1, to_postal_code, to_city, to_country, to_line2: null };
      const repeated = await patch(letter_id, { ...same, reference: 'y' });
      expect(repeated.status, repeated.text).to.equal(200);
      const moved = await patch(letter_id, { to_line1: '13 rue de la Paix' });
      expectProblem(moved, 422, 'address_invalid', '/to_postal_code');
      const insisted = { to_line1: '13 rue de la Paix', accept_address_as_is: true };
      expect((await patch(letter_id, insisted)).status).to.equal(200);
    });

    it('takes no state into another country that has the same postal code', async () => {
      const place = { to_city: 'New York', to_state: 'NY', to_postal_code: '10115' };
      const { letter_id } = await client.send(letterTo('US', place));
      const berlin = { to_country: 'DE', to_city: 'Berlin', to_postal_code: '10115' };
      const moved = await patch(letter_id, berlin);
      expect(moved.status, moved.text).to.equal(200);
      expect(moved.body).to.include({ ...berlin, to_state: null });
    });

    it('does not check the sender again when only the recipient changes', async () => {
      const sender = { from_postal_code: '00000', from_state: 'NY' };
      const asIs = letterTo('DE', { ...sender, accept_address_as_is: true });
      const { letter_id, warnings } = await client.send(asIs);
      const renamed = await patch(letter_id, { to_name: 'Berta Müller' });
      expect(renamed.status, renamed.text).to.equal(200);
      expect(renamed.body).to.include({ to_name: 'Berta Müller', ...sender });
      const aboutSender = warnings.filter(({ pointer }) => pointer.startsWith('/from_'));
      expect(aboutSender).to.not.deep.equal([]);
      expect(renamed.body.warnings).to.deep.include.members(aboutSender);
      const wrong = await patch(letter_id, { to_postal_code: '1' });
      expectProblem(wrong, 422, 'address_invalid', '/to_postal_code');
    });

    it('leaves a letter as it is when nothing differs', async () => {
      const { letter_id } = await client.send({ reference: 'a' });
      const same = await patch(letter_id, { reference: 'a', to_name: 'Anna Müller' });
      expect(same.status).to.equal(200);
      expect(same.headers.get('etag')).to.equal('"0"');
    });

    it('changes a draft for free', async () => {
      const { letter_id } = await client.send({ draft: true });
      const changed = await patch(letter_id, recipientIn('US'));
      expect(changed.body).to.include({ status: 'draft', to_country: 'US' });
      expect(await client.balance()).to.include({ available: 100, held: 0 });
    });

    it('is refused from processing on, naming the state', async () => {
      const { letter_id } = await client.send();
      for (const to of ['processing', 'posted', 'in_transit', 'delivered'] as const) {
        await client.advance(letter_id, { to });
        const refused = await patch(letter_id, { reference: 'x' });
        const problem = expectProblem(refused, 409, 'letter_not_updatable');
        expect(problem).to.include({ letter_status: to });
      }
    });
  });

  it('takes a letter by its id in upper case, as reading does', async () => {
    const { letter_id } = await client.send({ draft: true });
    const id = letter_id.toUpperCase();
    const read = await client.get<Letter>(pathOf(id));
    expect([read.status, read.body.letter_id]).to.deep.equal([200, letter_id]);
    const changed = await patch(id, { reference: 'a' });
    expect(changed.status, changed.text).to.equal(200);
    const sent = await client.post('/api/send', { letter_id: id });
    expect(sent.status, sent.text).to.equal(201);
    const linked = await client.post(`/api/letters/${id}/tracking-link`);
    expect(linked.status, linked.text).to.equal(201);
    for (const path of [`/api/track/${id}`, `/api/proof/${id}`, `/api/identity/audit/${id}`]) {
      expect((await client.get(path)).status, path).to.equal(200);
    }
    type Notified = PageOf<NotificationJson>;
    await until(async () => {
      const { body } = await client.get<Notified>(`/api/notifications?letter_id=${id}`);
      return body.data.length > 0;
    });
    const cancelled = await cancel(id);
    expect(cancelled.status, cancelled.text).to.equal(200);
    const { body: deleted, status } = await client.delete(pathOf(id));
    expect([status, deleted]).to.deep.equal([200, { letter_id, deleted: true }]);
  });

  describe('If-Match', () => {
    it('lets the change of another version not happen', async () => {
      const { letter_id } = await client.send();
      const stale = { 'If-Match': '"0"' };
      const first = await patch(letter_id, { reference: 'one' }, stale);
      expect(first.status).to.equal(200);
      expectProblem(await patch(letter_id, { reference: 'two' }, stale), 412, 'version_mismatch');
      expectProblem(await cancel(letter_id, stale), 412, 'version_mismatch');
      const current = { 'If-Match': first.headers.get('etag') ?? '' };
      const cancelled = await cancel(letter_id, current);
      expect(cancelled.status).to.equal(200);
      expectProblem(await client.delete(pathOf(letter_id), current), 412, 'version_mismatch');
      const last = { 'If-Match': cancelled.headers.get('etag') ?? '' };
      expect((await client.delete(pathOf(letter_id), last)).status).to.equal(200);
      expect(await client.balance()).to.include({ available: 100, held: 0 });
    });

    it('lets one of several changes at once win', async () => {
      const { letter_id } = await client.send();
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, index) =>
          patch(letter_id, { reference: `try ${index}` }, { 'If-Match': '"0"' }),
        ),
      );
      const won = answers.filter(({ status }) => status === 200);
      expect(won).to.have.length(1);
      for (const { status } of answers) expect(status).to.be.oneOf([200, 409, 412]);
      expect((await client.letter(letter_id)).reference).to.equal(won[0]?.body.reference);
    });

    it('must be an ETag', async () => {
      const { letter_id } = await client.send();
      for (const tag of ['x', '"x"', '"-1"', '1, 2', `"${'9'.repeat(30)}"`]) {
        const answer = await patch(letter_id, { reference: 'x' }, { 'If-Match': tag });
        expectProblem(answer, 400, 'invalid_header');
      }
    });
  });

  describe('cancelling', () => {
    it('gives back to the cent what a queued letter held, once', async () => {
      const { letter_id, price } = await client.send();
      const first = await cancel(letter_id);
      expect(first.status).to.equal(200);
      expect(first.body).to.include({ letter_id, status: 'cancelled' });
      expect(first.body.cancellation).to.include({ status: 'accepted', reason: null });
      expect(first.body.abilities).to.deep.equal({
        update: false,
        cancel: false,
        delete: true,
        send: false,
      });
      const second = await cancel(letter_id);
      expect(second.text).to.equal(first.text);
      const { transactions, ...balance } = await client.balance();
      expect(balance).to.include({ balance: 100, available: 100, held: 0 });
      expect(transactions.map(({ type, amount }) => [type, amount])).to.deep.equal([
        ['release', price.total],
        ['hold', -price.total],
        ['credit', 100],
      ]);
    });

    it('gives one refund however many ask at once', async () => {
      const { letter_id } = await client.send();
      const answers = await Promise.all(Array.from({ length: 8 }, () => cancel(letter_id)));
      for (const { status, text } of answers) expect(status, text).to.equal(200);
      expect(new Set(answers.map(({ text }) => text)).size).to.equal(1);
      await until(async () => (await client.balance()).held === 0);
      const { available, transactions } = await client.balance();
      expect(available).to.equal(100);
      expect(transactions.filter(({ type }) => type === 'release')).to.have.length(1);
    });

    it('cancels a draft, which cost nothing', async () => {
      const { letter_id } = await client.send({ draft: true });
      expect((await cancel(letter_id)).body.status).to.equal('cancelled');
      expect((await client.balance()).transactions).to.have.length(1);
    });

    it('asks the print partner once the letter is in production', async () => {
      const { letter_id, price } = await client.send();
      await client.advance(letter_id);
      const asked = await cancel(letter_id);
      expect(asked.status).to.equal(202);
      expect(asked.body.status).to.equal('processing');
      expect(asked.body.cancellation).to.include({ status: 'requested' });
      // The simulator gives it back
      await until(async () => (await client.letter(letter_id)).status === 'cancelled');
      const second = await cancel(letter_id);
      expect(second.status).to.equal(200);
      expect(second.body.cancellation).to.include({ status: 'accepted' });
      await until(async () => (await client.balance()).available === 100);
      const { transactions } = await client.balance();
      const refunds = transactions.filter(({ type }) => type === 'refund');
      expect(refunds.map(({ amount }) => amount)).to.deep.equal([price.total]);
    });

    it('is refused once the letter is posted, naming the state', async () => {
      const { letter_id } = await client.send();
      for (const to of ['posted', 'in_transit', 'delivered'] as const) {
        await client.advance(letter_id, { to });
        const problem = expectProblem(await cancel(letter_id), 409, 'letter_not_cancellable');
        expect(problem).to.include({ letter_status: to });
        expect(problem.detail).to.contain(to);
      }
      const failed = (await client.send()).letter_id;
      await client.advance(failed, { event: 'failed' });
      expectProblem(await cancel(failed), 409, 'letter_not_cancellable');
    });
  });

  describe('deleting', () => {
    const secret = { to_name: 'Zacharias Geheim', content: 'Vertraulich', reference: 'geheim-1' };

    it('erases what is personal; the letter is gone for its owner', async () => {
      const kept = await client.send();
      const { letter_id } = await client.send({ ...secret, metadata: { k: 'geheim-2' } });
      await cancel(letter_id);
      const { body: deleted, status } = await client.delete(pathOf(letter_id));
      expect(status).to.equal(200);
      expect(deleted).to.deep.equal({ letter_id, deleted: true });
      const track = `/api/track/${letter_id}`;
      const pages = [`${pathOf(letter_id)}/preview/1.png`, `${pathOf(letter_id)}/document.pdf`];
      for (const path of [pathOf(letter_id), track, ...pages]) {
        const answer = await client.get(path);
        expectProblem(answer, 410, 'letter_deleted');
        for (const text of [...Object.values(secret), 'geheim-2', 'Lindenstraße', '5th']) {
          expect(answer.text).not.to.contain(text);
        }
      }
      const queries = ['', 'status=cancelled', 'status=queued&status=cancelled', 'country=DE'];
      for (const query of [...queries, `reference=${secret.reference}`, 'metadata[k]=geheim-2']) {
        const { body } = await client.get<PageOf<Letter>>(`/api/letters?${query}`);
        expect(body.data.map((one) => one.letter_id)).not.to.include(letter_id);
      }
      const { body: all } = await client.get<PageOf<Letter>>('/api/letters');
      expect(all.data.map((one) => one.letter_id)).to.deep.equal([kept.letter_id]);
    });

    it('leaves of its notifications that it was deleted', async () => {
      const kept = await client.send();
      const { letter_id } = await client.send(secret);
      await cancel(letter_id);
      await client.delete(pathOf(letter_id));
      const typesOf = async (query: string) => {
        const { body } = await client.get<PageOf<NotificationJson>>(`/api/notifications?${query}`);
        return body.data.map(({ type, letter_id: id }) => [type, id]);
      };
      await until(async () => (await typesOf('')).some(([type]) => type === 'letter.deleted'));
      expect(await typesOf(`letter_id=${letter_id}`)).to.deep.equal([
        ['letter.deleted', letter_id],
      ]);
      const letters = (await typesOf('')).filter(([type]) => type?.startsWith('letter.'));
      expect(letters).to.deep.equal([
        ['letter.deleted', letter_id],
        ['letter.queued', kept.letter_id],
      ]);
    });

    it('keeps its audit history, proof and credentials', async () => {
      const { letter_id } = await client.send(secret);
      await cancel(letter_id);
      await client.delete(pathOf(letter_id));
      type Audit = { events: { type: string }[] };
      const historyOf = async () =>
        (await client.get<Audit>(`/api/identity/audit/${letter_id}`)).body.events;
      const names = ['letter.queued', 'letter.cancelled', 'letter.erased'];
      expect((await historyOf()).map(({ type }) => type)).to.deep.equal(names);
      type Proof = { document: { salt: null }; credentials: string[] };
      const proof = await client.get<Proof>(`/api/proof/${letter_id}`);
      expect(proof.status).to.equal(200);
      expect(proof.body.document.salt).to.equal(null);
      await until(
        async () =>
          (await client.get<Proof>(`/api/proof/${letter_id}`)).body.credentials.length === 3,
      );
    });

    it('is gone for nobody else: another account is told that there is no such letter', async () => {
      const { letter_id } = await client.send({ draft: true });
      await client.delete(pathOf(letter_id));
      const other = await api.register();
      expectProblem(await other.get(pathOf(letter_id)), 404, 'letter_not_found');
      expectProblem(await other.delete(pathOf(letter_id)), 404, 'letter_not_found');
    });

    it('is possible for drafts and failed letters, and answers twice the same', async () => {
      const draft = (await client.send({ draft: true })).letter_id;
      const failed = (await client.send()).letter_id;
      await client.advance(failed, { event: 'failed' });
      for (const id of [draft, failed]) {
        const first = await client.delete(pathOf(id));
        expect(first.status).to.equal(200);
        expect((await client.delete(pathOf(id))).text).to.equal(first.text);
      }
      expect(await client.balance()).to.include({ balance: 100, available: 100, held: 0 });
    });

    it('is refused in every other state, naming it', async () => {
      const { letter_id } = await client.send();
      const refused = async (status: string) => {
        const problem = expectProblem(
          await client.delete(pathOf(letter_id)),
          409,
          'letter_not_deletable',
        );
        expect(problem).to.include({ letter_status: status });
      };
      await refused('queued');
      for (const to of ['processing', 'posted', 'in_transit', 'delivered'] as const) {
        await client.advance(letter_id, { to });
        await refused(to);
      }
    });

    it('leaves nothing to change', async () => {
      const { letter_id } = await client.send({ draft: true });
      await client.delete(pathOf(letter_id));
      expectProblem(await patch(letter_id, { reference: 'x' }), 410, 'letter_deleted');
      expectProblem(await cancel(letter_id), 410, 'letter_deleted');
    });

    it('leaves nothing to cancel or to move, whatever it was before', async () => {
      const { letter_id } = await client.send();
      await cancel(letter_id);
      await client.delete(pathOf(letter_id));
      expectProblem(await cancel(letter_id), 410, 'letter_deleted');
      const advanced = await client.post(`/api/test/letters/${letter_id}/advance`, {});
      expectProblem(advanced, 410, 'letter_deleted');
    });
  });
});
