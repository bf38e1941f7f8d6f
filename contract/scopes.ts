/** API key scopes, from widest to narrowest: full contains send contains read. */
export const scopes = ['full', 'send', 'read'] as const;
export type Scope = (typeof scopes)[number];

const rank: Record<Scope, number> = { full: 3, send: 2, read: 1 };

/** Whether a key with scope `held` may do what needs `needed`. */
export const scopeCovers = (held: Scope, needed: Scope): boolean => rank[held] >= rank[needed];

/**
 * The same scopes as abilities of a UCAN on `letters://<account>/`, each spelt out, so that a foreign
 * verifier needs to know no hierarchy. Source: facts/identity.md §1.5.
 */
export const abilitiesOfScope: Record<Scope, readonly string[]> = {
  read: ['letters/read'],
  send: ['letters/read', 'letters/send'],
  full: ['letters/*'],
};

/** The one ability that an operation of this scope needs. */
export const abilityNeeded: Record<Scope, string> = {
  read: 'letters/read',
  send: 'letters/send',
  full: 'letters/*',
};
