/**
 * Alerts to the owner of an account when a letter is sent: once for each policy, country, rule and letter.
 */
import { type AlertKind, accountSubject } from '../../events/policy.ts';
import type { Purpose, WalletEvent } from '../../events/wallet.ts';
import { type GuardedSend, policiesFor, type Verdict } from './evaluate.ts';
import type { Guards } from './state.ts';

/** A letter that is sent or changed. `alerted`: the rules that alerted of it, `subject rule`. */
type AlertedLetter = Pick<GuardedSend, 'letter' | 'subjects'> & {
  purpose: Purpose;
  alerted: readonly string[];
};

/** The first letter of a key or a UCAN, or the first one of a policy to a country. */
const firstOf = (guards: Guards, subject: string, country: string): AlertKind | undefined => {
  const seen = guards.seen.get(subject) ?? [];
  if (seen.includes(country)) return undefined;
  return seen.length === 0 && subject !== accountSubject ? 'first_use' : 'new_country';
};

export const alertsRaised = (
  guards: Guards,
  { alerts }: Pick<Verdict, 'alerts'>,
  { letter, subjects, purpose, alerted }: AlertedLetter,
): WalletEvent[] => {
  const { country } = letter;
  const firsts = policiesFor(guards, subjects).flatMap(({ subject }): WalletEvent[] => {
    const alert = firstOf(guards, subject, country);
    return alert ? [{ type: 'AlertRaised', data: { purpose, subject, alert, country } }] : [];
  });
  const rules = alerts
    .filter(({ subject, rule }) => !alerted.includes(`${subject} ${rule.id}`))
    .map(({ subject, rule }): WalletEvent => {
      const data = { purpose, subject, alert: 'rule' as const, country, rule: rule.id };
      return { type: 'AlertRaised', data };
    });
  return [...firsts, ...rules];
};
