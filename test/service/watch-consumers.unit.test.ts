import { expect } from 'chai';
import type { FollowerStatus } from '../../events/follow-log.ts';
import { asPosition } from '../../events/position.ts';
import type { ProjectionStatus } from '../../projections/status-board.ts';
import { createConsumerWatch, isBehind } from '../../service/run/watch-consumers.ts';

const minute = 60_000;

/** A log with gaps whose last event is at 9,000, one event behind each position, a minute ago. */
const world = (
  options: {
    projection?: Partial<ProjectionStatus>;
    reactor?: Partial<FollowerStatus>;
    /** Names of further projections that are where the first one is. */
    others?: string[];
  } = {},
) => {
  const state = {
    now: Date.parse('2026-11-22T12:00:00Z'),
    head: 9_000n,
    away: undefined as unknown,
  };
  const lines: { fields: Record<string, unknown>; text: string }[] = [];
  const line = (fields: object, text: string) => void lines.push({ fields: { ...fields }, text });
  const projection: ProjectionStatus = {
    name: 'letters',
    position: 5_000n,
    state: 'running',
    ...options.projection,
  };
  const reactor: FollowerStatus = {
    name: 'settle-wallets',
    state: 'running',
    movedAt: 0,
    failing: [],
    failingCount: 0,
    parked: [],
    parkedCount: 0,
    position: asPosition(5_000n),
    seen: asPosition(5_000n),
    ...options.reactor,
  };
  const watch = createConsumerWatch({
    clock: () => state.now,
    head: async () => {
      if (state.away !== undefined) throw state.away;
      return state.head;
    },
    happenedAfter: async () => state.now - minute,
    projections: () => [
      projection,
      ...(options.others ?? []).map((name) => ({ ...projection, name })),
    ],
    reactors: () => [reactor],
    log: { warn: line, error: line },
  });
  const look = async () => {
    const outlook = await watch.look();
    const [one] = outlook.projections;
    const [other] = outlook.reactors;
    if (!one || !other) throw new Error('nobody was looked at');
    const behind = isBehind(one, { head: outlook.head, dense: false });
    return { ...outlook, projection: one, reactor: other, behind };
  };
  return { state, lines, projection, reactor, watch, look };
};

describe('whoever follows the log', () => {
  it('is behind by the age of the first event that he did not take, whatever the gaps', async () => {
    const { watch, look } = world();
    const { projection, reactor, behind } = await look();
    watch.stop();
    expect(projection).to.include({ position: '5000', lag: '4000', lag_seconds: 60 });
    expect(reactor).to.include({ position: '5000', lag: '4000', lag_seconds: 60 });
    expect(behind, 'more than half a minute').to.equal(true);
  });

  it('is not behind at the head, nor beyond it where nobody writes but the server', async () => {
    for (const position of [9_000n, 9_100n]) {
      const { watch, look } = world({ projection: { position } });
      const { projection, behind } = await look();
      watch.stop();
      expect(projection).to.include({ lag: '0', lag_seconds: 0, state: 'running' });
      expect(behind).to.equal(false);
    }
  });

  it('is stuck when he stands still while the log goes on, and says nothing himself', async () => {
    const { state, lines, watch, look, projection, reactor } = world({ others: ['ledger'] });
    await look();
    const began = state.now;
    state.now += 10_001;
    const stuck = await look();
    expect(stuck.projections.map(({ state: one }) => one)).to.deep.equal(['stuck', 'stuck']);
    const since = new Date(began).toISOString();
    for (const one of [stuck.projection, stuck.reactor]) {
      expect(one).to.include({ state: 'stuck', since, position: '5000' });
      expect(one.error).to.match(/none of it is processed/);
    }
    expect(lines.map(({ fields }) => fields.follower)).to.deep.equal([
      ...['projections', 'settle-wallets'],
    ]);
    expect(lines[0]?.fields.names).to.deep.equal(['letters', 'ledger']);
    expect(lines[0]?.fields.err).to.match(/continues after position 5000/);
    for (let looks = 0; looks < 20; looks++) await look();
    expect(lines, 'said once').to.have.length(2);
    projection.position = 6_000n;
    reactor.seen = asPosition(6_000n);
    const moved = await look();
    watch.stop();
    expect(moved.projection.state).to.equal('running');
    expect(moved.reactor.state).to.equal('running');
    expect(lines.slice(2).map(({ text }) => text)).to.deep.equal([
      'goes on again',
      'goes on again',
    ]);
  });

  it('is not ready to be read from as soon as he knows that he does not get on', async () => {
    const error = 'there is no event at position 5000 of the log';
    const incident = { since: Date.parse('2026-11-22T11:59:59Z'), error };
    const { watch, look } = world({ projection: incident });
    const { projection, behind } = await look();
    expect(projection).to.include({ state: 'stuck', error, since: '2026-11-22T11:59:59.000Z' });
    expect(behind).to.equal(true);
    watch.stop();
    const atHead = world({ projection: { ...incident, position: 9_000n } });
    expect((await atHead.look()).behind, 'nothing is missing').to.equal(false);
    atHead.watch.stop();
  });

  it('has the error of a reaction that fails, while he goes on with the log', async () => {
    const error = 'ENOSPC: no space left on device, write';
    const failing = ['letter-1', 'letter-2'].map((stream) => ({
      stream,
      type: 'LetterProcessingStarted',
      position: asPosition(5_000n),
      error,
    }));
    const { watch, look } = world({ reactor: { failing, failingCount: 2 } });
    const { reactor } = await look();
    watch.stop();
    expect(reactor).to.include({ state: 'running', failing: 2, error });
    expect(reactor).not.to.have.property('since');
  });

  it('is where he was last while the log cannot be read, and the reason is told', async () => {
    const { state, watch, look } = world();
    await look();
    state.away = new Error('no leader');
    const { head, away, projection } = await look();
    watch.stop();
    expect(head).to.equal(9_000n);
    expect(String(away)).to.equal('Error: no leader');
    expect(projection.lag).to.equal('4000');
  });
});
