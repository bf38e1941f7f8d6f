import { AppError } from '../contract/errors.ts';
import { bufferOver } from '../ground/shared-bytes.ts';
import type { Limits } from '../limits/table.ts';
import type { ParseBody } from './body-parser.ts';
import { uploadBytes } from './body-rules.ts';
import { isFormType } from './form-body.ts';
import { type BodyLimits, receiveBody } from './receive-body.ts';
import type { HttpContext, RequestState, Rule } from './rule.ts';
import { bodyTooLarge, wholeBody } from './whole-body.ts';

/** A form of ours has some forty fields. */
const fieldsMax = 200;
/** The field with a file. */
const fileField = 'file';

const urlEncoded = /^application\/x-www-form-urlencoded\s*(?:;\s*charset="?utf-8"?\s*)?$/i;

/** @throws AppError unsupported_media_type, body_too_large */
const checkHead = ({ req }: HttpContext, maxBytes: number): void => {
  const { headers } = req;
  const type = headers['content-type'] ?? '';
  if (!urlEncoded.test(type) && !isFormType(type)) {
    throw new AppError(
      'unsupported_media_type',
      'The body must be a form. Send Content-Type: application/x-www-form-urlencoded or multipart/form-data.',
    );
  }
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new AppError('unsupported_media_type', 'The body must not be compressed.');
  }
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw bodyTooLarge(maxBytes);
};

const assertFewFields = (form: URLSearchParams): void => {
  if (form.size <= fieldsMax) return;
  throw new AppError('invalid_form', `The form has more than ${fieldsMax} fields.`);
};

type Reading = { limits: BodyLimits; parse: ParseBody };
type Fields = Pick<RequestState, 'body' | 'file'>;

/** The fields of a form with a file, parsed as an upload to the API is. */
const multipart = async (
  { req, state }: HttpContext,
  parts: Buffer[],
  parse: ParseBody,
  maxRestBytes: number,
): Promise<Fields> => {
  const members = { [fileField]: { type: 'string', contentEncoding: 'base64' } };
  const contentType = req.headers['content-type'] ?? '';
  const input = {
    parts,
    maxRestBytes,
    maxValues: fieldsMax,
    plainNumbers: false,
    file: fileField,
    form: { contentType, members },
  };
  const by = { account: state.caller?.accountId, address: state.address };
  const { body, file } = await parse(input, by, false);
  const { [fileField]: _, ...texts } = body as Record<string, unknown>;
  const form = new URLSearchParams(
    Object.entries(texts).map(([name, text]): [string, string] => [name, String(text)]),
  );
  const bytes = file && bufferOver(file);
  return { body: form, file: bytes?.length ? { name: fileField, bytes } : undefined };
};

/**
 * Reads the fields of a form into `state.body` and its file into `state.file`. Other methods than POST have none.
 * Only a caller who is known may send more than a body without a file has.
 */
export const readForm = (
  { limits, parse }: Reading,
  sizes: Pick<Limits, 'bodyBytes' | 'documentBytes'>,
): Rule =>
  async function readFormFields(ctx, next) {
    const { state } = ctx;
    state.body = new URLSearchParams();
    if (ctx.method !== 'POST') return next();
    const hasFile = isFormType(ctx.req.headers['content-type'] ?? '') && state.caller !== undefined;
    const maxBytes = hasFile ? uploadBytes(sizes) : sizes.bodyBytes;
    checkHead(ctx, maxBytes);
    const receiving = receiveBody(ctx, limits);
    try {
      const chunks = await wholeBody(ctx.req, receiving, maxBytes);
      if (isFormType(ctx.req.headers['content-type'] ?? '')) {
        Object.assign(state, await multipart(ctx, chunks, parse, sizes.bodyBytes));
      } else state.body = new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
      assertFewFields(state.body as URLSearchParams);
      return await next();
    } finally {
      receiving.giveBack();
    }
  };
