import type { TSchema } from 'typebox';
import { maxJsonValues } from '../ground/json-bounds.ts';

/** The size of the largest body of a schema. */
type BodySize = { bytes: number; values: number };

type Schema = {
  [keyword: string]: unknown;
  type?: string;
  /** The most bytes that the value takes as JSON, where the other keywords do not say it. */
  'x-max-bytes'?: number;
  /** The same of the values in it. */
  'x-max-values'?: number;
  maxLength?: number;
  maxItems?: number;
  maxProperties?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
  propertyNames?: Schema;
  additionalProperties?: boolean | Schema;
};

/** A character beyond the BMP takes twelve bytes when a client escapes it (`\ud83d\ude00`), as Python does. */
const bytesOfCharacter = 12;
const bytesOfNumber = 32;
/** Comma, colon, quotes, line break and indentation of one value. */
const bytesAround = 24;
/** By the check of the format (validator.ts). */
const charactersOfFormat: Record<string, number> = { date: 10, 'date-time': 64, uuid: 36 };
const usualCharactersOfFormat = 2048;

const unbounded: BodySize = { bytes: Number.POSITIVE_INFINITY, values: maxJsonValues };

const sum = (sizes: readonly BodySize[]): BodySize => ({
  bytes: sizes.reduce((total, { bytes }) => total + bytes, 0),
  values: sizes.reduce((total, { values }) => total + values, 0),
});

const largest = (sizes: readonly BodySize[]): BodySize => ({
  bytes: Math.max(...sizes.map(({ bytes }) => bytes)),
  values: Math.max(...sizes.map(({ values }) => values)),
});

const times = ({ bytes, values }: BodySize, count: number | undefined): BodySize =>
  count === undefined ? unbounded : { bytes: bytes * count, values: values * count };

const sizeOfString = ({ format, maxLength }: Schema): BodySize => {
  const ofFormat =
    typeof format === 'string'
      ? (charactersOfFormat[format] ?? usualCharactersOfFormat)
      : Number.POSITIVE_INFINITY;
  const characters = Math.min(maxLength ?? Number.POSITIVE_INFINITY, ofFormat);
  return { bytes: characters * bytesOfCharacter, values: 1 };
};

const nameSize = (name: string): number => name.length * bytesOfCharacter;

const sizeOfObject = (schema: Schema): BodySize => {
  const { properties = {}, patternProperties = {}, additionalProperties, maxProperties } = schema;
  const known = Object.entries(properties).map(([name, member]): BodySize => {
    const { bytes, values } = largestValue(member);
    return { bytes: bytes + nameSize(name), values };
  });
  const others = Object.values(patternProperties);
  if (typeof additionalProperties === 'object') others.push(additionalProperties);
  const isOpen = additionalProperties !== false && others.length === 0;
  if (isOpen && maxProperties === undefined) return unbounded;
  if (others.length === 0) return sum(known);
  const name = sizeOfString(schema.propertyNames ?? {});
  const member = largest(others.map(largestValue));
  const more = times({ bytes: member.bytes + name.bytes, values: member.values }, maxProperties);
  return sum([...known, more]);
};

const sizeOfType = (schema: Schema): BodySize => {
  switch (schema.type) {
    case 'string':
      return sizeOfString(schema);
    case 'array':
      return times(largestValue(schema.items ?? {}), schema.maxItems);
    case 'object':
      return sizeOfObject(schema);
    case 'number':
    case 'integer':
    case 'boolean':
    case 'null':
      return { bytes: bytesOfNumber, values: 1 };
    default:
      return unbounded;
  }
};

/** CHOICE: of values in objects that no schema describes. */
const bytesOfAnyValue = 16;

/** The size of a value with everything in it. */
const sizeOf = (schema: Schema): BodySize => {
  const fixed = 'const' in schema ? [schema.const] : schema.enum;
  if (Array.isArray(fixed)) {
    const texts = fixed.map((value) => JSON.stringify(value).length);
    return { bytes: Math.max(...texts) * bytesOfCharacter, values: 1 };
  }
  const ways = [schema.anyOf, schema.oneOf].find(Array.isArray) as Schema[] | undefined;
  // Rules about required members (`anyOf` next to `properties`) add nothing.
  const size =
    ways && schema.type === undefined ? largest(ways.map(largestValue)) : sizeOfType(schema);
  const { 'x-max-bytes': stated, 'x-max-values': most } = schema;
  if (stated === undefined) return size;
  const values = Math.min(size.values, most ?? Math.ceil(stated / bytesOfAnyValue));
  return { bytes: stated, values };
};

const largestValue = (schema: Schema): BodySize => {
  const { bytes, values } = sizeOf(schema);
  return {
    bytes: bytes + bytesAround,
    values: schema.type === 'array' || schema.type === 'object' ? values + 1 : values,
  };
};

/**
 * The most bytes and values that a valid JSON body of a schema takes, whatever a client escapes; infinitely
 * many bytes where a text, list or object in it has no bound.
 */
export const largestBody = (schema: TSchema): BodySize => largestValue(schema as Schema);
