/** Dry runs: the outcome of a send, decided as the send decides it. Nothing is stored, held or charged. */
import { decidingDenial, denialBody } from '../../commands/policies/denial.ts';
import type { JudgedReservation } from '../../commands/wallets/reserve-funds.ts';
import { invalidField } from '../../contract/refusals.ts';
import type { DryRun, Outcome } from '../../presenters/dry-run.ts';
import { presentPrice } from '../../presenters/price.ts';
import type { SendBody } from './schemas.ts';

/** @throws AppError validation_failed */
export const assertSends = (body: SendBody): void => {
  for (const name of ['draft', 'hold_without_funds'] as const) {
    if (!body[name]) continue;
    const detail = `${name} cannot be sent with dry_run, which says what sending the letter would come to. Leave out ${name}.`;
    throw invalidField(`/${name}`, 'not_with_dry_run', detail);
  }
};

/** The rules that decide, the deciding one first. */
export const presentDryRun = (
  price: Parameters<typeof presentPrice>[0],
  { verdict }: JudgedReservation,
): DryRun => {
  const { denials, allowedBy, holds } = verdict;
  const first = decidingDenial(denials);
  const denied = first ? [first, ...denials.filter((one) => one !== first)] : [];
  const held = holds.flatMap(({ subject, rules }) => rules.map((rule) => ({ subject, rule })));
  const answer = (outcome: Outcome, rules: Parameters<typeof denialBody>[0][]): DryRun => ({
    outcome,
    rules: rules.map(denialBody),
    price: presentPrice(price),
  });
  if (first) return answer('denied', denied);
  return held.length > 0 ? answer('held', held) : answer('allowed', allowedBy);
};
