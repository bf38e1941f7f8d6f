import { isUtf8 } from 'node:buffer';
import { once } from 'node:events';
import bodyParser from 'koa-bodyparser';
import type { TSchema } from 'typebox';
import { AppError } from '../../contract/errors.ts';
import { formBody, isFormType } from './form-body.ts';
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
  jsonLimit: String(maxBytes),
  strict: false, // scalars and arrays are refused by the schema, with a better sentence
  onProtoPoisoning: 'ignore', // stays an own, unknown field, and is refused as one
});

/** What bodies hold of memory at once, in all requests together. */
export type BodyBudget = { maxBytes: number; usedBytes: number };

/** Counts what has arrived of a body, and refuses the one that goes beyond the budget. */
const countingInto = (budget: BodyBudget, ctx: HttpContext) => {
  let bytes = 0;
  return {
    count(chunk: Buffer): void {
      bytes += chunk.length;
      budget.usedBytes += chunk.length;
      if (budget.usedBytes <= budget.maxBytes) return;
      const error = new AppError(
        'overloaded',
        'Too many large requests at once; retry in a second.',
        {
          headers: { 'Retry-After': '1' },
        },
      );
      // The parser listens for it and gives up.
      ctx.req.emit('error', error);
    },
    release(): void {
      budget.usedBytes -= bytes;
    },
  };
};

/**
 * Reads a JSON body into `state.body`. Only `application/json`, UTF-8, not compressed, at most
 * `maxBytes`; or, where `forms` is set, a form. No body counts as `{}` where the schema requires no field.
 */
export const readBody = (schema: TSchema, rules: BodyRules, budget: BodyBudget): Rule => {
  const { maxBytes } = rules;
  const parse = bodyParser(parserOptions(maxBytes));
  const optional = isOptionalBody(schema);
  const nothing = async (): Promise<void> => {};

  /** Reads the body; what comes after a refusal is read and dropped, so that the answer gets through. */
  const read = async (ctx: HttpContext, count: (chunk: Buffer) => void): Promise<void> => {
    const chunks: Buffer[] = [];
    const keep = (chunk: Buffer) => {
      chunks.push(chunk);
      count(chunk);
    };
    ctx.req.on('data', keep);
    try {
      await parse(ctx, nothing);
    } catch (error) {
      ctx.req.off('data', keep);
      ctx.req.resume();
      throw mapParserError(error, chunks, maxBytes);
    }
    refuseBadUtf8(ctx.request.rawBody, chunks);
    if (ctx.state.operation?.checkSignature) ctx.state.rawBody = Buffer.concat(chunks);
  };

  /** Reads a form, whose parts are the members of the body. */
  const readForm = async (ctx: HttpContext, count: (chunk: Buffer) => void): Promise<void> => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const keep = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) return void ctx.req.emit('error', tooLarge(maxBytes));
      chunks.push(chunk);
      count(chunk);
    };
    ctx.req.on('data', keep);
    try {
      await once(ctx.req, 'end');
    } catch (error) {
      ctx.req.off('data', keep);
      ctx.req.resume();
      throw error;
    }
    const type = ctx.req.headers['content-type'] ?? '';
    ctx.state.body = await formBody(Buffer.concat(chunks), type, schema);
  };

  return async function readJsonBody(ctx, next) {
    const sent = checkHeaders(ctx, rules);
    const counting = countingInto(budget, ctx);
    try {
      if (sent === 'form') {
        await readForm(ctx, counting.count);
        return await next();
      }
      if (sent === 'json') await read(ctx, counting.count);
      if (ctx.request.rawBody) ctx.state.body = ctx.request.body;
      else if (optional) ctx.state.body = {};
      else throw new AppError('invalid_json', 'A JSON body is needed, and there is none.');
      return await next();
    } finally {
      counting.release();
    }
  };
};
