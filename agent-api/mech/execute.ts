/**
 * Executes a call of the tool that the marketplace forwards. Each action is a call of an operation, whose
 * rules hold. The marketplace's own rules are here: who pays, once for each request id, and the envelope.
 */

import type { Called, CallInput } from '../../contract/call.ts';
import { cancellableClause } from '../../contract/cancellable.ts';
import { AppError, type ErrorCode, errorCodes, isAppError } from '../../contract/errors.ts';
import {
  type AnyOperation,
  type Caller,
  type OperationRequest,
  type OperationResult,
  operation,
} from '../../contract/operation.ts';
import { invalidField, mechRequestReused } from '../../contract/refusals.ts';
import { createInTurn } from '../../ground/in-turn.ts';
import { isUuid } from '../../ground/uuid.ts';
import { type Action, prices } from './actions.ts';
import { type Asked, ExecuteBody, readAsked } from './ask.ts';
import { Envelope, failed, refusals, requestIdOf, succeeded } from './envelope.ts';
import type { MechPorts, PaidRequest } from './ports.ts';

/** The operation behind each action. */
const operations: Record<Action, string> = {
  send: 'send_letter',
  track: 'track_letter',
  negotiate: 'negotiate_pricing',
};

/** Errors about the operator's account, which callers of the mech must not see. */
const ofOperator = new Set<ErrorCode>([
  ...(['insufficient_funds', 'account_blocked', 'payment_required', 'quota_exceeded'] as const),
  ...(['authentication_required', 'scope_insufficient', 'key_unconfirmed'] as const),
  ...(['frozen', 'account_closing'] as const),
]);

const unavailable = (): AppError =>
  new AppError(
    'mech_unavailable',
    'The account of the mech cannot pay for letters at the moment. Ask its operator, and repeat the request.',
    { headers: { 'Retry-After': '60' } },
  );

/** Callers must not see rules and budgets of the operator. */
const notSentHere = (): AppError =>
  new AppError(
    'policy_denied',
    'The operator of the mech does not send this letter. Send another letter, or use the REST API with an account of your own.',
  );

const disabled = (): AppError =>
  new AppError('mech_disabled', 'The mech is switched off here. Send letters with POST /api/send.');

type Fields = Record<string, unknown>;

/** The refusal of an operation, as an answer of the mech. */
const refusalIn = ({ status, headers, body }: Called): AppError => {
  const {
    code = 'internal_error',
    detail = '',
    errors,
  } = JSON.parse(body || '{}') as {
    code?: ErrorCode;
    detail?: string;
    errors?: { pointer: string; code: string; detail: string }[];
  };
  if (ofOperator.has(code)) return unavailable();
  if (code === 'policy_denied' || code === 'approval_required') return notSentHere();
  const known: ErrorCode = Object.hasOwn(errorCodes, code) ? code : 'internal_error';
  const wait = headers['retry-after'];
  return new AppError(known, detail, {
    ...(errors && { errors: errors.map((one) => ({ ...one, pointer: `/params${one.pointer}` })) }),
    ...(wait !== undefined && status >= 429 ? { headers: { 'Retry-After': String(wait) } } : {}),
  });
};

/**
 * Errors of the request itself, or temporary ones, which the status shows too. All other refusals are outcomes.
 */
const isTold = ({ code, status }: AppError): boolean =>
  code === 'validation_failed' ||
  code === 'idempotency_in_progress' ||
  code.startsWith('mech_') ||
  status === 429 ||
  status >= 500;

/** `requestKey` is the same for an id however it is written, so that it makes one letter. */
const inputFor = ({ action, fields }: Asked, requestKey: string): CallInput => {
  const headers = { accept: 'application/json' };
  const empty = { params: {}, query: {}, body: {}, headers };
  switch (action) {
    case 'send':
      return {
        ...empty,
        body: fields,
        headers: { ...headers, 'idempotency-key': `mech ${requestKey}` },
      };
    case 'track':
      return { ...empty, params: { letter_id: String(fields.letter_id) } };
    case 'negotiate':
      return { ...empty, body: fields };
    default: {
      const unknown: never = action;
      return unknown;
    }
  }
};

const noSuchLetter = (): AppError =>
  new AppError(
    'letter_not_found',
    'No letter with this letter_id was sent through the mech. Check the id.',
  );

/** The last log position of the letter that is tracked. @throws AppError letter_not_found */
const trackedAt = async (
  { lastChangeOf }: MechPorts,
  { action, fields }: Asked,
): Promise<bigint | undefined> => {
  if (action !== 'track') return undefined;
  const letterId = String(fields.letter_id).toLowerCase();
  const changed = isUuid(letterId.toLowerCase()) ? await lastChangeOf(letterId) : undefined;
  if (changed === undefined) throw noSuchLetter();
  return changed;
};

/** Callers must not see the volume contract of the operator. The lines of the price add up without it. */
const withoutContract = (data: Fields): Fields => {
  if (typeof data.price !== 'object') return data;
  const { discount: _, ...price } = data.price as Fields;
  return { ...data, price };
};

/** No action changes, cancels or deletes a letter, so an answer offers none of that. */
const withoutAbilities = (data: Fields): Fields => {
  if (typeof data.abilities !== 'object') return data;
  const { abilities, message, cancellable_until: until } = data;
  const names = Object.keys(abilities as Fields);
  return {
    ...data,
    message: String(message).replace(cancellableClause(String(until)), ''),
    cancellable_until: null,
    abilities: Object.fromEntries(names.map((name) => [name, false])),
  };
};

