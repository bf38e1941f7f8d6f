import type { OperatorRights, OperatorSession } from '../../contract/operator-session.ts';
import type { Clock } from '../../ground/clock.ts';
import type { OperatorSessionRow, OperatorStore } from './operator-store.ts';
import { digestOfToken } from './session-source.ts';
import { idleMs, longestMs, newToken, noteUseEveryMs, tokenPattern } from './sessions.ts';

/** A link that was not used by then opens nothing. */
export const linkMs = 15 * 60_000;

const hasEnded = ({ ends_at, last_used_at }: OperatorSessionRow, now: number): boolean =>
  ends_at.getTime() <= now || last_used_at.getTime() + idleMs <= now;

/** Makes the code of a link that opens one session. */
export const makeOperatorLink = async (
  store: Pick<OperatorStore, 'addLink'>,
  rights: OperatorRights,
  now: number,
): Promise<string> => {
  const code = newToken();
  await store.addLink({ code_hash: digestOfToken(code), rights, ends_at: new Date(now + linkMs) });
  return code;
};

type NewSession = Omit<OperatorSession, 'id'>;

const byLink = 'link';

/** Sessions of operators and auditors: another kind than those of accounts, in a table of their own. */
export const createOperatorSessions = ({
  store,
  clock,
  settingsHash,
}: {
  store: OperatorStore;
  clock: Clock;
  /**
   * Digest of the settings that say which identity provider is used and which persons may sign in with it. A change of them
   * ends its sessions. Undefined: there is no provider.
   */
  settingsHash: string | undefined;
}) => {
  /** Begins a session with a new token. */
  const begin = async ({ operator, rights, language }: NewSession): Promise<string> => {
    const token = newToken();
    const now = clock();
    await store.add({
      token_hash: digestOfToken(token),
      operator,
      rights,
      language: language ?? null,
      created_at: new Date(now),
      last_used_at: new Date(now),
      ends_at: new Date(now + longestMs),
      settings_hash: operator === byLink ? null : (settingsHash ?? null),
    });
    return token;
  };

  return {
    begin,

    /** Begins a session by a link, which is used up. Undefined for every reason why it opens none. */
    async beginByLink(code: string, language: string | undefined): Promise<string | undefined> {
      if (!tokenPattern.test(code)) return undefined;
      const rights = await store.spendLink(digestOfToken(code), new Date(clock()));
      return rights && begin({ operator: byLink, rights, language });
    },

    /** The session that a token opens; undefined for every reason why it opens none. */
    async find(token: string): Promise<OperatorSession | undefined> {
      if (!tokenPattern.test(token)) return undefined;
      const id = digestOfToken(token);
      const row = await store.find(id);
      const now = clock();
      if (!row) return undefined;
      const isAllowed = row.operator === byLink || row.settings_hash === settingsHash;
      if (hasEnded(row, now) || !isAllowed) {
        await store.remove(id);
        return undefined;
      }
      if (row.last_used_at.getTime() + noteUseEveryMs <= now) {
        await store.noteUse(id, new Date(now));
      }
      const { operator, rights, language } = row;
      return { id, operator, rights, language: language ?? undefined };
    },

    end: (id: string): Promise<void> => store.remove(id),
  };
};

/** Removes the rows of sessions and links that have ended. */
export const removeEndedOperators = (
  store: Pick<OperatorStore, 'removeEnded'>,
  now: number,
): Promise<void> => store.removeEnded(new Date(now), new Date(now - idleMs));
