/** The one form of every answer of `execute`, of refusals too. */
import { randomUUID } from 'node:crypto';
import type { Static } from 'typebox';
import { type AppError, errorCodes } from '../../contract/errors.ts';
import type { RefusalForm } from '../../contract/operation.ts';
import { Type } from '../../ground/type.ts';
import { inXdai, jsonInteger } from './actions.ts';

const FieldError = Type.Object({
  pointer: Type.String(),
  code: Type.String(),
  detail: Type.String(),
  hint: Type.Optional(Type.String()),
});

const Failure = Type.Object({
  code: Type.String({ description: 'A stable code. GET /errors/{code} explains it.' }),
  message: Type.String({ description: 'The same for every occurrence of the code.' }),
  detail: Type.String({ description: 'One sentence that says what to do.' }),
  errors: Type.Optional(Type.Array(FieldError)),
});

const nullable = (schema: object) =>
  Type.Unsafe<object | null>({ anyOf: [schema, { type: 'null' }] });

export const Envelope = Type.Object(
  {
    success: Type.Boolean(),
    data: nullable({ type: 'object', description: 'The result of the action; null on failure.' }),
    error: nullable(Failure),
    request_id: Type.String({ description: 'The id of the request, or one made for it.' }),
    price_paid_wei: Type.Integer({ minimum: 0, description: 'In xDAI; 0 on failure.' }),
    price_paid_human: Type.String({ examples: ['0.0200 xDAI'] }),
  },
  { $id: 'MechEnvelope' },
);
export type Envelope = Static<typeof Envelope>;

/** Pattern of a request's id: visible ASCII. Ids of the marketplace are hex or decimal digits. */
export const requestIdPattern = '^[\\x21-\\x7e]{1,128}$';

/** The id in a body, if it has one that can be repeated in the answer. */
const idIn = (body: unknown): string | undefined => {
  const id =
    typeof body === 'object' && body !== null ? Reflect.get(body, 'request_id') : undefined;
  return typeof id === 'string' && new RegExp(requestIdPattern).test(id) ? id : undefined;
};

export const requestIdOf = (body: unknown): string => idIn(body) ?? `mech_${randomUUID()}`;

const paid = (wei: bigint) => ({
  price_paid_wei: jsonInteger(wei),
  price_paid_human: inXdai(wei),
});

export const succeeded = (requestId: string, data: object, wei: bigint): Envelope => ({
  success: true,
  data,
  error: null,
  request_id: requestId,
  ...paid(wei),
});

export const failed = (
  requestId: string,
  { code, message, errors }: Pick<AppError, 'code' | 'message' | 'errors'>,
): Envelope => ({
  success: false,
  data: null,
  error: {
    code,
    message: errorCodes[code].title,
    detail: message,
    ...(errors === undefined ? {} : { errors }),
  },
  request_id: requestId,
  ...paid(0n),
});

export const refusals: RefusalForm = {
  schema: Envelope,
  bodyOf: (error, { body }) => failed(requestIdOf(body), error),
};
