/** The policy of the account as a form changes it: one rule more, or one less. */
import { isDeepStrictEqual } from 'node:util';
import type { Static } from 'typebox';
import type { PolicyAnswer } from '../../../presenters/policy.ts';
import { amountIn, fieldOf } from '../form.ts';

export type Policy = Static<typeof PolicyAnswer>;
type Body = Record<string, unknown> & { rules: unknown[] };

/** The rule in the fields of the form, as the operations take it. */
export const ruleIn = (form: URLSearchParams): Record<string, unknown> => {
  const [id, country] = [fieldOf(form, 'id'), fieldOf(form, 'country')];
  const [above, most] = [amountIn(form, 'price_above'), amountIn(form, 'amount')];
  const rule: Record<string, unknown> = { effect: fieldOf(form, 'effect') };
  const when: Record<string, unknown> = {};
  if (id !== undefined) rule.id = id.trim();
  if (country !== undefined) when.countries = [country];
  if (above !== undefined) when.price_above = above;
  if (Object.keys(when).length > 0) rule.when = when;
  if (most !== undefined) rule.limit = { amount: most, per: fieldOf(form, 'per') };
  return rule;
};

/** The parts of the policy apart from its rules. Digests and approvers are sent back as they were shown. */
const keptOf = (policy: Policy | undefined): Record<string, unknown> => {
  if (!policy) return {};
  const { time_zone, approvals } = policy;
  return approvals === undefined ? { time_zone } : { time_zone, approvals };
};

export const withRule = (policy: Policy | undefined, rule: Record<string, unknown>): Body => ({
  ...keptOf(policy),
  rules: [...(policy?.rules ?? []), rule],
});

export const withoutRule = (policy: Policy, id: string): Body => ({
  ...keptOf(policy),
  rules: policy.rules.filter((rule) => rule.id !== id),
});

export const hasRule = (policy: Policy, id: string): boolean =>
  policy.rules.some((rule) => rule.id === id);

/** Whether this rule was added last. A rule without a name got one. */
export const endsWith = (policy: Policy | undefined, rule: Record<string, unknown>): boolean => {
  const last = policy?.rules.at(-1);
  return last !== undefined && isDeepStrictEqual({ ...last }, { id: last.id, ...rule });
};
