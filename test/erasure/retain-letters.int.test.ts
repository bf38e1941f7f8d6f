import { expect } from 'chai';
import { eraseLetter, letterAggregate } from '../../commands/letters/letter.ts';
import { updateLetter } from '../../commands/letters/letter-drafts.ts';
import type { LetterOver } from '../../projections/letters/query.ts';
import { createRetainLetters } from '../../reactors/retain-letters.ts';
import { createLetterWorld, letterTo, plainly } from '../support/letter-world.ts';

const dayMs = 86_400_000;

/** A row of the read model. */
const row = (letterId: string, version: bigint): LetterOver => ({
  letterId,
  version,
  overAt: new Date('2026-01-01T00:00:00Z'),
  isDraft: true,
});

const createRetention = async () => {
  const world = createLetterWorld();
  const untils: string[] = [];
  const failed: number[] = [];
  let over: LetterOver[] = [];
  const retain = createRetainLetters({
    handler: world.handler,
    clock: world.clock,
    retentionDays: 30,
    lettersOver: async (until, limit, after) => {
      untils.push(until);
      const from = over.findIndex(({ letterId }) => letterId === after?.letterId) + 1;
      return over.slice(from, from + limit);
    },
    failed: (letters) => failed.push(letters),
  });
  const version = async (letterId: string) =>
    (await world.handler.load(letterAggregate, letterId)).version;
  return {
    ...world,
    retain,
    untils,
    failed,
    version,
    rowsSay(rows: LetterOver[]) {
      over = rows;
    },
    async draft(key: string): Promise<string> {
      const options = { ...plainly, draft: true };
      return (await world.letters.send(letterTo(), options, world.asked(key, key))).letterId;
    },
  };
};

describe('the retention of letters', () => {
  it('erases a letter that has been over for the time, and says why', async () => {
    const world = await createRetention();
    const letterId = await world.draft('one');
    world.rowsSay([row(letterId, await world.version(letterId))]);
    expect(await world.retain()).to.equal(1);
    expect(world.untils).to.deep.equal([new Date(world.time.now - 30 * dayMs).toISOString()]);
    const letter = await world.letter(letterId);
    expect(letter).to.include({ status: 'draft', erased: true });
    const events = await world.store.readStream(`letter-${letterId}`);
    const last = events.at(-1);
    expect(last?.type).to.equal('LetterErased');
    expect(String(last?.data)).to.contain('retention');
  });

  it('counts the letters that cannot be erased, and erases the others', async () => {
    const world = await createRetention();
    const letterId = await world.draft('one');
    const version = await world.version(letterId);
    const handle = world.handler.handle;
    world.handler.handle = ((...call: Parameters<typeof handle>) =>
      call[1] === 'stuck'
        ? Promise.reject(new Error('no room'))
        : handle(...call)) as typeof handle;
    world.rowsSay([row('stuck', 0n), row(letterId, version)]);
    const error = await world.retain().catch((one: Error) => one.message);
    expect(error).to.equal('no room');
    expect(await world.letter(letterId)).to.include({ erased: true });
    world.rowsSay([]);
    await world.retain();
    expect(world.failed).to.deep.equal([1, 0]);
  });

  it('reaches letters behind any number that can never be erased', async () => {
    const world = await createRetention();
    const letterId = await world.draft('one');
    const version = await world.version(letterId);
    const handle = world.handler.handle;
    world.handler.handle = ((...call: Parameters<typeof handle>) =>
      call[1].startsWith('stuck')
        ? Promise.reject(new Error('no room'))
        : handle(...call)) as typeof handle;
    const stuck = Array.from({ length: 450 }, (_, index) => row(`stuck-${index}`, 0n));
    world.rowsSay([...stuck, row(letterId, version)]);
    await world.retain().catch(() => undefined);
    expect(await world.letter(letterId)).to.include({ erased: true });
    expect(world.failed).to.deep.equal([450]);
  });

  it('leaves a draft that was touched after its row was written', async () => {
    const world = await createRetention();
    const letterId = await world.draft('one');
    const version = await world.version(letterId);
    await world.handler.handle(letterAggregate, letterId, world.context(), (letter) => {
      if (letter.status === 'none' || !letter.personal) throw new Error('the draft is there');
      const { terms, personal } = letter;
      return updateLetter(letter, {
        type: 'UpdateLetter',
        terms,
        personal: { ...personal, reference: 'new' },
        changed: ['reference'],
      });
    });
    world.rowsSay([row(letterId, version)]);
    expect(await world.retain()).to.equal(0);
    expect(await world.letter(letterId)).to.include({ erased: false });
  });

  it('erases once when two processes try at the same time', async () => {
    const world = await createRetention();
    const letterIds = [await world.draft('one'), await world.draft('two')];
    world.rowsSay(
      await Promise.all(
        letterIds.map(async (letterId) => row(letterId, await world.version(letterId))),
      ),
    );
    const other = createRetainLetters({
      handler: world.process().handler,
      clock: world.clock,
      retentionDays: 30,
      lettersOver: async () => letterIds.map((letterId) => row(letterId, 0n)),
    });
    const [one, two] = await Promise.all([world.retain(), other()]);
    expect(one + two).to.equal(2);
    for (const letterId of letterIds) expect(await world.version(letterId)).to.equal(1n);
  });

  it('never erases what may still be printed, whatever a row says, and goes on with the others', async () => {
    const world = await createRetention();
    await world.fund(1_000n);
    const { letterId, version } = await world.letters.send(
      letterTo(),
      plainly,
      world.asked('queued', 'queued'),
    );
    const draft = await world.draft('draft');
    world.rowsSay([row(letterId, version), row(draft, await world.version(draft))]);
    const refused = await world.retain().catch((error: Error) => error);
    expect(refused).to.have.property('code', 'letter_not_deletable');
    expect(await world.letter(letterId)).to.include({ status: 'queued', erased: false });
    expect(await world.letter(draft)).to.include({ erased: true });
  });

  it('does nothing to what was deleted already', async () => {
    const world = await createRetention();
    const letterId = await world.draft('one');
    await world.handler.handle(letterAggregate, letterId, world.context(), (letter) =>
      eraseLetter(letter, { type: 'EraseLetter', reason: 'deleted' }),
    );
    world.rowsSay([row(letterId, await world.version(letterId))]);
    expect(await world.retain()).to.equal(0);
  });
});
