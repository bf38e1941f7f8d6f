import { expect } from 'chai';
import pg from 'pg';
import { setPolicy } from '../../commands/guards/set-policy.ts';
import { writtenTo } from '../../commands/letters/known-recipients.ts';
import { letterAggregate } from '../../commands/letters/letter.ts';
import type { WantedRule } from '../../commands/policies/check-policy.ts';
import { walletAggregate } from '../../commands/wallets/wallet.ts';
import { isAppError } from '../../contract/errors.ts';
import { type AnyEvent, decodeEvent } from '../../events/envelope.ts';
import { type LetterEvent, letterStream } from '../../events/letter.ts';
import { createRecipientIndex } from '../../infra/guards/recipient-index.ts';
import { createNoteRecipients } from '../../reactors/note-recipients.ts';
import { aloneLease } from '../support/lease.ts';
import { account, createLetterWorld, letterTo, plainly } from '../support/letter-world.ts';
import { freshDatabase } from '../support/postgres.ts';

const knownOnly: WantedRule[] = [{ id: 'known', effect: 'allow', when: { knownRecipient: true } }];
const askForNew: WantedRule[] = [
  { id: 'all', effect: 'allow' },
  { id: 'new', effect: 'hold', when: { knownRecipient: false } },
];

const createWorld = async () => {
  const world = createLetterWorld();
  const { handler, indexOf, recipients, letter } = world;
  await world.fund(10_000n);
  const noting = createNoteRecipients({ letter, indexOf, index: recipients });
  let count = 0;
  return {
    ...world,
    put: (rules: WantedRule[]) =>
      handler.handle(walletAggregate, account, world.context(), (wallet) =>
        setPolicy(wallet, {
          type: 'SetPolicy',
          subject: 'account',
          wanted: { timeZone: 'UTC', rules },
          maker: { subjects: [], mayRaise: true },
        }),
      ),
    send: (name = 'Ada Lovelace') =>
      world.process().letters.send(letterTo({ name }), plainly, world.asked(`send ${count++}`)),
    tell: (letterId: string, event: LetterEvent) =>
      handler.handle(letterAggregate, letterId, world.context(), () => [event]),
    async react(): Promise<void> {
      const events: AnyEvent[] = (await world.store.readAll({ after: 0n })).map(decodeEvent);
      for (const event of events) await noting.react(event, 0n as never)?.(aloneLease);
    },
  };
};

const begun: LetterEvent = {
  type: 'LetterProcessingStarted',
  data: { partner: 'simulator', jobId: 'job', source: 'simulator' },
};

const jammed: LetterEvent = {
  type: 'LetterFailed',
  data: { code: 'jam', stage: 'print', retryable: false, detail: 'A jam.', source: 'simulator' },
};

const refusal = async (work: Promise<unknown>): Promise<string | undefined> => {
  try {
    await work;
  } catch (error) {
    if (!isAppError(error)) throw error;
    return error.code;
  }
  return undefined;
};

describe('recipients that an account wrote to before', () => {
  let world: Awaited<ReturnType<typeof createWorld>>;
  beforeEach(async () => {
    world = await createWorld();
  });

  it('are known once the production of a letter to them began, by name and address', async () => {
    const { letterId } = await world.send();
    await world.put(knownOnly);
    await world.react();
    expect(await refusal(world.send())).to.equal('policy_denied');
    await world.tell(letterId, begun);
    await world.react();
    expect(await refusal(world.send('ADA  Lovelace'))).to.equal(undefined);
    expect(await refusal(world.send('Grace Hopper'))).to.equal('policy_denied');
  });

  it('let letters to all others wait', async () => {
    const { letterId } = await world.send();
    await world.tell(letterId, begun);
    await world.react();
    await world.put(askForNew);
    expect((await world.send()).status).to.equal('queued');
    expect((await world.send('Grace Hopper')).status).to.equal('draft');
  });

  it('are new again when the letter to them failed, or its personal data were erased', async () => {
    const failed = await world.send();
    await world.tell(failed.letterId, begun);
    const erased = await world.send('Grace Hopper');
    await world.tell(erased.letterId, begun);
    await world.react();
    await world.put(knownOnly);
    await world.tell(failed.letterId, jammed);
    await world.tell(erased.letterId, { type: 'LetterErased', data: { reason: 'retention' } });
    expect(await refusal(world.send())).to.equal('policy_denied');
    expect(await refusal(world.send('Grace Hopper'))).to.equal('policy_denied');
  });

  it('stay known by an earlier letter, however many later ones failed', async () => {
    const first = await world.send();
    await world.tell(first.letterId, begun);
    await world.react();
    const digest = writtenTo(await world.letter(first.letterId), world.indexOf) as string;
    for (let n = 0; n < 7; n++) {
      const { letterId } = await world.send();
      await world.tell(letterId, begun);
      await world.recipients.note(letterId, account, digest);
      await world.tell(letterId, jammed);
    }
    await world.put(knownOnly);
    expect(await refusal(world.send())).to.equal(undefined);
  });

  it('are proven by the stream of a letter, whatever the index says', async () => {
    const { letterId } = await world.send();
    await world.tell(letterId, begun);
    const digest = writtenTo(await world.letter(letterId), world.indexOf) as string;
    const { letterId: other } = await world.send('Grace Hopper');
    await world.put(knownOnly);
    await world.recipients.note(other, account, digest);
    expect(await refusal(world.send())).to.equal('policy_denied');
    await world.recipients.note(letterId, account, digest);
    expect(await refusal(world.send())).to.equal(undefined);
  });

  it('are judged again when a queued letter gets another recipient', async () => {
    const { letterId } = await world.send();
    await world.tell(letterId, begun);
    await world.react();
    const { letterId: queued } = await world.send();
    await world.put(knownOnly);
    const changes = { to: { name: 'Grace Hopper' }, acceptAddressAsIs: false };
    const change = world.letters.update(queued, changes, world.asked('update'), undefined);
    expect(await refusal(change)).to.equal('policy_denied');
  });
});

describe('the index of recipients', function () {
  this.timeout(180_000);

  it('loses a digest in the commit that erases the data key of its letter, and takes none after it', async () => {
    const database = await freshDatabase();
    const pool = new pg.Pool({ connectionString: database.url });
    const index = createRecipientIndex(pool);
    const makeKey = (letterId: string) =>
      pool.query("insert into keys.data_keys (subject, wrapped) values ($1, 'sealed')", [
        letterStream(letterId),
      ]);
    const found = () => index.lettersTo('acct', 'digest', 5);
    try {
      await makeKey('one');
      await makeKey('two');
      await makeKey('three');
      await index.note('two', 'acct', 'digest');
      // Recipients that are noted at the same time share statements.
      await Promise.all([
        index.note('three', 'another account', 'digest'),
        index.note('one', 'acct', 'digest'),
        index.note('one', 'acct', 'digest'),
        index.note('without a key', 'acct', 'digest'),
        index.note('two', 'another account', 'digest'),
      ]);
      expect(await found()).to.have.members(['one', 'two']);
      expect(await index.lettersTo('another account', 'digest', 5)).to.deep.equal(['three']);
      await pool.query(
        `insert into keys.data_keys (subject, wrapped, erased_at) values ($1, null, now())
         on conflict (subject) do update set wrapped = null, erased_at = now()`,
        [letterStream('one')],
      );
      await index.note('one', 'acct', 'digest');
      expect(await found()).to.deep.equal(['two']);
    } finally {
      await pool.end();
      await database.drop();
    }
  });
});
