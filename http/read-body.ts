import { isUtf8 } from 'node:buffer';
import { once } from 'node:events';
import bodyParser from 'koa-bodyparser';
import type { TSchema } from 'typebox';
import { AppError } from '../contract/errors.ts';
import { formBody, isFormType } from './form-body.ts';
import { type BodyLimits, type Receiving, receiveBody } from './receive-body.ts';
import { refuseDuplicateNames } from './refuse-duplicate-names.ts';
import { refuseExponents } from './refuse-exponents.ts';
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
  // The parser compares letter by letter.
  if (encoding !== undefined) headers['content-encoding'] = 'identity';
  if (length !== undefined && Number(length) > maxBytes) throw tooLarge(maxBytes);
  return isForm ? 'form' : 'json';
};

const tooLarge = (maxBytes: number): AppError =>
  new AppError('body_too_large', `The body may have at most ${maxBytes} bytes.`, {
    extra: { max_bytes: maxBytes },
  });

/** Only the place: the runtime's sentence repeats parts of the body. */
const notJson = (error: Error): AppError => {
  const place = /at position (\d+)/.exec(error.message)?.[1];
  const where = place === undefined ? '' : ` (a problem at character ${place})`;
  return new AppError(
    'invalid_json',
    `The body is not valid JSON${where}; check quotes, commas and brackets.`,
  );
};

const property = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

/** The parser decodes leniently: what it could not decode has become U+FFFD. */
const refuseBadUtf8 = (text: unknown, chunks: readonly Buffer[]): void => {
  if (typeof text !== 'string' || !text.includes('\ufffd')) return;
  if (isUtf8(Buffer.concat(chunks))) return;
  throw new AppError('invalid_encoding', 'The body is not valid UTF-8; encode it as UTF-8.');
};

const mapParserError = (error: unknown, chunks: readonly Buffer[], maxBytes: number): unknown => {
  if (property(error, 'type') === 'entity.too.large') return tooLarge(maxBytes);
  if (error instanceof SyntaxError) {
    refuseBadUtf8(property(error, 'body'), chunks);
    return notJson(error);
  }
  return error;
};

/** Whether `{}` (and so no body at all) is a valid body. */
export const isOptionalBody = (schema: TSchema): boolean => {
  const { type, required, minProperties, ...rest } = schema as Record<string, unknown>;
  const noneRequired = required === undefined || (Array.isArray(required) && !required.length);
  const conditional = ['anyOf', 'oneOf', 'allOf', 'if'].some((keyword) => keyword in rest);
  return type === 'object' && noneRequired && !conditional && !minProperties;
};

const parserOptions = (maxBytes: number): bodyParser.Options & { onProtoPoisoning: 'ignore' } => ({
  enableTypes: ['json'],
  detectJSON: () => true, // its type was looked at
  jsonLimit: String(maxBytes),
  strict: false, // scalars and arrays are refused by the schema, with a better sentence
  onProtoPoisoning: 'ignore', // stays an own, unknown field, and is refused as one
});

/**
 * Reads a JSON body into `state.body`. Only `application/json`, UTF-8, not compressed, at most
 * `maxBytes`; or, where `forms` is set, a form. No body counts as `{}` where the schema requires no field.
 */
export const readBody = (schema: TSchema, rules: BodyRules, limits: BodyLimits): Rule => {
  const { maxBytes } = rules;
  const parse = bodyParser(parserOptions(maxBytes));
  const optional = isOptionalBody(schema);
  const nothing = async (): Promise<void> => {};

  /** Reads the body; what comes after a refusal is read and dropped, so that the answer gets through. */
  const read = async (ctx: HttpContext, { chunks, end }: Receiving): Promise<void> => {
    try {
      await parse(ctx, nothing);
    } catch (error) {
      ctx.req.resume();
      throw mapParserError(error, chunks, maxBytes);
    } finally {
      end();
    }
    const { rawBody } = ctx.request;
    refuseBadUtf8(rawBody, chunks);
    if (typeof rawBody === 'string') refuseDuplicateNames(rawBody);
    const { checkSignature, maybeSigned, plainNumbers } = ctx.state.operation ?? {};
    if (plainNumbers && typeof rawBody === 'string') refuseExponents(rawBody);
    if (checkSignature || maybeSigned) ctx.state.rawBody = Buffer.concat(chunks);
  };

  /** Reads a form, whose parts are the members of the body. */
  const readForm = async (ctx: HttpContext, { chunks, end }: Receiving): Promise<void> => {
    const { req } = ctx;
    const tooMuch = Promise.withResolvers<never>();
    let bytes = 0;
    const count = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes > maxBytes) tooMuch.reject(tooLarge(maxBytes));
    };
    req.on('data', count);
    try {
      await Promise.race([once(req, 'end'), tooMuch.promise]);
    } catch (error) {
      req.resume();
      throw error;
    } finally {
      req.off('data', count);
      end();
    }
    ctx.state.body = await formBody(
      Buffer.concat(chunks),
      req.headers['content-type'] ?? '',
      schema,
    );
  };

  return async function readJsonBody(ctx, next) {
    const sent = checkHeaders(ctx, rules);
    const receiving = sent === 'none' ? undefined : receiveBody(ctx, limits);
    try {
      if (receiving && sent === 'form') {
        await readForm(ctx, receiving);
        return await next();
      }
      if (receiving) await read(ctx, receiving);
      if (ctx.request.rawBody) ctx.state.body = ctx.request.body;
      else if (optional) ctx.state.body = {};
      else throw new AppError('invalid_json', 'A JSON body is needed, and there is none.');
      return await next();
    } finally {
      receiving?.giveBack();
    }
  };
};
