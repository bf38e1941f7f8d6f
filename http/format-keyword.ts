/** `format` of JSON Schema: the five formats that schemas of the service name. */
import type { DataValidateFunction, FuncKeywordDefinition } from 'ajv/dist/types/index.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';

const formatNames = ['date', 'date-time', 'email', 'uri', 'uuid'] as const;
type FormatName = (typeof formatNames)[number];
/** Longer texts match no format, so regular expressions never run on large inputs. */
const maxFormatChars = 2048;

/** RFC 5321, 4.5.3.1.1. */
const maxMailboxChars = 64;

/**
 * Rejects values that the formats allow but the code behind does not accept: leap seconds, years past 9999,
 * addresses that `URL` cannot parse, such as `https://host:99999/`, `urn:uuid:`, and addresses to which no mail can be
 * sent.
 */
const narrower: Partial<Record<FormatName, (text: string) => boolean>> = {
  'date-time': (text) => {
    const time = Date.parse(text);
    return time >= 0 && time < Date.UTC(10_000, 0);
  },
  email: (text) => text.indexOf('@') <= maxMailboxChars,
  uri: (text) => URL.canParse(text),
  uuid: (text) => text.length === 36,
};

const boundedFormat = (name: FormatName): ((text: string) => boolean) => {
  const definition = fullFormats[name];
  let matches: (text: string) => boolean;
  if (definition instanceof RegExp) matches = (text) => definition.test(text);
  else if (typeof definition === 'function') matches = (text) => definition(text) === true;
  else if (typeof definition === 'object' && typeof definition.validate === 'function') {
    const { validate } = definition;
    matches = (text) => (validate as (text: string) => boolean)(text) === true;
  } else throw new Error(`format ${name} has no check`);
  const narrow = narrower[name] ?? (() => true);
  return (text) => text.length <= maxFormatChars && matches(text) && narrow(text);
};

const formats = new Map<string, (text: string) => boolean>(
  formatNames.map((name) => [name, boundedFormat(name)]),
);

/**
 * The keyword `format`, instead of Ajv's own. A UUID in upper case is the same id: it is replaced by its lower-case
 * form, in which ids are stored.
 */
export const formatKeyword: FuncKeywordDefinition & { keyword: string } = {
  keyword: 'format',
  type: 'string',
  schemaType: 'string',
  errors: true,
  modifying: true,
  compile: (name: string) => {
    const matches = formats.get(name);
    if (matches === undefined) throw new Error(`unknown format ${name}`);
    const validate: DataValidateFunction = (text: string, place): boolean => {
      if (!matches(text)) {
        const message = `must match format "${name}"`;
        validate.errors = [{ keyword: 'format', params: { format: name }, message }];
        return false;
      }
      if (name === 'uuid' && place) place.parentData[place.parentDataProperty] = text.toLowerCase();
      return true;
    };
    return validate;
  },
};
