import { AppError, type FieldError } from '../contract/errors.ts';

/** The refusal of a request for one of its fields. */
export const invalidField = (error: FieldError): AppError =>
  new AppError('validation_failed', error.detail, { errors: [error] });
