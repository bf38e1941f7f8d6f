/** Reads what a coordinator sends: params may be an object, or JSON in a text; values may be texts. */
import type { Static } from 'typebox';
import { AppError } from '../../contract/errors.ts';
import { invalidField } from '../../contract/refusals.ts';
import { duplicateNameIn } from '../../ground/duplicate-name.ts';
import { exceededBound, maxJsonDepth } from '../../ground/json-bounds.ts';
import { Type } from '../../ground/type.ts';
import { type Action, actions, type Field, paramsOf, toolName } from './actions.ts';
import { requestIdPattern } from './envelope.ts';

const valuesMax = 500;

export const ExecuteBody = Type.Object(
  {
    tool: Type.String({ maxLength: 64, description: `The tool, \`${toolName}\`.` }),
    params: Type.Unsafe<Record<string, unknown> | string>({
      anyOf: [{ type: 'object' }, { type: 'string' }],
      description: '`action` and its fields, as an object or as JSON text.',
      // The text of a letter, which the JSON of the JSON escapes twice.
      'x-max-bytes': 2_000_000,
      'x-max-values': valuesMax,
    }),
    request_id: Type.Optional(
      Type.String({
        pattern: requestIdPattern,
        maxLength: 128,
        description:
          '1 to 128 visible ASCII characters: an id of the marketplace, in hex or in decimal digits, or your own. Each id is carried out once: repeating it repeats the same request. Required for paid actions, except in test mode.',
      }),
    ),
  },
  { additionalProperties: false, $id: 'MechExecute' },
);
export type ExecuteBody = Static<typeof ExecuteBody>;

/** The requested action. `fields` are those of the operation. */
export type Asked = { action: Action; fields: Record<string, unknown> };

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The bounds of a body hold for the text in it, too. @throws AppError validation_failed */
const assertFewValues = (text: string): void => {
  const exceeded = exceededBound(Buffer.from(text), valuesMax);
  if (exceeded === undefined) return;
  const [code, rule] =
    exceeded === 'values'
      ? ['too_long', `hold at most ${valuesMax} values`]
      : ['too_deep', `nest objects and arrays ${maxJsonDepth} deep`];
  throw invalidField('/params', code, `params may ${rule}.`);
};

/** @throws AppError validation_failed */
const objectIn = (params: ExecuteBody['params']): Record<string, unknown> => {
  let read: unknown = params;
  // Some coordinators put the text into a text once more.
  for (let depth = 0; typeof read === 'string' && depth < 2; depth++) {
    const text = read;
    assertFewValues(text);
    try {
      read = JSON.parse(text);
    } catch {
      break;
    }
    const twice = duplicateNameIn(text);
    if (twice !== undefined) {
      const detail = `An object in params has two members named ${JSON.stringify(twice.slice(0, 100))}. Send each name once.`;
      throw invalidField('/params', 'duplicate_name', detail);
    }
  }
  if (isPlain(read)) return read;
  throw invalidField('/params', 'type', 'params must be an object, or an object as JSON text.');
};

const place = (name: string): string =>
  `/params/${name.replaceAll('~', '~0').replaceAll('/', '~1').slice(0, 100)}`;

/** A value in the type of its field: coordinators send texts for everything, and numbers for texts. */
const typedValue = (name: string, value: unknown, type: Field['type']): unknown => {
  if (type === 'string' && typeof value === 'number') return String(value);
  if (type !== 'integer' && typeof value === type) return value;
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  if (type === 'integer') {
    if (Number.isSafeInteger(value)) return value;
    if (typeof value === 'string' && /^\d{1,9}$/.test(value)) return Number(value);
  }
  const wanted = type === 'string' ? 'a text' : type === 'boolean' ? 'true or false' : 'an integer';
  throw invalidField(place(name), 'type', `${name} must be ${wanted}.`);
};

/** @throws AppError validation_failed */
export const readAsked = ({ tool, params }: ExecuteBody): Asked => {
  if (tool !== toolName) {
    throw invalidField('/tool', 'enum', `There is no such tool here. The tool is ${toolName}.`);
  }
  const { action: named, ...given } = objectIn(params);
  const action = actions.find((one) => one === named);
  if (action === undefined) {
    const detail = `params.action must be one of ${actions.join(', ')}.`;
    throw invalidField('/params/action', named === undefined ? 'required' : 'enum', detail);
  }
  const { fields, required } = paramsOf[action];
  const sent = Object.entries(given).filter(([, value]) => value !== null);
  const asked: Record<string, unknown> = {};
  for (const [name, value] of sent) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (!field) {
      const detail = `${action} has no such param. It takes ${Object.keys(fields).join(', ')}.`;
      throw invalidField(place(name), 'unknown_field', detail);
    }
    asked[name] = typedValue(name, value, field.type);
  }
  const missing = required.filter((name) => asked[name] === undefined);
  if (missing.length > 0) {
    throw new AppError('validation_failed', `${action} needs ${missing.join(', ')} in params.`, {
      errors: missing.map((name) => {
        const detail = `${name} is missing.`;
        return { pointer: place(name), code: 'required', detail };
      }),
    });
  }
  if (action === 'send' && asked.content === undefined && asked.document_url === undefined) {
    const detail = 'send needs content or document_url in params.';
    throw invalidField('/params/content', 'required', detail);
  }
  return { action, fields: asked };
};
