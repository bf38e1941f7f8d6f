/** One Idempotency-Key accepts one offer and changes one letter, on every store. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Offer } from '../../identity/offers.ts';
import { clientOf, expectProblem } from '../support/client.ts';
import {
  type EventStoreDbServer,
  startEventStoreDbServer,
} from '../support/eventstoredb-server.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { registerAccount } from '../support/some-letters.ts';

for (const kind of ['postgres', 'eventstoredb']) {
  describe(`one Idempotency-Key with the log in ${kind}`, function () {
    this.timeout(180_000);
    let server: EventStoreDbServer | undefined;
    let service: TestService;
    before(async () => {
      server = kind === 'postgres' ? undefined : await startEventStoreDbServer();
      service = await startTestService(
        server ? { EVENT_STORE: kind, EVENTSTORE_URL: server.connectionString } : {},
      );
    });
    after(async () => {
      await service.stop();
      await server?.close();
    });

    it('refuses to accept a second offer under the key of the first', async () => {
      const key = await registerAccount(service.url);
      const { call } = clientOf(() => service);
      const offer = async () => {
        const wish = { intent: 'transactional', to_country: 'DE' };
        return (await call<Offer>('POST', '/api/anp/offer', wish, { key })).body.offer_id;
      };
      const headers = { 'Idempotency-Key': randomUUID() };
      const accept = (offer_id: string, more = headers) =>
        call<object>(
          'POST',
          '/api/anp/accept',
          { offer_id, tier: 'economy' },
          { key, headers: more },
        );
      const [first, second] = [await offer(), await offer()];
      const accepted = await accept(first);
      expect(accepted.status, accepted.text).to.equal(201);
      expectProblem(await accept(second), 422, 'idempotency_key_reused');
      expect((await accept(first)).body).to.deep.equal(accepted.body);
      const other = await accept(second, { 'Idempotency-Key': randomUUID() });
      expect(other.status, other.text).to.equal(201);
    });

    it('refuses to change a second letter under the key of the first', async () => {
      const client = clientOf(() => service).as(await registerAccount(service.url));
      for (const path of [
        (id: string) => `/api/letters/${id}/cancel`,
        (id: string) => `/api/letters/${id}/tracking-link`,
        (id: string) => `/api/identity/audit/${id}/link`,
      ]) {
        const [first, second] = [await client.send(), await client.send()];
        const headers = { 'Idempotency-Key': randomUUID() };
        const change = ({ letter_id: id }: { letter_id: string }) =>
          client.post(path(id), {}, headers);
        const changed = await change(first);
        expect(changed.status, changed.text).to.be.oneOf([200, 201]);
        expectProblem(await change(second), 422, 'idempotency_key_reused');
        expect((await change(first)).status).to.equal(changed.status);
      }
    });

    it('accepts one of two offers that two processes are asked to accept under one key at once', async () => {
      const { databaseUrl, dataDir } = service;
      const log: Record<string, string> = server
        ? { EVENT_STORE: kind, EVENTSTORE_URL: server.connectionString }
        : {};
      const second = await startTestService({
        ...log,
        DATABASE_URL: databaseUrl,
        DATA_DIR: dataDir,
      });
      try {
        const key = await registerAccount(service.url);
        const [one, other] = [clientOf(() => service), clientOf(() => second)];
        const offer = async () => {
          const wish = { intent: 'transactional', to_country: 'DE' };
          return (await one.call<Offer>('POST', '/api/anp/offer', wish, { key })).body.offer_id;
        };
        for (let round = 0; round < 5; round++) {
          const headers = { 'Idempotency-Key': randomUUID() };
          const offers = [await offer(), await offer()];
          const answers = await Promise.all(
            [one, other].map(({ call }, index) =>
              call(
                'POST',
                '/api/anp/accept',
                { offer_id: offers[index], tier: 'economy' },
                { key, headers },
              ),
            ),
          );
          const accepted = answers.filter(({ status }) => status === 201);
          expect(accepted, answers.map(({ text }) => text).join('\n')).to.have.length(1);
          const refused = answers.find(({ status }) => status !== 201);
          expect(refused?.body.code).to.equal('idempotency_key_reused');
        }
      } finally {
        await second.stop();
      }
    });
  });
}
