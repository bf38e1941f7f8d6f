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

/** A kind of one-time links. It knows its own tokens. */
type Links = {
  /** The credential that an unused link gives; undefined for every reason why it gives none. */
  find(token: string): Promise<SourceColumns | undefined>;
  /** Uses a link up. False if it was used before. */
  spend(token: string): Promise<boolean>;
};

/** Uses a link up, once it is known who it lets in. */
const useLink = async (
  links: readonly Links[],
  token: string,
  callerOf: (source: SourceColumns) => Promise<Caller | undefined>,
) => {
  for (const kind of links) {
    const source = await kind.find(token);
    if (!source) continue;
    const caller = await callerOf(source);
    return caller && (await kind.spend(token)) ? { caller, source } : undefined;
  }
  return undefined;
};

/** How a person signs in: the address limits lookups, the language is the one chosen on the page. */
type SignIn = { address: string; language: string | undefined };

/** Sessions of people. Each ends with the API key or UCAN it came from. */
export const createSessions = (ports: {
  store: SessionStore;
  credentials: Credentials;
  links: readonly Links[];
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

    /** Undefined if the link opens nothing. @throws AppError if a lookup fails: the link still works */
    async beginByLink(linkToken: string, { address, language }: SignIn) {
      const used = await useLink(links, linkToken, (source) =>
        callerOfSource(source, { credentials, key }, address),
      );
      return used && add(used.caller, used.source, language);
    },

    /** Begins a session by the credential that a passkey stands for. @throws AppError rate_limited */
    async beginByPasskey(source: SourceColumns, { address, language }: SignIn) {
      const caller = await callerOfSource(source, { credentials, key }, address);
      return caller && add(caller, source, language, caller.keyId);
    },

    /** Records that a passkey confirmed the person. `keyId`: of the key that the passkey stands for. */
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
