/** The scopes of API keys, as capabilities and back. */
import { abilitiesOfScope, type Scope, scopes } from '../../contract/scopes.ts';
import { abilityCovers, accountResource, type Grant, resourceCovers } from './capability.ts';
import type { Capabilities, Caveat } from './token.ts';

/** The capabilities of a scope on everything in an account. */
export const capabilitiesOf = (
  scope: Scope,
  accountId: string,
  caveat: Caveat = {},
): Capabilities => ({
  [accountResource(accountId)]: Object.fromEntries(
    abilitiesOfScope[scope].map((ability) => [ability, [caveat]]),
  ),
});

/** The widest scope of which every ability is granted on the whole account, with whatever caveats. */
export const scopeOf = (
  grants: readonly Pick<Grant, 'resource' | 'ability'>[],
  accountId: string,
): Scope | null => {
  const whole = accountResource(accountId);
  const has = (ability: string): boolean =>
    grants.some(
      (grant) => resourceCovers(grant.resource, whole) && abilityCovers(grant.ability, ability),
    );
  return scopes.find((scope) => abilitiesOfScope[scope].every(has)) ?? null;
};
