/** Any JSON object of the document. */
export type Json = Record<string, unknown>;

const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const componentName = /^[A-Za-z][A-Za-z0-9._-]*$/;

/** Matches any name: how TypeBox writes a map. */
const anyName = '^.*$';

const isNull = (schema: unknown): boolean =>
  isJson(schema) && schema.type === 'null' && Object.keys(schema).length === 1;

/**
 * A schema in the form that most generators of clients read: values of a map as `additionalProperties`, and a text, a
 * number or a map that may be null as one schema with two types.
 */
const readable = (schema: Json): Json => {
  const { patternProperties, ...map } = schema;
  if (isJson(patternProperties) && Object.keys(patternProperties).join() === anyName)
    return { ...map, additionalProperties: patternProperties[anyName] };
  const { anyOf, ...words } = schema;
  if (!Array.isArray(anyOf) || anyOf.length !== 2 || !isNull(anyOf[1])) return schema;
  const [form] = anyOf;
  if (!isJson(form) || typeof form.type !== 'string') return schema;
  if (form.type === 'array' || 'enum' in form || 'const' in form || 'properties' in form)
    return schema;
  return { ...form, ...words, type: [form.type, 'null'] };
};

/**
 * Collects schemas that carry an `$id` (or else a `title` that is an identifier) as components, so
 * that each is written once. Two different schemas must not share an `$id`; of two with one title,
 * the second stays where it is.
 */
export class SchemaComponents {
  readonly schemas: Json = {};
  readonly #texts = new Map<string, string>();

  /** A copy of `schema` for the document, its named parts replaced by references. */
  reference(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map((part) => this.reference(part));
    if (typeof schema !== 'object' || schema === null) return schema;
    const { $id, ...rest } = schema as Json;
    const copy: Json = {};
    for (const [key, value] of Object.entries(rest)) {
      // the values of these are data, not schemas
      const isData = ['const', 'enum', 'default', 'example', 'examples', 'required'].includes(key);
      copy[key] = isData ? value : this.reference(value);
    }
    const whole = readable(copy);
    const name = $id ?? rest.title;
    if (typeof name !== 'string' || !componentName.test(name)) return whole;
    if (typeof rest.type !== 'string' && !('anyOf' in rest) && !('oneOf' in rest)) return whole;
    const { description, ...words } = whole;
    if (description === undefined || !Array.isArray(whole.enum)) {
      return this.#add(name, whole, $id !== undefined);
    }
    // A list of values is one component, and each use has its own description.
    const reference = this.#add(name, words, $id !== undefined);
    return reference === words ? whole : { ...reference, description };
  }

  /** A reference to the component, or `schema` itself if another one has its title. */
  #add(name: string, schema: Json, isId: boolean): Json {
    const text = JSON.stringify(schema);
    const known = this.#texts.get(name);
    if (known !== undefined && known !== text) {
      if (isId) throw new Error(`two different schemas have the $id ${name}`);
      return schema;
    }
    this.#texts.set(name, text);
    this.schemas[name] = schema;
    return { $ref: `#/components/schemas/${name}` };
  }
}
