import type { AppError } from '../contract/errors.ts';
import { invalidField } from '../contract/refusals.ts';

export const dayMs = 86_400_000;

/** A field of the query that cannot be taken. */
export const invalidQuery = (field: string, detail: string): AppError =>
  invalidField(`/query/${field}`, 'not_allowed', detail);

/** Whether a text is a day of the calendar, as `2026-01-31`. */
export const isDay = (text: string): boolean => {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
};
