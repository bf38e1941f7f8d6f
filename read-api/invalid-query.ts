import type { AppError, Facts } from '../contract/errors.ts';
import { invalidField } from '../contract/refusals.ts';

/** A field of the query that cannot be taken. */
export const invalidQuery = (field: string, detail: string, known: Facts = {}): AppError =>
  invalidField(`/query/${field}`, 'not_allowed', detail, known);
