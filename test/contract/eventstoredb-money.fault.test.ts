/**
 * EventStoreDB fails at each step of a send and of its settlement: nothing is lost, doubled or charged twice,
 * and the reactor continues without help when the fault is over.
 */
import { expect } from 'chai';
import { cancelLetter, letterAggregate } from '../../commands/letters/letter.ts';
import { startProduction } from '../../commands/letters/letter-production.ts';
import type { EventStore } from '../../events/event-store.ts';
import type { Follower } from '../../events/follow-log.ts';
import { noLeases } from '../../events/lease.ts';
import { createEventStoreDb } from '../../infra/event-store/eventstoredb.ts';
import { chargeOfCents, totalOf } from '../../money/charge.ts';
import { type Checkpoints, startReactor } from '../../reactors/reactor.ts';
import { createSettleWallets } from '../../reactors/settle-wallets.ts';
import type { Faults } from '../support/eventstoredb-faults.ts';
import {
  type EventStoreDbServer,
  startEventStoreDbServer,
} from '../support/eventstoredb-server.ts';
import {
  centsOf,
  createLetterWorld,
  type LetterWorld,
  letterTo,
  plainly,
} from '../support/letter-world.ts';
import { eventually } from '../support/service-process.ts';

const funds = 1_000_000n;
const quiet = () => undefined;
const log = { warn: quiet, error: quiet };
const retry = { giveUpAfterMs: 400, minDelayMs: 10, maxDelayMs: 50 };

/** Steps at which an append is made: by the request, by production, by the reactor. */
const steps = ['reserve', 'queue', 'produce or cancel', 'capture or release'] as const;

const memoryCheckpoints = (): Checkpoints => {
  let place = 0n;
  return {
    read: async () => place,
    save: async (_, position) => {
      place = position;
    },
    parked: async () => [],
    park: async () => undefined,
    unpark: async () => undefined,
  };
};

const faults: (keyof Faults)[] = [
  ...(['dropAppendReplies', 'lateAppendReplies', 'resetAfterAppends', 'resetAmidAppends'] as const),
  ...(['timeOutAppends', 'deadlineAppends', 'unavailableAppends', 'notLeaderAppends'] as const),
  ...(['deniedAppends', 'deniedReads', 'unavailableReads', 'hangingReads'] as const),
  ...(['notReadyCalls', 'unauthenticatedCalls'] as const),
];

describe('money on EventStoreDB when it fails', function () {
  this.timeout(180_000);
  let server: EventStoreDbServer;
  let store: EventStore;
  let world: LetterWorld;
  let settling: Follower;
  /** Called at each append, with how many there were. */
  let atAppend: (count: number) => void = quiet;
  let appends = 0;

  beforeEach(async () => {
    server = await startEventStoreDbServer();
    server.faults.lateMs = 300;
    const { connectionString } = server;
    // The time limits of the store that is tested are short: a busy machine exceeds them.
    const patient = createEventStoreDb({ connectionString });
    await createLetterWorld({ store: patient }).fund(funds);
    await patient.close();
    store = createEventStoreDb({ connectionString, timeoutMs: 100, retry });
    world = createLetterWorld({ store });
    world.faults.append = (next, ...call) => {
      atAppend(++appends);
      return next(...call);
    };
    const reactor = createSettleWallets({ ...world, clock: Date.now, patienceMs: 60_000 });
    settling = startReactor(reactor, {
      store,
      checkpoints: memoryCheckpoints(),
      leases: noLeases,
      log,
    });
  });
  afterEach(async () => {
    Object.assign(server.faults, Object.fromEntries(faults.map((fault) => [fault, 0])));
    await settling.stop();
    await store.close();
    await server.close();
  });

  /** As clients and print partners do: again, until there is an answer. */
  const untilAnswered = async <T>(call: () => Promise<T>, healed: () => void): Promise<T> => {
    for (let tries = 1; ; tries++) {
      try {
        return await call();
      } catch (error) {
        healed();
        if (tries === 20) throw error;
      }
    }
  };

  const started = (letterId: string) =>
    world.handler.handle(letterAggregate, letterId, world.context(), (letter) =>
      startProduction(letter, {
        type: 'StartProduction',
        partner: 'p',
        jobId: letterId,
        source: 'partner',
      }),
    );
  const cancelled = (letterId: string) =>
    world.handler.handle(letterAggregate, letterId, world.context(), cancelLetter);

  const eventsOf = (stream: string) => server.log.stream(stream).map(({ type }) => type);
  const streamsOf = (prefix: string) =>
    [...new Set(server.log.all.map(({ stream }) => stream))].filter((one) =>
      one.startsWith(prefix),
    );
  const settlements = () =>
    streamsOf('wallet-')
      .flatMap(eventsOf)
      .filter((type) => type === 'FundsCaptured' || type === 'FundsReleased');

  /** Sends a letter and has it printed or cancelled, with the fault at one of its appends. */
  const live = async (
    name: string,
    end: typeof started,
    faultAt: number,
    begin: () => void,
    heal: () => void,
  ) => {
    const settled = settlements().length;
    appends = 0;
    atAppend = (count) => count === faultAt && begin();
    const { letterId } = await untilAnswered(
      () => world.letters.send(letterTo(), plainly, world.asked(name)),
      heal,
    );
    await untilAnswered(() => end(letterId), heal);
    await eventually(`${name} is settled`, () => {
      // A fault that lasts is over some time after it began, not when somebody noticed.
      if (appends >= faultAt && performance.now() > healAt) heal();
      return settlements().length === settled + 1;
    });
    atAppend = quiet;
    heal();
    return letterId;
  };
  let healAt = Number.POSITIVE_INFINITY;

  for (const fault of faults) {
    for (const lasts of [false, true]) {
      it(`charges each letter once: ${fault}, ${lasts ? 'for some time' : 'once'}, at each step`, async () => {
        const begin = () => {
          healAt = performance.now() + 500;
          Object.assign(server.faults, { [fault]: lasts ? Number.POSITIVE_INFINITY : 1 });
          // Subscribers meet it, too.
          if (/Reads|Calls/.test(fault)) server.endSubscriptions();
        };
        const heal = () => Object.assign(server.faults, { [fault]: 0 });
        const charged: string[] = [];
        for (const [index, step] of steps.entries()) {
          charged.push(await live(`printed, ${step}`, started, index + 1, begin, heal));
          await live(`cancelled, ${step}`, cancelled, index + 1, begin, heal);
        }
        const wallet = await untilAnswered(world.wallet, quiet);
        let price = 0n;
        for (const letterId of charged) {
          const letter = await untilAnswered(() => world.letter(letterId), quiet);
          if (letter.status === 'none') throw new Error(`${letterId} is lost`);
          price += totalOf(chargeOfCents(letter.terms.price.charge)) / 10_000n;
        }
        expect(centsOf(wallet.available)).to.equal(funds - price);
        const letters = streamsOf('letter-');
        expect(letters).to.have.length(steps.length * 2);
        for (const stream of letters) {
          const types = eventsOf(stream);
          expect(types.filter((type) => type === 'LetterQueued')).to.have.length(1);
          expect(types, 'no event twice').to.deep.equal([...new Set(types)]);
        }
        const ids = server.log.all
          .filter(({ stream }) => !stream.startsWith('$'))
          .map(({ id }) => id);
        expect(new Set(ids).size).to.equal(ids.length);
        expect(settlements().filter((type) => type === 'FundsCaptured')).to.have.length(
          steps.length,
        );
      });
    }
  }
});
