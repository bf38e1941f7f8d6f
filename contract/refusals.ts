/** Refusals that several rooms give. */
import { AppError, type Facts, facts } from './errors.ts';

/** Refuses one member of the request. `pointer` names the member, `code` the reason, `known` its numbers and names. */
export const invalidField = (
  pointer: string,
  code: string,
  detail: string,
  known: Facts = {},
): AppError =>
  new AppError('validation_failed', detail, {
    errors: [{ pointer, code, detail, [facts]: known }],
  });

/** @param cause what the store found, if the store found it */
export const keyReused = (cause?: Error): AppError =>
  new AppError(
    'idempotency_key_reused',
    'This Idempotency-Key belongs to another request. Repeat that request unchanged to get its answer. Under a new key this request is carried out in addition: a send mails a second letter. A draft that is sent by its letter_id needs a new key.',
    cause === undefined ? {} : { cause },
  );

export const accountNotFound = (): AppError =>
  new AppError('account_not_found', 'There is no such account.');

export const accountBlocked = (): AppError =>
  new AppError(
    'account_blocked',
    'The operator of this service has blocked the account. It can only read, cancel, delete and revoke. Ask the operator.',
  );

/** @param what the letter or change that was asked for, as the subject of the sentence */
export const askerRevoked = (what: string): AppError =>
  new AppError(
    'key_revoked',
    `${what} was asked for with a key or UCAN that has since been revoked. Ask again with another one.`,
  );

export const letterNotFound = (): AppError =>
  new AppError('letter_not_found', 'Your account has no letter with this id.');

/** The answer to a request for a deleted letter, or for erased content. */
export const letterDeleted = (): AppError =>
  new AppError(
    'letter_deleted',
    'The personal data of the letter were erased: it was deleted, or its time was over. Its audit history and its proof remain.',
  );

export const contractNotFound = (): AppError =>
  new AppError('contract_not_found', 'Your account has no contract with this id.');

export const notificationNotFound = (): AppError =>
  new AppError('notification_not_found', 'Your account has no notification with this id.');

export const mechRequestReused = (): AppError =>
  new AppError(
    'mech_request_reused',
    'This request_id belongs to another request. Use a new id for each request.',
  );
