import { expect } from 'chai';
import fc from 'fast-check';
import { inXdai, jsonInteger, prices } from '../../agent-api/mech/actions.ts';
import { createCommandHandler } from '../../commands/handling/handle.ts';
import {
  countRequest,
  initialState as newDay,
  evolve as passDay,
  uncountRequest,
} from '../../commands/mech/daily-cap.ts';
import {
  type Claim,
  claimRequest,
  evolve,
  initialState,
  type MechRequest,
  mechRequestAggregate,
  refuseRequest,
  serveRequest,
} from '../../commands/mech/request.ts';
import { createMechRequests } from '../../commands/mech/requests.ts';
import { isAppError } from '../../contract/errors.ts';
import type { EventStore } from '../../events/event-store.ts';
import { letterStream } from '../../events/letter.ts';
import { chainIdOf, mechDayStream, mechRequestKey } from '../../events/mech.ts';
import { createMemoryDataKeys } from '../support/memory-data-keys.ts';
import { createMemoryEventStore } from '../support/memory-event-store.ts';

const claim: Claim = {
  requestKey: '0b6b7f0e-0000-5000-8000-000000000001',
  accountId: 'acct_mech',
  test: false,
  action: 'send',
  requestHash: 'a'.repeat(43),
  priceWei: '20000000000000000',
  proof: 'coordinator',
  day: '2026-11-22',
  letterId: '0b6b7f0e-0000-5000-8000-000000000002',
};
const at = '2026-11-22T10:00:00.000Z';
type Step = (state: MechRequest) => ReturnType<typeof claimRequest>;

const told = (...steps: Step[]): { state: MechRequest; types: string[] } => {
  let state = initialState();
  const types: string[] = [];
  for (const step of steps) {
    for (const event of step(state)) {
      types.push(event.type);
      state = evolve(state, event, at);
    }
  }
  return { state, types };
};

const claimed: Step = (state) => claimRequest(state, { type: 'ClaimRequest', claim });
const served: Step = (state) =>
  serveRequest(state, { type: 'ServeRequest', letterId: claim.letterId ?? '' });
const refused: Step = (state) => refuseRequest(state, { type: 'RefuseRequest', code: 'given_up' });

describe('a request through the mech', () => {
  it('is claimed and served once, however often it is repeated', () => {
    const { types } = told(claimed, claimed, served, claimed, served, refused);
    expect(types).to.deep.equal(['MechRequestClaimed', 'MechRequestServed']);
  });

  it('can be claimed again after it was refused, and served after it was given up', () => {
    expect(told(claimed, refused, claimed, served).types).to.have.length(4);
    expect(told(claimed, refused, served).state.status).to.equal('served');
  });

  it('is never another request, nor that of another account', () => {
    const { state } = told(claimed);
    for (const other of [{ requestHash: 'b'.repeat(43) }, { accountId: 'acct_other' }]) {
      expect(() =>
        claimRequest(state, { type: 'ClaimRequest', claim: { ...claim, ...other } }),
      ).to.throw('request_id belongs to another');
    }
  });

  it('may be corrected once it was refused, but not once it was given up, nor into another action', () => {
    const other: Claim = { ...claim, requestHash: 'b'.repeat(43) };
    const corrected: Step = (state) => claimRequest(state, { type: 'ClaimRequest', claim: other });
    const invalid: Step = (state) =>
      refuseRequest(state, { type: 'RefuseRequest', code: 'address_invalid' });
    expect(told(claimed, invalid, corrected, served).state).to.deep.include({ claim: other });
    for (const steps of [[claimed, refused], [claimed], [claimed, invalid, corrected, served]]) {
      expect(() => told(...steps, claimed, corrected)).to.throw('request_id belongs to another');
    }
    const { state } = told(claimed, invalid);
    for (const more of [{ action: 'track' as const }, { accountId: 'acct_other' }]) {
      const wanted = { ...other, ...more };
      expect(() => claimRequest(state, { type: 'ClaimRequest', claim: wanted })).to.throw(
        'belongs to another',
      );
    }
    // The first body is refused a second time, when the other one has the id.
    const late: Step = (now) =>
      refuseRequest(now, {
        type: 'RefuseRequest',
        code: 'address_invalid',
        requestHash: claim.requestHash,
      });
    expect(told(claimed, invalid, corrected, late).state.status).to.equal('claimed');
  });

  it('is owed once, whatever is done in whatever order', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(claimed, served, refused), { maxLength: 30 }),
        (steps) => {
          const { types } = told(claimed, ...steps);
          const owed = types.filter((type) => type === 'MechRequestServed').length;
          expect(owed).to.equal(steps.includes(served) ? 1 : 0);
        },
      ),
    );
  });
});

