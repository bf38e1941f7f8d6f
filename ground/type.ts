import type { TObject, TProperties, TUnsafe, Type as TypeBox } from 'typebox';

/** The functions of TypeBox that this program uses, with their types. */
type Builders = Pick<
  typeof TypeBox,
  | 'Array'
  | 'Boolean'
  | 'Integer'
  | 'Literal'
  | 'Null'
  | 'Number'
  | 'Object'
  | 'Optional'
  | 'Record'
  | 'String'
  | 'Union'
  | 'Unknown'
  | 'Unsafe'
>;

/** Builders for schemas that this program often needs. */
type More = {
  /** An object without other members. */
  Exact<P extends TProperties>(properties: P): TObject<P>;
  /** An object whose type has a name in the API description and in the clients. */
  Named<P extends TProperties>(title: string, properties: P): TObject<P>;
  NamedExact<P extends TProperties>(title: string, properties: P): TObject<P>;
  /** One of the values, as a union of literals. */
  Literals<const V extends string | number>(values: readonly V[]): TUnsafe<V>;
};

type Schema = object;

/** Marks a schema as optional in the object around it. JSON has no part of it. */
const optional = '~optional';

/** A copy with the same mark. */
const copyOf = (schema: Schema, marks: PropertyDescriptorMap = {}): Schema =>
  Object.defineProperties({}, { ...Object.getOwnPropertyDescriptors(schema), ...marks });

const ofType =
  (type?: string) =>
  (options?: Schema): Schema => ({ ...(type && { type }), ...options });

const objectOf = (properties: Record<string, Schema>, options?: Schema): Schema => {
  const required = Object.keys(properties).filter(
    (name) => !Object.hasOwn(properties[name] ?? {}, optional),
  );
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...options };
};

const literalOf = (value: unknown, options?: Schema): Schema => ({
  type: typeof value,
  const: value,
  ...options,
});

const unionOf = (anyOf: Schema[], options?: Schema): Schema => ({ anyOf, ...options });

const exact = { additionalProperties: false };

/**
 * Builds JSON Schemas. The types come from TypeBox and the code does not: its 370 modules would take a tenth of a
 * second of each process's start.
 */
export const Type = {
  Array: (items: Schema, options?: Schema): Schema => ({ type: 'array', items, ...options }),
  Boolean: ofType('boolean'),
  Exact: (properties: Record<string, Schema>): Schema => objectOf(properties, exact),
  Integer: ofType('integer'),
  Literal: literalOf,
  Literals: (values: unknown[]): Schema => unionOf(values.map((value) => literalOf(value))),
  Named: (title: string, properties: Record<string, Schema>): Schema =>
    objectOf(properties, { title }),
  NamedExact: (title: string, properties: Record<string, Schema>): Schema =>
    objectOf(properties, { ...exact, title }),
  Null: ofType('null'),
  Number: ofType('number'),
  Object: objectOf,
  Optional: (schema: Schema): Schema =>
    copyOf(schema, { [optional]: { value: true, configurable: true, writable: true } }),
  Record: (key: { pattern?: string }, value: Schema, options?: Schema): Schema => ({
    type: 'object',
    patternProperties: { [key.pattern ?? '^.*$']: value },
    ...options,
  }),
  String: ofType('string'),
  Union: unionOf,
  Unknown: ofType(),
  Unsafe: (schema: Schema): Schema => copyOf(schema),
} as unknown as Builders & More;
