import { expect } from 'chai';
import fc from 'fast-check';
import { DuplicateEventId, EventTooLarge } from '../../events/event-store.ts';
import { anyText } from '../support/any-text.ts';
import { createMemoryEventStore } from '../support/memory-event-store.ts';
import { anEvent, eventStoreContract, rejection } from './event-store.ts';

eventStoreContract('memory', {}, async () => {
  const store = createMemoryEventStore();
  return { store, cleanup: () => store.close() };
});

eventStoreContract('memory, with data keys beside the log', { appendAll: true }, async () => {
  const keys = new Set<string>();
  const has = (subject: string): boolean => keys.has(subject);
  const store = createMemoryEventStore({
    keys: { has, store: ({ subject }) => keys.add(subject) },
  });
  return { store, subjects: async () => [...keys], cleanup: () => store.close() };
});

describe('memory event store', () => {
  it('refuses an event id that exists elsewhere', async () => {
    const store = createMemoryEventStore();
    const event = anEvent();
    await store.append('a', 'no-stream', [event]);
    expect(await rejection(store.append('b', 'no-stream', [event]))).to.be.instanceOf(
      DuplicateEventId,
    );
  });

  it('applies the limit it was given', async () => {
    const event = anEvent();
    const bytes = event.data.length + event.metadata.length;
    const store = createMemoryEventStore({ eventBytes: bytes });
    await store.append('a', 'no-stream', [event]);
    const larger = anEvent({ data: '{"n":10}' });
    expect(await rejection(store.append('a', 0n, [larger]))).to.be.instanceOf(EventTooLarge);
  });

  it('takes whatever JSON.stringify writes from an object', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(anyText(), fc.jsonValue()), async (value) => {
        const store = createMemoryEventStore();
        const data = JSON.stringify(value);
        await store.append('a', 'no-stream', [anEvent({ data })]);
        expect((await store.readStream('a'))[0]?.data).to.equal(data);
      }),
    );
  });

  for (const [what, fields] of [
    ['data that is not JSON', { data: '{' }],
    ['data that is an array', { data: '[]' }],
    ['metadata with spaces', { metadata: '{ "a": 1 }' }],
    ['a number that JSON cannot keep', { data: '{"a":12345678901234567890}' }],
    ['an id that is no UUID', { id: 'one' }],
    ['a type of the store itself', { type: '$metadata' }],
  ] as const) {
    it(`refuses ${what}`, async () => {
      const store = createMemoryEventStore();
      const error = await rejection(store.append('a', 'no-stream', [anEvent(fields)]));
      expect(error).to.be.instanceOf(TypeError);
    });
  }
});
