import type { AppError } from '../contract/errors.ts';
import { invalidField } from '../contract/refusals.ts';

/** A field of the query that cannot be taken. */
export const invalidQuery = (field: string, detail: string): AppError =>
  invalidField(`/query/${field}`, 'not_allowed', detail);
