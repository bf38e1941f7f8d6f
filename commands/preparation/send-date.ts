import { AppError } from '../../contract/errors.ts';
import { toTimestamp } from '../../ground/clock.ts';
import { numberOf } from '../../ground/plural.ts';
import type { Limits } from '../../limits/table.ts';

/** @throws AppError validation_failed for a day that has passed or is too far ahead */
export const assertSendDate = (sendDate: string | undefined, now: number, limits: Limits): void => {
  if (sendDate === undefined) return;
  const today = toTimestamp(now).slice(0, 10);
  const days = (Date.parse(sendDate) - Date.parse(today)) / 86_400_000;
  if (days >= 0 && days <= limits.sendDateDays) return;
  const detail = `send_date ${sendDate} must be between ${today} and ${numberOf(limits.sendDateDays, 'day')} later.`;
  throw new AppError('validation_failed', detail, {
    errors: [{ pointer: '/send_date', code: 'out_of_range', detail }],
  });
};
