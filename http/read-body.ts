import type { TSchema } from 'typebox';
import { AppError } from '../contract/errors.ts';
import { paymentHeaders } from '../contract/payment-headers.ts';
import { bufferOver } from '../ground/shared-bytes.ts';
import type { ParseBody } from './body-parser.ts';
import type { BodyRules } from './body-rules.ts';
import { type FormMembers, formMembersOf, isFormType } from './form-body.ts';
import { type ParsedBody, withoutFile } from './parse-body.ts';
import { type BodyLimits, receiveBody } from './receive-body.ts';
import type { HttpContext, RequestState, Rule } from './rule.ts';
import { bodyTooLarge, wholeBody } from './whole-body.ts';

const mediaType = /^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?;?\s*$/i;

const unsupported = (detail: string): AppError => new AppError('unsupported_media_type', detail);

/** Refuses by headers alone bodies that would not be read. Returns the body that was sent. */
const checkHeaders = (
  ctx: HttpContext,
  { maxBytes, forms }: BodyRules,
): 'none' | 'json' | 'form' => {
  const { headers } = ctx.req;
  const length = headers['content-length'];
  if (headers['transfer-encoding'] === undefined && (length === undefined || length === '0')) {
    return 'none';
  }
  const type = headers['content-type'] ?? '';
  const isForm = forms && isFormType(type);
  if (!isForm && !mediaType.test(type)) {
    const form = forms ? ', or a form: multipart/form-data' : '';
    throw unsupported(
      `The body must be JSON in UTF-8. Send Content-Type: application/json${form}.`,
    );
  }
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw unsupported('The body must not be compressed. Leave out Content-Encoding.');
  }
  if (length !== undefined && Number(length) > maxBytes) throw bodyTooLarge(maxBytes);
  return isForm ? 'form' : 'json';
};

/** Whether `{}` (and so no body at all) is a valid body. */
export const isOptionalBody = (schema: TSchema): boolean => {
  const { type, required, minProperties, ...rest } = schema as Record<string, unknown>;
  const noneRequired = required === undefined || (Array.isArray(required) && !required.length);
  const conditional = ['anyOf', 'oneOf', 'allOf', 'if'].some((keyword) => keyword in rest);
  return type === 'object' && noneRequired && !conditional && !minProperties;
};

const isFile = (member: FormMembers[string] | undefined): boolean =>
  member?.contentEncoding === 'base64';

/** The operation that a request may repeat: it has a key, or comes with a payment. */
const fingerprintedOperation = ({ state, req }: HttpContext): string | undefined => {
  const { operation } = state;
  if (operation === undefined || operation.input.params || operation.input.query) return undefined;
  const isRepeatable = ['idempotency-key', ...paymentHeaders].some(
    (header) => req.headers[header] !== undefined,
  );
  return isRepeatable ? (operation.countsAs ?? operation.name) : undefined;
};

const keep = (
  state: RequestState,
  { body, file, fingerprints }: ParsedBody,
  fileName: string | undefined,
): void => {
  Object.assign(state, { body, fingerprints });
  if (fileName !== undefined && file) state.file = { name: fileName, bytes: bufferOver(file) };
};

const fileNameIn = (members: FormMembers): string | undefined =>
  Object.keys(members).find((name) => isFile(members[name]));

/** Takes the file out of a body that came inside another message, as `readBody` does with one of its own. */
export const takeArrivedFile = (schema: TSchema): Rule => {
  const file = fileNameIn(formMembersOf(schema));
  return function takeFileOfMessage(ctx, next) {
    const { state } = ctx;
    if (state.arrived && file !== undefined && Object.hasOwn(Object(state.body), file)) {
      const fingerprintOf = fingerprintedOperation(ctx);
      keep(state, withoutFile(state.body, { file, fingerprintOf }), file);
    }
    return next();
  };
};

/**
 * Reads a JSON body into `state.body`. Only `application/json`, UTF-8, not compressed, at most
 * `maxBytes`; or, where `forms` is set, a form. No body counts as `{}` where the schema requires no field.
 */
export const readBody = (
  schema: TSchema,
  rules: BodyRules,
  { limits, parse }: { limits: BodyLimits; parse: ParseBody },
): Rule => {
  const { maxBytes, maxRestBytes, maxValues } = rules;
  const members = formMembersOf(schema);
  const fileName = fileNameIn(members);
  const optional = isOptionalBody(schema);

  const parsed = async (
    ctx: HttpContext,
    sent: 'json' | 'form',
    chunks: Buffer[],
  ): Promise<void> => {
    const { state, req } = ctx;
    const { checkSignature, maybeSigned, plainNumbers = false } = state.operation ?? {};
    const signed = sent === 'json' && Boolean(checkSignature || maybeSigned);
    const parts = signed ? [Buffer.concat(chunks)] : chunks;
    if (signed) [state.rawBody] = parts;
    const contentType = req.headers['content-type'] ?? '';
    const read = await parse(
      {
        parts,
        maxRestBytes,
        maxValues,
        plainNumbers,
        file: fileName,
        form: sent === 'form' ? { contentType, members } : undefined,
        fingerprintOf: fileName === undefined ? undefined : fingerprintedOperation(ctx),
      },
      { account: state.caller?.accountId, address: state.address },
      signed,
    );
    keep(state, read, fileName);
  };

  return async function readRequestBody(ctx, next) {
    const sent = checkHeaders(ctx, rules);
    const receiving = sent === 'none' ? undefined : receiveBody(ctx, limits);
    try {
      const chunks = receiving && (await wholeBody(ctx.req, receiving, maxBytes));
      if (chunks?.length && sent !== 'none') await parsed(ctx, sent, chunks);
      else if (optional) ctx.state.body = {};
      else throw new AppError('invalid_json', 'The request needs a JSON body.');
      return await next();
    } finally {
      receiving?.giveBack();
    }
  };
};
