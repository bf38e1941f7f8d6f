import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Position } from '../../events/event-store.ts';
import { clientOf, expectProblem, type ProblemJson, until } from '../support/client.ts';
import { type Asked, idempotentRequests, type World } from '../support/idempotent-requests.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { type StripeServer, startStripe } from '../support/stripe-server.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

describe('each operation that takes an Idempotency-Key', function () {
  this.timeout(180_000);
  let stripe: StripeServer;
  let receiver: WebhookReceiver;
  let service: TestService;
  const { call, register } = clientOf(() => service);
  before(async () => {
    stripe = await startStripe();
    receiver = await startWebhookReceiver();
    service = await startTestService({
      ALLOW_PRIVATE_FETCH: 'true',
      ...stripe.env,
    });
  });
  after(async () => {
    await service?.stop();
    await receiver?.stop();
    await stripe?.stop();
  });

  const world = async (): Promise<World> => {
    const [test, another] = [await register(), await register()];
    const live = await register('live');
    await test.put('/api/settings', { webhook_url: receiver.url });
    return { service, test, another, live, hook: receiver.url };
  };

  const ask = ({ method = 'POST', path, body, key }: Asked, idempotencyKey: string) =>
    call<ProblemJson>(method, path, body, {
      ...(key === undefined ? {} : { key }),
      headers: { 'Idempotency-Key': idempotencyKey },
    });

  /**
   * The types of the events after this position of the log that callers caused. A payment that was undone
   * counts as nothing; who undoes the rest of it, the caller or a reactor, is a matter of time.
   */
  const causedAfter = async (after: Position): Promise<string> => {
    let types: string[] = [];
    await until(async () => {
      const events = await service.service.foundation.storage.store.readAll({ after });
      const undone = events.some(({ type }) => type === 'SendAbandoned');
      types = events
        .filter(({ type, metadata }) =>
          undone && type === 'FundsReleased'
            ? true
            : !JSON.parse(metadata).actor.startsWith('reactor:'),
        )
        .map(({ type }) => type);
      return !undone || types.includes('FundsReleased');
    });
    return types.join().replace(/^FundsReserved,SendAbandoned,FundsReleased$/, '');
  };

  it('is tested here', () => {
    const { operations } = service.service;
    const names = operations.filter(({ idempotent }) => idempotent).map(({ name }) => name);
    expect(Object.keys(idempotentRequests)).to.have.members(names);
  });

  for (const [name, requestsOf] of Object.entries(idempotentRequests)) {
    it(`answers a repetition as at first and refuses another body: ${name}`, async () => {
      const requests = [await requestsOf(await world())].flat();
      for (const { first, other } of requests) {
        const key = randomUUID();
        const answered = await ask(first, key);
        expect(answered.status, answered.text).to.be.oneOf([200, 201, 202]);
        expect(answered.headers.get('idempotent-replayed')).to.equal(null);
        const expectRepeated = async () => {
          const again = await ask(first, key);
          expect([again.status, again.text]).to.deep.equal([answered.status, answered.text]);
          expect(again.headers.get('idempotent-replayed')).to.equal('true');
        };
        const done = await service.service.foundation.storage.store.head();
        await expectRepeated();
        if (other) expectProblem(await ask(other, key), 422, 'idempotency_key_reused');
        await expectRepeated();
        expect(await causedAfter(done)).to.equal('');
        if (!other) continue;
        const fresh = await ask(other, randomUUID());
        expect(fresh.body?.code, fresh.text).not.to.equal('idempotency_key_reused');
        expect(fresh.body?.code, fresh.text).not.to.equal('validation_failed');
      }
    });
  }
});
