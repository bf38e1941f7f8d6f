import { AppError, type FieldError } from '../contract/errors.ts';

/** A request that does not validate: the first finding in its `detail`, all of them in `errors`. */
export const validationFailed = (errors: FieldError[]): AppError => {
  const [first] = errors;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more in errors)` : '';
  return new AppError('validation_failed', `${first?.detail ?? ''}${more}`.trim(), { errors });
};
