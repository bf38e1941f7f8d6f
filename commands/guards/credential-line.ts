/**
 * The keys and UCANs that a credential comes from: those that it was rotated from, that made it, and that it ends
 * with. Their policies apply to it, and it is frozen with them. This never changes once a key
 * exists, so it is remembered.
 */
import { AppError } from '../../contract/errors.ts';
import {
  ucanSubject,
  ucanSubjectPrefix,
  walletIdPrefix,
  walletSubject,
} from '../../contract/frozen.ts';
import type { Caller } from '../../contract/operation.ts';
import type { Scope } from '../../contract/scopes.ts';
import type { CredentialLine } from '../../events/letter.ts';
import { createBoundedMap } from '../../ground/bounded-map.ts';
import { type Account, type ApiKey, accountAggregate } from '../accounts/account.ts';
import { hasExpired, wasRevoked } from '../accounts/keys.ts';
import type { CommandHandler } from '../handling/handle.ts';

/**
 * Finds the first of the keys that were rotated one to another: a policy stays with the key that replaces it. Each key is
 * looked at once, however many are asked for.
 */
const createFirstOf = ({ keys }: Account): ((key: ApiKey) => string) => {
  const firsts = new Map<string, string>();
  return (key) => {
    const line: string[] = [];
    let first = key;
    let found = firsts.get(key.keyId);
    while (found === undefined) {
      line.push(first.keyId);
      const before = keys.get(first.rotatedFrom ?? '');
      if (before) first = before;
      found = before ? firsts.get(before.keyId) : first.keyId;
    }
    for (const keyId of line) firsts.set(keyId, found);
    return found;
  };
};

const firstOf = (account: Account, key: ApiKey): string => createFirstOf(account)(key);

/** The key under whose id the policy of a key stands. Its own id for a key that replaced none. */
export const policyKeyOf = (account: Account, keyId: string): string => {
  const key = account.keys.get(keyId);
  return key ? firstOf(account, key) : keyId;
};

/**
 * The subjects of policies and freezes: of keys, and of all that they come from. `wallet` stands for the wallet of the
 * account.
 * @param ids ids of keys, and `ucan:<cid>`
 */
export const subjectsOf = (account: Account, ids: readonly string[]): string[] => {
  const known = new Map<string, ApiKey>();
  const ucans = new Set<string>();
  const waiting = [...ids];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (id.startsWith(ucanSubjectPrefix)) ucans.add(id);
    const key = account.keys.get(id);
    if (!key || known.has(id)) continue;
    known.set(id, key);
    const { rotatedFrom, madeBy, boundTo } = key;
    waiting.push(...[rotatedFrom, madeBy].flatMap((one) => one ?? []), ...(boundTo?.keys ?? []));
    for (const cid of boundTo?.ucans ?? []) ucans.add(ucanSubject(cid));
    if (madeBy?.startsWith(walletIdPrefix)) ucans.add(walletSubject);
  }
  return [...new Set([...known.values()].map(createFirstOf(account))), ...ucans];
};

/** The caller's own key or UCAN comes first (a key by the first that was rotated to it), then its bounds. */
const ownSubjects = (account: Account, ids: readonly string[]): string[] => [
  ...new Set(
    ids.flatMap((id) => {
      const key = account.keys.get(id);
      if (key) return [firstOf(account, key)];
      return id.startsWith(ucanSubjectPrefix) ? [id] : [];
    }),
  ),
];

/** A caller, or a key that nobody calls with. */
export type Acting = Pick<Caller, 'accountId' | 'keyId' | 'wallet' | 'bounds'>;

/**
 * The keys (ids) and UCANs (`ucan:<cid>`) that a caller acts with: its own first, then those that its credential ends
 * with.
 */
export const keyIdsOf = ({ keyId, wallet, bounds }: Omit<Acting, 'accountId'>): string[] => {
  const own = wallet ? [] : [keyId];
  const ucans = (bounds?.ucans ?? []).map(ucanSubject);
  return [...new Set([...own, ...(bounds?.keys ?? []), ...ucans])];
};

/** A wallet pays or signs in by itself. It has no key. */
const walletLine: CredentialLine = { own: [], line: [walletSubject] };

/** `limited`: the policy applies to it. `maker`: the key that the policy is of comes from it. */
export type ApproverFault = 'read_only' | 'revoked' | 'expired' | 'limited' | 'maker';

const mostKnown = 20_000;

export type CredentialLines = ReturnType<typeof createCredentialLines>;

export const createCredentialLines = ({ handler }: { handler: Pick<CommandHandler, 'load'> }) => {
  const known = createBoundedMap<string, CredentialLine>(mostKnown);
  const nameOf = (accountId: string, keyIds: readonly string[]) =>
    `${accountId} ${keyIds.join(' ')}`;

  return {
    /** Undefined: it must be loaded. */
    known: (accountId: string, keyIds: readonly string[]): CredentialLine | undefined =>
      keyIds.length === 0 ? walletLine : known.get(nameOf(accountId, keyIds)),

    async load(accountId: string, keyIds: readonly string[]): Promise<CredentialLine> {
      const { state } = await handler.load(accountAggregate, accountId);
      const credential = {
        own: ownSubjects(state, keyIds),
        line: subjectsOf(state, keyIds),
      };
      known.set(nameOf(accountId, keyIds), credential);
      return credential;
    },

    /** The subject of a key's policy. @throws AppError key_not_found */
    async subjectOf(accountId: string, keyId: string): Promise<string> {
      const { state } = await handler.load(accountAggregate, accountId);
      const key = state.keys.get(keyId);
      if (key) return firstOf(state, key);
      throw new AppError('key_not_found', 'Your account has no key with this id.');
    },

    /** Why a key can never approve a letter that a policy holds; undefined: it can. `at`: RFC 3339. */
    async approverFault(
      accountId: string,
      keyId: string,
      policy: string,
      at: string,
    ): Promise<ApproverFault | undefined> {
      const { state } = await handler.load(accountAggregate, accountId);
      const key = state.keys.get(keyId);
      if (key?.scope === 'read') return 'read_only';
      if (wasRevoked(state, keyId)) return 'revoked';
      if (hasExpired(state, keyId, at)) return 'expired';
      if (subjectsOf(state, [keyId]).includes(policy)) return 'limited';
      // A key that rotated the key of the policy made its replacement.
      const first = createFirstOf(state);
      const limited = [...state.keys.values()].filter((one) => first(one) === policy);
      const makers = subjectsOf(
        state,
        limited.map((one) => one.keyId),
      );
      return key && makers.includes(firstOf(state, key)) ? 'maker' : undefined;
    },

    /** The scope of a key that does not come from the credential; undefined: it does, or is unknown. */
    async scopeOfOther(
      accountId: string,
      keyId: string,
      { own: [credential] }: CredentialLine,
    ): Promise<Scope | undefined> {
      const { state } = await handler.load(accountAggregate, accountId);
      const comesFrom = subjectsOf(state, [keyId]);
      if (credential !== undefined && comesFrom.includes(credential)) return undefined;
      return state.keys.get(keyId)?.scope;
    },
  };
};
