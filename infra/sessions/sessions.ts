import { hashOfKey } from '../../commands/accounts/api-key.ts';
import { isAppError } from '../../contract/errors.ts';
import type { Caller } from '../../contract/operation.ts';
import type { Session } from '../../contract/portal.ts';
import type { Clock } from '../../ground/clock.ts';
import type { SessionRow, SessionStore } from './session-store.ts';
import { idOfToken, isToken, newToken } from './token.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** A session that is not used for so long has ended. */
export const idleMs = hourMs;
/** No session lasts longer, however much it is used. */
export const longestMs = 12 * hourMs;

/** How exactly the last use is kept. */
export const noteUseEveryMs = minuteMs;

type Keys = {
  /** @throws AppError invalid_api_key, authentication_required, rate_limited */
  authenticate(header: string, from: string): Promise<Caller>;
  /** The same by the SHA-256 of the key. */
  callerByHash(keyHash: string, from: string): Promise<Caller>;
};

const hasEnded = ({ ends_at, last_used_at }: SessionRow, now: number): boolean =>
  ends_at.getTime() <= now || last_used_at.getTime() + idleMs <= now;

/** Sessions of people. Each ends with the API key it came from. */
export const createSessions = (ports: {
  store: SessionStore;
  keys: Keys;
  clock: Clock;
  /** Of one key; the oldest one ends when there is another. */
  mostPerKey: number;
}) => {
  const { store, keys, clock, mostPerKey } = ports;

  /** Undefined when the key has ended. @throws AppError of a lookup that fails */
  const callerOf = async (row: SessionRow, from: string): Promise<Caller | undefined> => {
    try {
      return await keys.callerByHash(row.key_hash, from);
    } catch (error) {
      if (isAppError(error) && error.status === 401) return undefined;
      throw error;
    }
  };

  return {
    /** Begins a session with a new token. @throws AppError invalid_api_key, rate_limited */
    async begin(apiKey: string, about: { address: string; language: string | undefined }) {
      const caller = await keys.authenticate(`Bearer ${apiKey}`, about.address);
      const token = newToken();
      const now = clock();
      const row: SessionRow = {
        token_hash: idOfToken(token),
        account_id: caller.accountId,
        key_id: caller.keyId,
        key_hash: hashOfKey(apiKey),
        language: about.language ?? null,
        created_at: new Date(now),
        last_used_at: new Date(now),
        ends_at: new Date(now + longestMs),
      };
      await store.add(row, mostPerKey);
      return token;
    },

    /** The session that a token opens; undefined for every reason why it opens none. */
    async find(token: string, from: string): Promise<Session | undefined> {
      if (!isToken(token)) return undefined;
      const id = idOfToken(token);
      const row = await store.find(id);
      const now = clock();
      if (!row) return undefined;
      const caller = hasEnded(row, now) ? undefined : await callerOf(row, from);
      if (!caller) {
        await store.remove(id);
        return undefined;
      }
      if (row.last_used_at.getTime() + noteUseEveryMs <= now)
        await store.noteUse(id, new Date(now));
      return { id, caller, language: row.language ?? undefined };
    },

    end: (id: string): Promise<void> => store.remove(id),
  };
};

/** Removes the rows of sessions that have ended. */
export const removeEndedSessions = (store: SessionStore, now: number): Promise<void> =>
  store.removeEnded(new Date(now), new Date(now - idleMs));
