/**
 * Gets an answer: repeats only safe requests, waits within bounds as the service says, and pays once. A signed
 * payment is repeated unchanged and never replaced by another.
 */
import { type Answer, attempt, type HttpRequest } from './attempt.ts';
import { type ErrorData, errorOf, type ServiceError } from './errors.ts';
import { forgetLogPosition, minLogPosition } from './log-positions.ts';
import type { Settings } from './options.ts';
import { pause } from './pause.ts';
import { createWallet, type Payment } from './payment.ts';

export type Send = (request: HttpRequest) => Promise<Answer>;

export const withData = (error: ServiceError, more: Partial<ErrorData>): ServiceError =>
  errorOf({ ...error.data, ...more }, { cause: error.cause });

const backoffMs = (attempts: number): number => 250 * 2 ** attempts * (0.75 + Math.random() / 2);

/** Repeated with the same payment, whatever else was asked for: nothing else was done yet. */
const isPaymentPending = ({ code }: ServiceError): boolean =>
  code === 'payment_pending' || code === 'payment_unavailable';

/** The service took no payment: the signed payment is not spent. */
const isPaymentRefused = ({ code }: ServiceError): boolean =>
  code === 'payment_invalid' || code === 'payment_required';

const mayRepeat = (failure: ServiceError, request: HttpRequest, paying: boolean): boolean => {
  if (!failure.data.retryable || failure.code === 'quota_exceeded') return false;
  if (paying) return request.idempotencyKey !== undefined || isPaymentPending(failure);
  // A limited request was not started.
  return request.repeatable || failure.status === 429;
};

/** A payment went out, and its outcome is unknown. */
const uncertain = (failure: ServiceError): ServiceError =>
  withData(failure, {
    hint: 'A payment was signed and sent. Do not sign another: repeat the call with the same idempotency key, or look at the wallet of the payer.',
  });

/** Adds the key to the hint of a request that may have been done: a repetition under the same key does nothing twice. */
export const withKeyHint = (failure: ServiceError): ServiceError => {
  const { idempotency_key: key, hint } = failure.data;
  if (key === undefined || isAnswered(failure) || hint.includes('idempotency')) return failure;
  return withData(failure, {
    hint: `${hint} It may have been done: repeat it only with the same idempotency key, ${key}.`,
  });
};

/** Something on the way answered, so the service may have done the request anyway. */
const ofOthers = ['not_json', 'redirect_refused'];

/** The service itself refused the request. */
const isAnswered = ({ status, code }: ServiceError): boolean =>
  status !== null && status < 500 && !ofOthers.includes(code);

/** It is settled that the request was not done, and will not be with this payment. */
const isSettled = (failure: ServiceError, payment: Payment): boolean =>
  // Of a payment that was sent before, the answer to that may have got lost.
  payment.sent === 1 && isAnswered(failure) && !failure.data.retryable;

/** The error of a call that ends with this failure. */
const ended = (failure: ServiceError, payment: Payment | undefined): ServiceError => {
  if (payment === undefined) return withKeyHint(failure);
  if (isSettled(failure, payment) && isPaymentRefused(failure)) payment.release();
  return payment.sent === 1 && isAnswered(failure) ? failure : uncertain(failure);
};

/** @throws ServiceError */
export const createSender = (settings: Settings): Send => {
  const wallet = settings.payer && createWallet(settings.payer);
  const { retries, maxWaitMs, baseUrl } = settings;
  return async (request) => {
    const { idempotencyKey, signal } = request;
    const key = idempotencyKey === undefined ? {} : { idempotency_key: idempotencyKey };
    // The service may have moved meanwhile: the payment went to its former address.
    const payable = idempotencyKey === undefined ? undefined : `${request.path} ${idempotencyKey}`;
    let payment = payable === undefined ? undefined : await wallet?.paymentOf(payable);
    let waitedMs = 0;
    for (let attempts = 0; ; ) {
      if (payment) payment.sent += 1;
      const outcome = await attempt(settings, request, payment?.header);
      if (outcome.answer) return outcome.answer;
      const { required } = outcome;
      const asked = required === undefined ? {} : { payment_required: required };
      const failure = withData(outcome.failure, { ...key, ...asked });
      if (required && wallet && payment === undefined) {
        payment = await wallet.pay(required, `${baseUrl}${request.path}`, payable);
        continue;
      }
      if (
        failure.code === 'position_beyond_log' &&
        'x-min-log-position' in minLogPosition(settings)
      ) {
        forgetLogPosition(settings);
        continue;
      }
      const { retry_after: seconds } = failure.data;
      const waitMs = seconds === undefined ? backoffMs(attempts) : seconds * 1000;
      const inTime = attempts < retries && waitedMs + waitMs <= maxWaitMs;
      if (!inTime || !mayRepeat(failure, request, payment !== undefined)) {
        if (payable !== undefined && payment && isSettled(failure, payment))
          wallet?.forget(payable);
        throw ended(failure, payment);
      }
      attempts += 1;
      waitedMs += waitMs;
      // The next attempt reports an abort during the wait.
      await pause(waitMs, signal).catch(() => {});
    }
  };
};
