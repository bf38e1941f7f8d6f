import { createSecretKey, type KeyObject, randomBytes, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { DataKeys } from '../../events/data-keys.ts';
import { seal } from '../../events/sealing.ts';
import { createLetterReader } from '../../infra/readers/letter-reader.ts';
import { seeded } from '../support/seeded.ts';

type Row = { sealed: string | null; eventId: string | null };

describe('what is sealed for an account', () => {
  const keys = new Map<string, KeyObject>(
    ['a', 'b'].map((id) => [`account-${id}`, createSecretKey(randomBytes(32))] as const),
  );
  const dataKeys = { get: async (subject: string) => keys.get(subject) } as unknown as DataKeys;
  const reader = createLetterReader({ dataKeys } as Parameters<typeof createLetterReader>[0]);

  const sealedFor = (account: string, reference: string): Row => {
    const key = keys.get(`account-${account}`);
    if (!key) throw new Error(`${account} has no key`);
    const eventId = randomUUID();
    return { sealed: seal(JSON.stringify({ reference }), key, eventId), eventId };
  };

  it('is opened in order, a few or thousands, whoever else asks at the time', async () => {
    const random = seeded(5);
    await Promise.all(
      Array.from({ length: 24 }, async (_, n) => {
        const account = n % 2 === 0 ? 'a' : 'b';
        const rows = Array.from({ length: Math.floor(random() * 2_000) }, (_, line) =>
          random() < 0.2
            ? { row: { sealed: null, eventId: null }, wanted: undefined }
            : {
                row: sealedFor(account, `${n}, line ${line}\n"é𠮷"`),
                wanted: { reference: `${n}, line ${line}\n"é𠮷"` },
              },
        );
        const opened = await reader.openForAccount(
          account,
          rows.map(({ row }) => row),
        );
        expect(opened).to.deep.equal(rows.map(({ wanted }) => wanted));
      }),
    );
  });

  it('is not opened where one of it was swapped, and that is the trouble of its reader alone', async () => {
    const rows = Array.from({ length: 1_000 }, (_, line) => sealedFor('a', `line ${line}`));
    const swapped = rows.with(700, { ...(rows[700] as Row), eventId: rows[701]?.eventId ?? '' });
    const answers = await Promise.allSettled([
      reader.openForAccount('a', rows),
      reader.openForAccount('a', swapped),
      reader.openForAccount('b', rows),
      reader.openForAccount('a', rows),
    ]);
    expect(answers.map(({ status }) => status)).to.deep.equal([
      ...['fulfilled', 'rejected', 'rejected', 'fulfilled'],
    ]);
  });

  it('is nothing where the key was erased', async () => {
    const rows = Array.from({ length: 1_000 }, () => sealedFor('a', 'gone'));
    expect(await reader.openForAccount('erased', rows)).to.deep.equal(rows.map(() => undefined));
  });
});
