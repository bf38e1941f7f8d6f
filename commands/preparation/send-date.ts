import { invalidField } from '../../contract/refusals.ts';
import { dayMs, dayOf } from '../../ground/day.ts';
import type { Limits } from '../../limits/table.ts';
import { firstSendDate } from '../../postal/hand-over.ts';
import type { CountryCode } from '../../postal/types.ts';

/** @throws AppError validation_failed for a day that has passed in the recipient's country, or is too far ahead */
export const assertSendDate = (
  sendDate: string | undefined,
  country: CountryCode,
  now: number,
  limits: Limits,
): void => {
  if (sendDate === undefined) return;
  const first = firstSendDate(country, now);
  const last = dayOf(now + limits.sendDateDays * dayMs);
  if (first <= sendDate && sendDate <= last) return;
  const detail = `send_date ${sendDate} must be between ${first} and ${last}.`;
  throw invalidField('/send_date', 'out_of_range', detail, { first, last });
};
