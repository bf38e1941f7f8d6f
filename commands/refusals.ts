/** Refusals that commands of several subjects give. */
import { AppError } from '../contract/errors.ts';

export const keyReused = (): AppError =>
  new AppError(
    'idempotency_key_reused',
    'This Idempotency-Key belongs to another request. Use a new key for a new request.',
  );
