/** Two processes that obey the same command at the same moment, on a store that compares ids but no bytes. */
import { expect } from 'chai';
import type { AppError } from '../../contract/errors.ts';
import type { EventStore } from '../../events/event-store.ts';
import { createEventStoreDb } from '../../infra/event-store/eventstoredb.ts';
import { chargeOfCents, totalOf } from '../../money/charge.ts';
import {
  type EventStoreDbServer,
  startEventStoreDbServer,
} from '../support/eventstoredb-server.ts';
import { createGate } from '../support/faulty-store.ts';
import { centsOf, createLetterWorld, letterTo, plainly } from '../support/letter-world.ts';

const funds = 1_000_000n;
const textOf = (text: string) => letterTo({}, { content: { kind: 'text', text } });

describe('one command, obeyed by two processes on EventStoreDB at once', function () {
  this.timeout(180_000);
  let server: EventStoreDbServer;
  const stores: EventStore[] = [];
  const open = (): EventStore => {
    const store = createEventStoreDb({ connectionString: server.connectionString });
    stores.push(store);
    return store;
  };

  beforeEach(async () => {
    server = await startEventStoreDbServer();
  });
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
    await server.close();
  });

  /** A process that stops before it appends to a letter, knowing what the log held until then. */
  const late = async () => {
    const world = createLetterWorld({ store: open() });
    const { reached, open: goOn, pass } = createGate();
    world.faults.append = async (next, stream, ...rest) => {
      if (stream.startsWith('letter-')) await pass();
      return next(stream, ...rest);
    };
    return { world, reached, goOn };
  };

  const kinds = { letter: [false, false], draft: [true, true], 'draft and letter': [true, false] };
  for (const [kind, [draft = false, draftLater = false]] of Object.entries(kinds)) {
    for (const sameBody of draft === draftLater ? [false, true] : [false]) {
      const what = `a ${kind} with ${sameBody ? 'the same' : 'another'} body`;
      it(`makes one of ${what}, and tells the other process so`, async () => {
        const { world, reached, goOn } = await late();
        await world.fund(funds);
        const first = world.process(open());
        const body = (text: string) => (sameBody ? 'Bonjour.' : text);
        const slow = world.letters
          .send(
            textOf(body('Two.')),
            { ...plainly, draft: draftLater },
            world.asked('key', body('Two.')),
          )
          .catch((error: AppError) => error);
        await reached;
        const sent = await first.letters.send(
          textOf(body('One.')),
          { ...plainly, draft },
          world.asked('key', body('One.')),
        );
        goOn();
        const other = await slow;

        expect(sent.replayed).to.equal(false);
        if (sameBody) expect(other).to.deep.include({ letterId: sent.letterId, replayed: true });
        else expect(other).to.have.property('code', 'idempotency_key_reused');
        const made = server.log.all.filter(({ type }) => /^Letter(Drafted|Queued)$/.test(type));
        expect(made.map(({ type }) => type)).to.deep.equal([
          draft ? 'LetterDrafted' : 'LetterQueued',
        ]);
        const charge = chargeOfCents(sent.terms.price.charge);
        const held = draft ? 0n : totalOf(charge) / 10_000n;
        expect(centsOf((await world.wallet()).available)).to.equal(funds - held);
      });
    }
  }
});
