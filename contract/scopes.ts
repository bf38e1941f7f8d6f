/** API key scopes, from widest to narrowest: full contains send contains read. */
export const scopes = ['full', 'send', 'read'] as const;
export type Scope = (typeof scopes)[number];

const rank: Record<Scope, number> = { full: 3, send: 2, read: 1 };

/** Whether a key with scope `held` may do what needs `needed`. */
export const scopeCovers = (held: Scope, needed: Scope): boolean => rank[held] >= rank[needed];