describe('the cap of a day', () => {
  const caps = { letters: 3, wei: 100_000_000_000_000_000n };
  const nowMs = Date.parse(at);

  it('holds for any order of requests, and counts each once', () => {
    const one = fc.record({
      n: fc.integer({ min: 0, max: 9 }),
      action: fc.constantFrom('send' as const, 'track' as const),
      gone: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(one, { maxLength: 60 }), (steps) => {
        let day = newDay();
        for (const { n, action, gone } of steps) {
          const wanted = { ...claim, requestKey: `${n}`, action, priceWei: String(prices[action]) };
          try {
            const events = gone
              ? uncountRequest(day, wanted)
              : countRequest(day, wanted, { caps, nowMs });
            day = events.reduce(passDay, day);
          } catch (error) {
            expect(isAppError(error) && error.code).to.equal('mech_cap_reached');
          }
          const counted = [...day.counted.values()];
          expect(day.sum.letters).to.equal(counted.reduce((sum, { letters }) => sum + letters, 0));
          expect(day.sum.wei).to.equal(counted.reduce((sum, { wei }) => sum + wei, 0n));
          expect(day.sum.letters).to.be.at.most(caps.letters);
          expect(day.sum.wei <= caps.wei).to.equal(true);
        }
      }),
    );
  });

  it('says how long it is until the next one', () => {
    const full = { caps: { letters: 0, wei: 0n }, nowMs: Date.parse('2026-11-22T23:59:30Z') };
    try {
      countRequest(newDay(), claim, full);
      expect.fail('it counted');
    } catch (error) {
      expect(isAppError(error) && error.headers).to.deep.equal({ 'Retry-After': '30' });
    }
  });
});

describe('the answer to a request', () => {
  it('that an earlier version kept is given again until its letter is erased', async () => {
    const dataKeys = createMemoryDataKeys();
    const clock = () => Date.parse(at);
    const handler = createCommandHandler({ store: createMemoryEventStore(), dataKeys, clock });
    const caps = { letters: 1_000, wei: 10n ** 24n };
    const wasSent = async () => false;
    const requests = createMechRequests({ handler, dataKeys, clock, caps, wasSent });
    const { requestKey, accountId, test, priceWei, letterId = '' } = claim;
    const tracked: Claim = { ...claim, action: 'track' };
    await dataKeys.create(letterStream(letterId));
    await requests.begin(tracked);
    const context = { commandId: 'a7e0a1de-52a4-5f0b-8c1d-6e1f0f8b6a01', actor: 'mech' };
    const data = { requestKey, accountId, test, action: 'track' as const, priceWei, letterId };
    await handler.handle(mechRequestAggregate, requestKey, context, () => [
      { type: 'MechRequestServed' as const, data: { ...data, answer: { status: 'posted' } } },
    ]);
    const found = { status: 'served', answer: { status: 'posted' } };
    expect(await requests.find(requestKey, tracked)).to.deep.equal(found);
    await dataKeys.erase(letterStream(letterId));
    const erased = { status: 'served', answer: undefined };
    expect(await requests.find(requestKey, tracked)).to.deep.equal(erased);
  });
});

describe('a day of requests', () => {
  it('is read once, however many requests it has', async () => {
    const store = createMemoryEventStore();
    const clock = () => Date.parse(at);
    let read = 0;
    const counting: EventStore = {
      ...store,
      async readStream(stream, options) {
        const events = await store.readStream(stream, options);
        if (stream.startsWith(mechDayStream(''))) read += events.length;
        return events;
      },
    };
    const dataKeys = createMemoryDataKeys();
    const handler = createCommandHandler({ store: counting, dataKeys, clock });
    const caps = { letters: 1_000, wei: 10n ** 24n };
    const wasSent = async () => false;
    const requests = createMechRequests({ handler, dataKeys, clock, caps, wasSent });
    for (let n = 0; n < 50; n++) {
      const wanted = { ...claim, requestKey: `request-${n}` };
      await requests.begin(wanted);
      if (n % 2 === 0) await requests.refuse(wanted, 'address_invalid');
    }
    expect(read).to.be.lessThan(10);
  });
});

describe('what is told of wei', () => {
  it('is exact or refused, and never in exponents', () => {
    expect(JSON.stringify(jsonInteger(prices.send))).to.equal('20000000000000000');
    expect(() => jsonInteger(20_000_000_000_000_001n)).to.throw(RangeError);
    expect(() => jsonInteger(10n ** 21n)).to.throw(RangeError);
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 24n }), (wei) => {
        try {
          expect(BigInt(JSON.stringify(jsonInteger(wei)))).to.equal(wei);
        } catch (error) {
          expect(error).to.be.instanceOf(RangeError);
        }
      }),
    );
  });

  it('is shown with four decimals', () => {
    expect([0n, prices.track, prices.send, 10n ** 18n, 1n].map(inXdai)).to.deep.equal([
      ...['0.0000 xDAI', '0.0050 xDAI', '0.0200 xDAI', '1.0000 xDAI', '0.0000 xDAI'],
    ]);
  });
});

describe('the id of a request', () => {
  it('is the same in hex and in decimal digits, and apart for tests', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (id) => {
        const hex = `0x${id.toString(16).padStart(64, '0')}`;
        expect(chainIdOf(String(id))).to.equal(hex);
        expect(chainIdOf(hex.toUpperCase().replace('0X', '0x'))).to.equal(hex);
        expect(chainIdOf(`0x${id.toString(16)}`)).to.equal(hex);
        expect(mechRequestKey(String(id), false)).to.equal(mechRequestKey(hex, false));
        expect(mechRequestKey(hex, true)).to.not.equal(mechRequestKey(hex, false));
      }),
    );
    for (const none of ['req-1', String(2n ** 256n), '', '0x', `0x1${'0'.repeat(64)}`])
      expect(chainIdOf(none)).to.equal(undefined);
  });
});
