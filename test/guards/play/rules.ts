/** Policies by seed. Prices of letters are between $1.50 and $6. */
import type { WantedPolicy, WantedRule } from '../../../commands/policies/check-policy.ts';
import type { LimitPeriod } from '../../../events/policy.ts';
import { pick, type Random } from '../../simulation/schedule.ts';

const periods: LimitPeriod[] = ['hour', 'day', 'month', 'rolling_24h', 'total'];
const countrySets = [['FR'], ['US'], ['FR', 'US'], ['FR', 'DE', 'US']];

const matchOf = (random: Random): Pick<WantedRule, 'when'> => {
  if (random() < 0.4) return {};
  const countries = pick(random, countrySets);
  return { when: { countries, ...(random() < 0.3 ? { priceAboveCents: 250 } : {}) } };
};

const limitOf = (random: Random): Pick<WantedRule, 'limit'> => {
  const per = pick(random, periods);
  if (random() < 0.25) return {};
  if (random() < 0.4) return { limit: { letters: 1 + Math.floor(random() * 5), per } };
  return { limit: { amountCents: 200 + Math.floor(random() * 2_000), per } };
};

const ruleOf = (random: Random, index: number): WantedRule => {
  const id = `r${index}`;
  const kind = random();
  if (kind < 0.65) return { id, effect: 'allow', ...matchOf(random), ...limitOf(random) };
  if (kind < 0.85) return { id, effect: 'hold', ...matchOf(random) };
  if (kind < 0.95) return { id, effect: 'alert', ...matchOf(random) };
  return { id, effect: 'deny', when: { countries: [pick(random, ['DE', 'US'])] } };
};

export const policyOf = (random: Random, approvers: readonly string[]): WantedPolicy => {
  const count = 1 + Math.floor(random() * 4);
  const some = Array.from({ length: count }, (_, index) => ruleOf(random, index));
  const rules: WantedRule[] = [{ id: 'all', effect: 'allow', ...limitOf(random) }, ...some];
  const approvals = { quorum: 1 as 1 | 2, approvers: [] as string[], expiresInHours: 2 };
  if (random() < 0.4) {
    approvals.approvers = [...approvers];
    if (approvers.length > 1 && random() < 0.5) approvals.quorum = 2;
  }
  return { timeZone: 'UTC', rules, ...(random() < 0.7 ? { approvals } : {}) };
};
