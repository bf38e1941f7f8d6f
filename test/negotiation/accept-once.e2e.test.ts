/** One Idempotency-Key accepts one offer, on every store. */
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
  describe(`accepting offers with the log in ${kind}`, function () {
    this.timeout(120_000);
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
  });
}
