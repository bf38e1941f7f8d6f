/** Parses the bytes of a body: a function without state, so that it can run in a thread. */

import { requestFingerprint } from '../ground/fingerprint.ts';
import { joinShared } from '../ground/shared-bytes.ts';
import { limitError } from '../limits/limit-error.ts';
import { type FormMembers, formBody } from './form-body.ts';
import { type JsonRules, parseJson } from './parse-json.ts';
import { isUrlEncodedType, urlEncodedFields } from './url-encoded-form.ts';

/** Bytes reach a thread, and come back, as plain arrays of bytes. */
export type BodyToParse = JsonRules & {
  /** The bytes as they arrived. */
  parts: readonly Uint8Array[];
  /** Besides the file. */
  maxRestBytes: number;
  /** Of a form: its `Content-Type`, and the members of the schema. A form that is not multipart becomes a list of fields. */
  form?: { contentType: string; members: FormMembers } | undefined;
  /** The member that is a file in base64. */
  file?: string | undefined;
  /** The operation whose fingerprints are wanted, which has nothing besides its body. */
  fingerprintOf?: string | undefined;
};

export type ParsedBody = {
  /** In place of a file that is base64 it has `fileMark`. */
  body: unknown;
  /** In shared memory, where it is large. */
  file?: Uint8Array | undefined;
  fingerprints?: { command: string; payment: string } | undefined;
};

/** Stands in the body for a file, and is valid base64. */
export const fileMark = 'AA==';

const base64 = /^[A-Za-z0-9+/]+={0,2}$/;
/** A file that is not base64 is not searched again: this makes its beginning invalid, so that it is refused. */
const cut = '…';
const mostNotBase64 = 1_000;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const decoded = (text: string): Uint8Array | undefined =>
  text.length % 4 === 0 && base64.test(text) ? Buffer.from(text, 'base64') : undefined;

/** The bytes that the file adds to a body, in base64 or in a form. */
const lengthOf = (file: unknown): number =>
  typeof file === 'string' || file instanceof Uint8Array ? file.length : 0;

/** @throws AppError body_too_large if the body is large without its file */
const assertSmallRest = (
  body: unknown,
  bytes: number,
  { maxRestBytes, file }: Pick<BodyToParse, 'maxRestBytes' | 'file'>,
): void => {
  if (bytes <= maxRestBytes) return;
  const given = file !== undefined && isObject(body) ? body[file] : undefined;
  if (bytes - lengthOf(given) <= maxRestBytes) return;
  throw limitError(
    'bodyBytes',
    `Apart from the ${file}, the body may have at most ${maxRestBytes} bytes.`,
    { extra: { max_bytes: maxRestBytes } },
  );
};

/** Takes the file out of a body. */
const takeFile = (body: unknown, name: string | undefined): Pick<ParsedBody, 'body' | 'file'> => {
  if (name === undefined || !isObject(body) || !Object.hasOwn(body, name)) return { body };
  const given = body[name];
  if (given instanceof Uint8Array) {
    return { body: { ...body, [name]: fileMark }, file: joinShared(given) };
  }
  if (typeof given !== 'string') return { body };
  const file = decoded(given);
  if (file) return { body: { ...body, [name]: fileMark }, file: joinShared(file) };
  if (given.length <= mostNotBase64) return { body };
  return { body: { ...body, [name]: given.slice(0, mostNotBase64) + cut } };
};

/** Takes the file out of a body, whose fingerprints still cover it. */
export const withoutFile = (
  body: unknown,
  { fingerprintOf, file }: Pick<BodyToParse, 'fingerprintOf' | 'file'>,
): ParsedBody => {
  const fingerprints =
    fingerprintOf === undefined
      ? undefined
      : {
          command: requestFingerprint(fingerprintOf, body, undefined),
          payment: requestFingerprint(fingerprintOf, body, {}),
        };
  return { ...takeFile(body, file), fingerprints };
};

const bodyOf = (
  bytes: Buffer,
  form: BodyToParse['form'],
  rules: JsonRules,
): Promise<unknown> | unknown => {
  if (form === undefined) return parseJson(bytes, rules);
  if (isUrlEncodedType(form.contentType)) return urlEncodedFields(bytes, rules.maxValues);
  return formBody(bytes, form, rules);
};

/** @throws AppError for bytes that are not JSON, or not a form, within the rules */
export const parseBody = async (input: BodyToParse): Promise<ParsedBody> => {
  const { form } = input;
  const bytes = Buffer.concat(input.parts);
  const body = await bodyOf(bytes, form, input);
  assertSmallRest(body, bytes.length, input);
  return withoutFile(body, input);
};
