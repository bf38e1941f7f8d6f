import { AppError } from '../contract/errors.ts';
import { bufferOver } from '../ground/shared-bytes.ts';
import type { Limits } from '../limits/table.ts';
import type { ParseBody } from './body-parser.ts';
import { uploadBytes } from './body-rules.ts';
import { isFormType } from './form-body.ts';
import { type BodyLimits, receiveBody } from './receive-body.ts';
import type { HttpContext, RequestState, Rule } from './rule.ts';
import { type FormField, isUrlEncodedType } from './url-encoded-form.ts';
import { bodyTooLarge, wholeBody } from './whole-body.ts';

/** A form of ours has some forty fields. */
const fieldsMax = 200;
/** The field with a file. */
const fileField = 'file';
/** Without a session there are the fields of the sign-in page only. */
const strangerBytes = 16 * 1024;

const tooLargeForStrangers = (): AppError =>
  new AppError(
    'authentication_required',
    'A form of this size needs a session, and yours has ended. Sign in in another tab, then reload this page and let the browser send the form again.',
  );

/** @throws AppError unsupported_media_type, body_too_large, authentication_required */
const checkHead = ({ req, state }: HttpContext, maxBytes: number): void => {
  const { headers } = req;
  const type = headers['content-type'] ?? '';
  if (!isUrlEncodedType(type) && !isFormType(type)) {
    throw new AppError(
      'unsupported_media_type',
      'The body must be a form. Send Content-Type: application/x-www-form-urlencoded or multipart/form-data.',
    );
  }
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new AppError('unsupported_media_type', 'The body must not be compressed.');
  }
  if (Number(headers['content-length'] ?? 0) <= maxBytes) return;
  throw state.caller ? bodyTooLarge(maxBytes) : tooLargeForStrangers();
};

/** Besides the content of a letter. */
const otherCharacters = 64 * 1024;

/** @throws AppError invalid_form, body_too_large */
const assertSmall = (fields: readonly FormField[], contentBytes: number): void => {
  if (fields.length > fieldsMax) {
    throw new AppError('invalid_form', `The form has more than ${fieldsMax} fields.`);
  }
  const most = contentBytes + otherCharacters;
  const characters = fields.reduce((sum, [name, text]) => sum + name.length + text.length, 0);
  if (characters > most) throw bodyTooLarge(most);
};

type Reading = { limits: BodyLimits; parse: ParseBody };
type Fields = Pick<RequestState, 'body' | 'file'>;
type Sizes = Pick<Limits, 'bodyBytes' | 'documentBytes' | 'contentBytes'>;

const bytesMax = ({ state, req }: HttpContext, sizes: Sizes): number => {
  if (!state.caller) return strangerBytes;
  return isFormType(req.headers['content-type'] ?? '') ? uploadBytes(sizes) : sizes.bodyBytes;
};

const members = { [fileField]: { type: 'string', contentEncoding: 'base64' } };

const textFieldsOf = (body: unknown): FormField[] => {
  if (Array.isArray(body)) return body as FormField[];
  const { [fileField]: _, ...texts } = body as Record<string, unknown>;
  return Object.entries(texts).map(([name, text]): FormField => [name, String(text)]);
};

/** The fields of a form and its file, parsed as an upload to the API is: long ones in a thread. */
const fieldsOf = async (
  { req, state }: HttpContext,
  parts: Buffer[],
  parse: ParseBody,
  { bodyBytes: maxRestBytes, contentBytes }: Sizes,
): Promise<Fields> => {
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
  const fields = textFieldsOf(body);
  assertSmall(fields, contentBytes);
  const form = new URLSearchParams(fields);
  const bytes = file && bufferOver(file);
  return { body: form, file: bytes?.length ? { name: fileField, bytes } : undefined };
};

/**
 * Reads the fields of a form into `state.body` and its file into `state.file`. Other methods than POST have none.
 * Only a caller who is known may send more than the sign-in page does.
 */
export const readForm = ({ limits, parse }: Reading, sizes: Sizes): Rule =>
  async function readFormFields(ctx, next) {
    const { state } = ctx;
    state.body = new URLSearchParams();
    if (ctx.method !== 'POST') return next();
    const maxBytes = bytesMax(ctx, sizes);
    checkHead(ctx, maxBytes);
    const receiving = receiveBody(ctx, limits);
    try {
      const chunks = await wholeBody(ctx.req, receiving, maxBytes);
      Object.assign(state, await fieldsOf(ctx, chunks, parse, sizes));
      return await next();
    } finally {
      receiving.giveBack();
    }
  };
