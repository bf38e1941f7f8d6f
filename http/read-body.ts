import { isUtf8 } from 'node:buffer';
import { once } from 'node:events';
import type { TSchema } from 'typebox';
import { AppError } from '../contract/errors.ts';
import { formBody, isFormType } from './form-body.ts';
import { type BodyLimits, type Receiving, receiveBody, tooLarge } from './receive-body.ts';
import { refuseDuplicateNames } from './refuse-duplicate-names.ts';
import type { HttpContext, Rule } from './rule.ts';

const mediaType = /^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?;?\s*$/i;

const unsupported = (detail: string): AppError => new AppError('unsupported_media_type', detail);

export type BodyRules = {
  maxBytes: number;
  /** Whether it may come as `multipart/form-data`. */
  forms: boolean;
};

/** Refuses by headers alone what would not be read. Answers what was sent. */
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
      `The body must be JSON in UTF-8: send Content-Type: application/json${form}.`,
    );
  }
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw unsupported('The body must not be compressed; leave Content-Encoding away.');
  }
  if (length !== undefined && Number(length) > maxBytes) throw tooLarge(maxBytes);
  return isForm ? 'form' : 'json';
};

/** Only the place: the runtime's sentence repeats parts of the body. */
const notJson = (error: Error): AppError => {
  const place = /at position (\d+)/.exec(error.message)?.[1];
  const where = place === undefined ? '' : ` (a problem at character ${place})`;
  return new AppError(
    'invalid_json',
    `The body is not valid JSON${where}; check quotes, commas and brackets.`,
  );
};

/** Without the mark of the byte order. @throws AppError invalid_encoding */
const decoded = (bytes: Buffer): string => {
  if (!isUtf8(bytes)) {
    throw new AppError('invalid_encoding', 'The body is not valid UTF-8; encode it as UTF-8.');
  }
  return bytes.toString().replace(/^\ufeff/, '');
};

/** @throws AppError invalid_json, duplicate_name */
const parsed = (text: string): unknown => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw notJson(error as Error);
  }
  refuseDuplicateNames(text);
  return value;
};

/** Whether `{}` (and so no body at all) is a valid body. */
export const isOptionalBody = (schema: TSchema): boolean => {
  const { type, required, minProperties, ...rest } = schema as Record<string, unknown>;
  const noneRequired = required === undefined || (Array.isArray(required) && !required.length);
  const conditional = ['anyOf', 'oneOf', 'allOf', 'if'].some((keyword) => keyword in rest);
  return type === 'object' && noneRequired && !conditional && !minProperties;
};

/** As Node says it of a connection that ends while the body is read. */
const clientGone = (): Error =>
  Object.assign(new Error('the client hung up'), { code: 'ECONNABORTED' });

/** The whole body; what comes after a refusal is read and dropped, so that the answer gets through. */
const received = async (ctx: HttpContext, { chunks, end }: Receiving): Promise<Buffer> => {
  const { req } = ctx;
  try {
    if (req.destroyed) throw clientGone();
    await once(req, 'end');
    return Buffer.concat(chunks.splice(0));
  } catch (error) {
    req.resume();
    throw error;
  } finally {
    end();
  }
};

/**
 * Reads a JSON body into `state.body`. Only `application/json`, UTF-8, not compressed, at most
 * `maxBytes`; or, where `forms` is set, a form. No body counts as `{}` where the schema requires no field.
 */
export const readBody = (schema: TSchema, rules: BodyRules, limits: BodyLimits): Rule => {
  const optional = isOptionalBody(schema);

  const nothing = (): object => {
    if (optional) return {};
    throw new AppError('invalid_json', 'A JSON body is needed, and there is none.');
  };

  const read = async (ctx: HttpContext, receiving: Receiving, form: boolean): Promise<unknown> => {
    const bytes = await received(ctx, receiving);
    if (form) return formBody(bytes, ctx.req.headers['content-type'] ?? '', schema);
    const text = decoded(bytes);
    const { checkSignature, maybeSigned } = ctx.state.operation ?? {};
    if (checkSignature || maybeSigned) ctx.state.rawBody = bytes;
    return text === '' ? nothing() : parsed(text);
  };

  return async function readJsonBody(ctx, next) {
    const sent = checkHeaders(ctx, rules);
    if (sent === 'none') {
      ctx.state.body = nothing();
      return next();
    }
    const receiving = receiveBody(ctx, rules.maxBytes, limits);
    try {
      ctx.state.body = await read(ctx, receiving, sent === 'form');
      return await next();
    } finally {
      receiving.giveBack();
    }
  };
};
