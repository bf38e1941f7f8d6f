/** Answers that hold a secret: how long, and to whom, they are given again. */
import { AppError } from './errors.ts';

/** Callers that lost an answer repeat the request within minutes. Later repetitions have other causes. */
export const repeatedForMs = 600_000;

/** Advice for callers without the secret, where the operation gives none. */
const askAgain =
  'Repeat the request under a new Idempotency-Key, and revoke what this one created.';

/** @param answeredAt when the answer was given first, RFC 3339 */
export const secretNotRepeated = (
  answeredAt: string,
  {
    why = `it can be repeated for ${repeatedForMs / 60_000} minutes`,
    instead = askAgain,
  }: { why?: string; instead?: string | undefined } = {},
): AppError =>
  new AppError(
    'secret_not_repeated',
    `This request was carried out at ${answeredAt}. Its answer contains a secret: ${why}. ${instead}`,
  );