type Request = OperationRequest<{ body: typeof ExecuteBody }, 'public'>;

/** `caller`: the account that the action is done for; absent: none. */
const call = async (
  asked: Asked,
  {
    requestKey,
    callAs,
    caller,
    minPosition,
  }: {
    requestKey: string;
    callAs: Request['callAs'];
    caller?: Caller;
    minPosition?: bigint | undefined;
  },
): Promise<Fields> => {
  const input = inputFor(asked, requestKey);
  if (minPosition !== undefined) input.headers['x-min-log-position'] = String(minPosition);
  const called = await callAs(operations[asked.action], input, caller);
  if (called.status < 300) {
    return withoutAbilities(withoutContract(JSON.parse(called.body) as Fields));
  }
  throw refusalIn(called);
};

const createServe = (ports: MechPorts) => {
  const { mode, requests } = ports;
  /** The requests that this process serves: one at a time for each request id. */
  const inTurn = createInTurn();

  const payFor = async (
    asked: Asked,
    request: PaidRequest,
    { signed, callAs }: Pick<Request, 'signed' | 'callAs'>,
  ): Promise<OperationResult> => {
    const { requestId, requestKey, priceWei, caller } = request;
    const { status, answer } = await requests.find(request);
    const proof = await ports.prove({ signed, requestId, priceWei });
    if (answer) {
      return { body: succeeded(requestId, answer, priceWei), replayed: true };
    }
    // A request to track a letter that does not exist is neither recorded nor counted.
    const minPosition = await trackedAt(ports, asked);
    if (status === 'none' || status === 'refused') {
      await proof.confirm?.();
      await requests.begin(request, proof);
    } else if (status === 'claimed') await requests.begin(request, proof);
    try {
      const data = await call(asked, { requestKey, callAs, caller, minPosition });
      const letterId = String(data.letter_id);
      // A repeated send gets its first answer from the operation.
      const kept = asked.action === 'track' ? data : undefined;
      const served =
        status === 'served' ? undefined : await requests.serve(request, letterId, kept);
      return {
        body: succeeded(requestId, served?.answer ?? data, priceWei),
        ...(served ? { position: served.position } : {}),
        replayed: status === 'served',
      };
    } catch (error) {
      // The outcome of any other error is unknown: the request stays on record for its repetition.
      if (isAppError(error) && error.status < 500 && error.code !== 'idempotency_in_progress') {
        await requests.refuse(request, error.code);
      }
      throw error;
    }
  };

  return async (requestId: string, { body, signed, callAs }: Request): Promise<OperationResult> => {
    const asked = readAsked(body);
    const { action } = asked;
    if (action !== 'negotiate' && mode === 'live' && body.request_id === undefined) {
      const detail = `${action} needs a request_id, so that it is carried out only once.`;
      throw invalidField('/request_id', 'required', detail);
    }
    const requestKey = await ports.keyOf(requestId);
    if (action === 'negotiate') {
      if (await requests.isUsed(requestKey)) throw mechRequestReused();
      // The offer names no account, so that the requester can accept it and learns nothing about the operator.
      return { body: succeeded(requestId, await call(asked, { requestKey, callAs }), 0n) };
    }
    const caller = await ports.payer();
    const requestHash = ports.digest(asked);
    const request = {
      action,
      requestId,
      requestKey,
      requestHash,
      priceWei: prices[action],
      caller,
    };
    return inTurn(requestKey, () => payFor(asked, request, { signed, callAs }));
  };
};

const exampleParams = {
  action: 'send',
  to_name: 'Ada Lovelace',
  to_line1: 'Pariser Platz 1',
  to_city: 'Berlin',
  to_postal_code: '10117',
  to_country: 'DE',
  from_name: 'Grace Hopper',
  from_line1: 'Unter den Linden 77',
  from_city: 'Berlin',
  from_postal_code: '10117',
  from_country: 'DE',
  content: 'Dear Ada, the engine works.',
};

/** Absent: the mech is not switched on. */
export const executeOperation = (ports: MechPorts | undefined): AnyOperation => {
  const serve = ports && createServe(ports);
  return operation({
    name: 'mech_execute',
    method: 'POST',
    path: '/api/mech/execute',
    tag: 'Mech',
    summary: 'Execute a tool call of the mech marketplace',
    description:
      'Runs `send`, `track` or `negotiate` for the marketplace. Every answer has the same form. A 200 answer with `success: false` means that the action was not carried out and costs nothing. Other statuses mean that the request cannot be read, is not paid for, or should be repeated.',
    access: 'public',
    maybeSigned: true,
    refusals,
    input: { body: ExecuteBody },
    responses: { 200: { description: 'The result of the action', schema: Envelope } },
    errors: [
      ...(['mech_disabled', 'mech_proof_needed', 'mech_request_reused'] as const),
      ...(['mech_cap_reached', 'mech_unavailable', 'idempotency_in_progress'] as const),
    ],
    examples: [
      {
        summary: 'A letter',
        body: { tool: 'service_send_letter', params: exampleParams, request_id: 'req-2026-000117' },
      },
    ],
    async handle(request) {
      if (!serve) throw disabled();
      const requestId = requestIdOf(request.body);
      try {
        return await serve(requestId, request);
      } catch (error) {
        if (!isAppError(error) || isTold(error)) throw error;
        return { body: failed(requestId, error) };
      }
    },
  });
};
