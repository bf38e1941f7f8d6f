import { createSecretKey } from 'node:crypto';
import { expect } from 'chai';
import { AppError } from '../../contract/errors.ts';
import type { Caller } from '../../contract/operation.ts';
import type { SessionRow } from '../../infra/sessions/session-store.ts';
import { createSessions, idleMs, longestMs } from '../../infra/sessions/sessions.ts';

const minuteMs = 60_000;
const caller: Caller = { accountId: 'acc', keyId: 'key', scope: 'send', test: true };

/** Sessions over rows in memory, with a clock and a key that the test changes. */
const world = () => {
  const rows = new Map<string, SessionRow>();
  const looked: string[] = [];
  const uses: number[] = [];
  const at = { now: Date.parse('2026-11-23T09:00:00Z') };
  let failure: AppError | undefined;
  const answer = async (): Promise<Caller> => {
    if (failure) throw failure;
    return caller;
  };
  const spent: string[] = [];
  const source = { key_hash: 'hash', ucan_sealed: null, read_only: false };
  const link = {
    find: async (token: string) => (token === 'link' ? source : undefined),
    spend: async (token: string) => !spent.includes(token) && spent.push(token) > 0,
  };
  const sessions = createSessions({
    store: {
      add: async (row) => void rows.set(row.token_hash, row),
      find: async (hash) => {
        looked.push(hash);
        return rows.get(hash);
      },
      noteUse: async (hash, time) => {
        uses.push(time.getTime());
        Object.assign(rows.get(hash) ?? {}, { last_used_at: time });
      },
      noteConfirmed: async (hash, time, keyId) => {
        Object.assign(rows.get(hash) ?? {}, { confirmed_at: time, confirmed_by: keyId });
      },
      remove: async (hash) => void rows.delete(hash),
      removeEnded: async () => {},
    },
    credentials: { authenticate: answer, callerByHash: answer, callerByUcan: answer },
    links: [link],
    key: () => [createSecretKey(Buffer.alloc(32))],
    clock: () => at.now,
    mostPerKey: 20,
  });
  const begin = () => sessions.begin('svc_test_x', { address: '192.0.2.1', language: 'de' });
  const beginByLink = (token: string) =>
    sessions.beginByLink(token, { address: '192.0.2.1', language: undefined });
  const find = (token: string) => sessions.find(token, '192.0.2.1');
  const fail = (error: AppError | undefined) => {
    failure = error;
  };
  return { rows, looked, uses, at, begin, beginByLink, find, fail };
};

describe('a session', () => {
  it('has the rights of the key, and a token that no other session has', async () => {
    const { begin, find } = world();
    const tokens = [await begin(), await begin()];
    expect(new Set(tokens).size).to.equal(2);
    expect(tokens[0]).to.match(/^[\w-]{43}$/);
    const found = await find(tokens[0] ?? '');
    expect(found).to.include({ caller, language: 'de' });
  });

  it('ends exactly an hour after its last use', async () => {
    const { at, begin, find, rows } = world();
    const token = await begin();
    at.now += idleMs - 1;
    expect(await find(token)).to.not.equal(undefined);
    at.now += idleMs;
    expect(await find(token)).to.equal(undefined);
    expect(rows.size).to.equal(0);
  });

  it('ends exactly twelve hours after its beginning', async () => {
    const { at, begin, find } = world();
    const token = await begin();
    const start = at.now;
    for (let time = idleMs / 2; time < longestMs; time += idleMs / 2) {
      at.now = start + time;
      expect(await find(token)).to.not.equal(undefined);
    }
    at.now = start + longestMs - 1;
    expect(await find(token)).to.not.equal(undefined);
    at.now = start + longestMs;
    expect(await find(token)).to.equal(undefined);
  });

  it('notes its use once a minute', async () => {
    const { at, begin, find, uses } = world();
    const token = await begin();
    const start = at.now;
    for (const after of [1, minuteMs - 1, minuteMs, minuteMs + 1, 2 * minuteMs]) {
      at.now = start + after;
      await find(token);
    }
    expect(uses).to.deep.equal([start + minuteMs, start + 2 * minuteMs]);
  });

  it('ends with its key, also when the key comes back', async () => {
    const { begin, find, fail } = world();
    const token = await begin();
    fail(new AppError('invalid_api_key', 'The key was revoked.'));
    expect(await find(token)).to.equal(undefined);
    fail(undefined);
    expect(await find(token)).to.equal(undefined);
  });

  it('goes on after a moment in which nobody can say whether the key counts', async () => {
    const { begin, find, fail } = world();
    const token = await begin();
    const failure = new AppError('read_model_behind', 'Read again.');
    fail(failure);
    expect(await find(token).catch((error: unknown) => error)).to.equal(failure);
    fail(undefined);
    expect(await find(token)).to.not.equal(undefined);
  });

  it('begins by a link once, and does not use up the link while the state of the key cannot be read', async () => {
    const { beginByLink, fail, rows } = world();
    const failure = new AppError('read_model_behind', 'Read again.');
    fail(failure);
    expect(await beginByLink('link').catch((error: unknown) => error)).to.equal(failure);
    fail(undefined);
    const [one, other] = await Promise.all([beginByLink('link'), beginByLink('link')]);
    expect([one === undefined, other === undefined].sort()).to.deep.equal([false, true]);
    expect(await beginByLink('another')).to.equal(undefined);
    expect(rows.size).to.equal(1);
  });

  it('is looked up only by what can be a token', async () => {
    const { find, looked } = world();
    for (const token of ['', 'a'.repeat(42), 'a'.repeat(44), `${'a'.repeat(42)}'`]) {
      expect(await find(token)).to.equal(undefined);
    }
    expect(looked).to.deep.equal([]);
  });
});
