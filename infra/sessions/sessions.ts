import { randomBytes } from 'node:crypto';
import { hashOfKey } from '../../commands/accounts/api-key.ts';
import type { Caller } from '../../contract/operation.ts';
import type { Session } from '../../contract/portal.ts';
import type { Clock } from '../../ground/clock.ts';
import type { RotatingKey } from '../../ground/rotating-key.ts';
import {
  type Credentials,
  callerOfSource,
  digestOfToken,
  type SourceColumns,
} from './session-source.ts';
import type { SessionRow, SessionStore } from './session-store.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** A session ends when it was not used for this time. */
export const idleMs = hourMs;
/** No session lasts longer, however much it is used. */
export const longestMs = 12 * hourMs;

/** A passkey is asked for again after this time. */
const confirmedForMs = 10 * minuteMs;

const tokenBytes = 32;
export const tokenPattern = /^[A-Za-z0-9_-]{43}$/;

/** How exactly the last use is kept. */
export const noteUseEveryMs = minuteMs;

export const newToken = (): string => randomBytes(tokenBytes).toString('base64url');

const hasEnded = ({ ends_at, last_used_at }: SessionRow, now: number): boolean =>
  ends_at.getTime() <= now || last_used_at.getTime() + idleMs <= now;

/** The first answer that is not undefined. */
const firstOf = async <T>(
  questions: readonly (() => Promise<T | undefined>)[],
): Promise<T | undefined> => {
  for (const ask of questions) {
    const answer = await ask();
    if (answer !== undefined) return answer;
  }
  return undefined;
};

/** How a person signs in: the address limits lookups, the language is the one chosen on the page. */
type SignIn = { address: string; language: string | undefined };

/** Sessions of people. Each ends with the API key or UCAN it came from. */
export const createSessions = (ports: {
  store: SessionStore;
  credentials: Credentials;
  /** The kinds of links: each knows its own tokens, and uses a link up. */
  links: readonly { use(token: string): Promise<SourceColumns | undefined> }[];
  /** Seals the UCANs that sessions come from. */
  key: RotatingKey;
  clock: Clock;
  /** Of one credential; the oldest one ends when there is another. */
  mostPerKey: number;
}) => {
  const { store, credentials, links, key, clock, mostPerKey } = ports;

  /** Adds a session with a new token, which nobody can have chosen. */
  const add = async (
    caller: Pick<Caller, 'accountId' | 'keyId' | 'bounds'>,
    source: SourceColumns,
    language: string | undefined,
    confirmedBy?: string,
  ): Promise<string> => {
    const token = newToken();
    const now = clock();
    const ends = Math.min(now + longestMs, caller.bounds?.expiresAtMs ?? Number.POSITIVE_INFINITY);
    const row: SessionRow = {
      token_hash: digestOfToken(token),
      account_id: caller.accountId,
      key_id: caller.keyId,
      ...source,
      language: language ?? null,
      created_at: new Date(now),
      last_used_at: new Date(now),
      ends_at: new Date(ends),
      confirmed_at: confirmedBy === undefined ? null : new Date(now),
      confirmed_by: confirmedBy ?? null,
    };
    await store.add(row, mostPerKey);
    return token;
  };

  return {
    /** Begins a session by an API key. @throws AppError invalid_api_key, rate_limited */
    async begin(apiKey: string, { address, language }: SignIn): Promise<string> {
      const caller = await credentials.authenticate(`Bearer ${apiKey}`, address);
      const source = { key_hash: hashOfKey(apiKey), ucan_sealed: null, read_only: false };
      return add(caller, source, language);
    },

    /** Begins a session by a link, which is used up; undefined where the link opens nothing. */
    async beginByLink(linkToken: string, { address, language }: SignIn) {
      const source = await firstOf(links.map((kind) => () => kind.use(linkToken)));
      const caller = source && (await callerOfSource(source, { credentials, key }, address));
      if (!source || !caller) return undefined;
      const { key_hash, ucan_sealed, read_only } = source;
      return add(caller, { key_hash, ucan_sealed, read_only }, language);
    },

    /** Begins a session by the credential that a passkey stands for. @throws AppError rate_limited */
    async beginByPasskey(source: SourceColumns, { address, language }: SignIn) {
      const caller = await callerOfSource(source, { credentials, key }, address);
      return caller && add(caller, source, language, caller.keyId);
    },

    /** Notes that a passkey confirmed who is there. `keyId`: of the key that it stands for. */
    confirm: (id: string, keyId: string): Promise<void> =>
      store.noteConfirmed(id, new Date(clock()), keyId),

    /** The session that a token opens; undefined for every reason why it opens none. */
    async find(token: string, from: string): Promise<Session | undefined> {
      if (!tokenPattern.test(token)) return undefined;
      const id = digestOfToken(token);
      const row = await store.find(id);
      const now = clock();
      if (!row) return undefined;
      const caller = hasEnded(row, now)
        ? undefined
        : await callerOfSource(row, { credentials, key }, from);
      if (!caller) {
        await store.remove(id);
        return undefined;
      }
      if (row.last_used_at.getTime() + noteUseEveryMs <= now)
        await store.noteUse(id, new Date(now));
      const isConfirmed = (row.confirmed_at?.getTime() ?? 0) + confirmedForMs > now;
      const confirmedBy = (isConfirmed && row.confirmed_by) || undefined;
      return { id, caller, confirmedBy, language: row.language ?? undefined };
    },

    end: (id: string): Promise<void> => store.remove(id),
  };
};

/** Removes the rows of sessions that have ended. */
export const removeEndedSessions = (store: SessionStore, now: number): Promise<void> =>
  store.removeEnded(new Date(now), new Date(now - idleMs));
