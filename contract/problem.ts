import { type AppError, type ErrorCode, errorCodes, type FieldError } from './errors.ts';

/** The body of every error answer (RFC 9457), `application/problem+json`. */
export type Problem = {
  type: string;
  title: string;
  status: number;
  detail: string;
  instance: string;
  code: ErrorCode;
  request_id: string;
  errors?: FieldError[];
  [extra: string]: unknown;
};

/** `instance` is the path without its query, which may hold personal data. */
export const problemOf = (
  error: AppError,
  about: { baseUrl: string; instance: string; requestId: string },
): Problem => ({
  ...error.extra,
  type: `${about.baseUrl}/errors/${error.code}`,
  title: errorCodes[error.code].title,
  status: error.status,
  detail: error.message,
  instance: about.instance,
  code: error.code,
  request_id: about.requestId,
  errors: error.errors,
});
