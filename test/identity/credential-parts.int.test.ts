/** Credentials are stored as parts. Read again, each has the bytes that it was issued with. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import { partsOfCredential } from '../../identity/credential-parts.ts';
import type { CredentialWriter } from '../../reactors/issue-credentials.ts';
import type { Golden } from '../golden-events/golden.ts';
import { anyText } from '../support/any-text.ts';
import {
  accountEvents,
  accountId,
  type CredentialWorld,
  createCredentialWorld,
  letterEvents,
} from '../support/credential-world.ts';
import { eventually } from '../support/service-process.ts';

type Plain = ReturnType<typeof letterEvents>[number];

const goldenEvents = (): Pick<Plain, 'type' | 'data'>[] => {
  const folder = new URL('../golden-events/', import.meta.url);
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as Golden)
    .map(({ type, data }) => ({ type, data: JSON.parse(data) }));
};

const letterStream = (n: number): string =>
  `letter-7c1e5b1c-8f3f-4c43-9d2e-51a4f4f7b${String(n).padStart(3, '0')}`;

describe('a credential that is stored as its parts', function () {
  this.timeout(180_000);
  let world: CredentialWorld;
  /** JWTs as they were issued, in the order of the log. */
  let issued: string[];

  beforeEach(async () => {
    world = await createCredentialWorld();
    issued = [];
  });
  afterEach(() => world.close());

  const recording: CredentialWriter = {
    place: () => world.writer.place(),
    previous: (streams, before) => world.writer.previous(streams, before),
    async append(from, batch, position) {
      await world.writer.append(from, batch, position);
      issued.push(...batch.map(({ jwt }) => jwt));
    },
  };

  const issueAll = async (writer = recording): Promise<void> => {
    const issuing = world.issuing({ writer });
    const head = await world.store.head();
    await eventually(
      'all is issued',
      () => {
        const { failing, position } = issuing.status();
        if (failing.length > 0) throw new Error(JSON.stringify(failing, (_, v) => String(v)));
        return position === head;
      },
      30_000,
    ).finally(() => issuing.stop());
  };

  const expectSameBytes = async (): Promise<void> => {
    const read = await world.credentials.range(0, 100_000);
    expect(read.map(({ jwt }) => jwt)).to.deep.equal(issued);
  };

  /** How many are stored whole. */
  const whole = async (): Promise<number> => {
    const { rows } = await world.db.query<{ count: number }>(
      'select count(jwt)::int as count from identity.issued',
    );
    return rows[0]?.count ?? -1;
  };

  it('has the same bytes for every type and version of event, on every kind of stream', async () => {
    const golden = goldenEvents();
    expect(golden.length).to.be.at.least(100);
    await world.append(...accountEvents());
    for (const [n, event] of golden.entries()) {
      const streams = [
        letterStream(n),
        letterStream(999),
        `account-${accountId}`,
        `wallet-${accountId}-0`,
        `order-${n}`,
      ];
      await world.append(...streams.map((stream) => ({ ...event, stream })));
    }
    await issueAll();
    await expectSameBytes();
    expect(issued.length).to.equal(golden.length * 5 + 3);
    expect(await whole()).to.equal(0);
  });

  it('has the same bytes after rotated keys, another DID of the service and of the owner', async () => {
    await world.append(accountEvents()[0] as Plain, ...letterEvents().slice(0, 2));
    await issueAll();
    await world.keys.rotate(['credential']);
    await world.append(accountEvents()[1] as Plain, ...letterEvents().slice(2, 4));
    await issueAll();
    const moved = await world.openKeys('https://letters.example');
    await world.keys.refresh();
    await world.append(...letterEvents().slice(4));
    await issueAll();
    await moved.close();
    await expectSameBytes();
    expect(new Set(issued.map((jwt) => jwt.split('.')[0])).size).to.equal(3);
    expect(await whole()).to.equal(0);
  });

  it('has the same bytes where it shares nothing with the first of its stream, and is issued alone', async () => {
    const stream = 'account-a';
    const dids = [{ did: 'did:key:z6Mk' }, {}, { did: 'did:key:z6Mk' }, {}];
    for (const data of dids) {
      const type = 'DidCreated';
      await world.append({ stream, type, data, at: '2026-11-21T10:00:00.123Z' } as Plain);
      await issueAll();
    }
    await expectSameBytes();
    expect(await whole()).to.equal(0);
  });

  it('does not need the event, so that it outlasts the erasure of personal data', async () => {
    const { rows } = await world.db.query<{ definition: string }>(
      `select pg_get_viewdef('identity.credentials'::regclass) as definition`,
    );
    const tables = rows[0]?.definition.match(/\b(?:event_log|keys|read_models|identity)\.\w+/g);
    expect(new Set(tables)).to.deep.equal(
      new Set(['identity.issued', 'identity.issuers', 'identity.base64url', 'identity.member']),
    );
  });

  it('has the same bytes whatever events say, or is stored whole', async () => {
    const word = fc.oneof(
      fc.constantFrom('de_standardbrief', 'FR', 'partner', '', 'a"b', 'Zürich', 'back\\slash'),
      anyText({ maxLength: 12 }).filter((text) => text.isWellFormed()),
    );
    const data = fc.record(
      {
        terms: fc.record(
          { accountId: word, test: fc.boolean(), service: word, country: word, commitment: word },
          { requiredKeys: [] },
        ),
        accountId: word,
        test: fc.boolean(),
        did: fc.oneof(fc.constant('did:key:z6Mk'), word),
        source: word,
        inferred: fc.boolean(),
        evidence: word,
        reason: word,
      },
      { requiredKeys: [] },
    );
    const stream = fc.constantFrom(
      letterStream(1),
      letterStream(2),
      'letter-"odd"',
      'account-a',
      'wallet-a-0',
      'other-ü',
    );
    const type = fc.constantFrom('LetterQueued', 'LetterReturned', 'DidCreated', 'NobodyKnows');
    const at = fc.constantFrom('2026-11-21T10:00:00.123Z', '1970-01-01T00:00:00.000Z');
    const events = fc.array(fc.record({ stream, type, data, at }), { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(events, async (all) => {
        await world.append(...all);
        await issueAll();
        await expectSameBytes();
      }),
      { numRuns: 12 },
    );
    // Both ways were taken.
    expect(await whole()).to.be.within(1, issued.length - 1);
  });

  it('follows those that the version before stored whole, and that version can add its own', async () => {
    const statement = `insert into identity.credentials
      (log_index, event_id, stream, sequence, position, account_id, hash, jwt)
      select $1::bigint, $2::uuid, $3, $4::bigint, $5::bigint, $6, sha256($7::text::bytea), $7`;
    const before: CredentialWriter = {
      ...recording,
      async append(from, batch, position) {
        await recording.append(from, batch, position);
        await world.db.query('delete from identity.issued where log_index >= $1', [from.size]);
        for (const [n, one] of batch.entries()) {
          const values = [one.eventId, one.stream, one.sequence, one.position, one.accountId];
          await world.db.query(statement, [from.size + n, ...values, one.jwt]);
        }
      },
    };
    await world.append(...accountEvents(), ...letterEvents().slice(0, 2));
    await issueAll(before);
    const old = issued.length;
    await world.append(...letterEvents().slice(2, 4));
    await issueAll();
    await expectSameBytes();
    expect(await whole()).to.equal(old);
    await world.append(...letterEvents().slice(4, 5));
    await issueAll(before);
    await world.append(...letterEvents().slice(5));
    await issueAll();
    await expectSameBytes();
    expect(await whole()).to.equal(old + 1);
  });

  it('is stored whole when its payload says anything else than its row', async () => {
    await world.append(...accountEvents(), ...letterEvents());
    await issueAll();
    const [one] = await world.credentials.ofStream(letterEvents()[0]?.stream ?? '');
    if (!one) throw new Error('nothing was issued');
    expect(partsOfCredential(one)).to.not.equal(undefined);
    const others = [
      { logIndex: one.logIndex + 1 },
      { sequence: 2 },
      { accountId: '' },
      { stream: 'letter-other' },
      { eventId: '7c1e5b1c-8f3f-4c43-9d2e-51a4f4f7a001' },
      { jwt: `${one.jwt}.more` },
      { jwt: one.jwt.slice(0, -1) },
      { jwt: 'no.jwt' },
    ];
    for (const other of others) {
      expect(partsOfCredential({ ...one, ...other }), JSON.stringify(other)).to.equal(undefined);
    }
  });
});
