/** JSON Schemas of the OpenAPI document as types of Python: a `TypedDict` for each object. */
export type Json = Record<string, unknown>;

const isSchema = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const pascal = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');

const literal = (value: unknown): string => {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return String(value);
};

/** A text as a docstring or a comment has it: one line. */
export const oneLine = (text: unknown): string =>
  String(text ?? '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll('\\', '\\\\')
    .replaceAll('"""', "'''")
    .trim();

const simple: Record<string, string> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
};

/** Reserved words of Python, which a class cannot have as fields. */
const keywords = new Set(
  (
    'False None True and as assert async await break class continue def del elif else except finally for from ' +
    'global if import in is lambda nonlocal not or pass raise return try while with yield'
  ).split(' '),
);

const isFieldOfClass = (field: string): boolean =>
  /^[A-Za-z_]\w*$/.test(field) && !keywords.has(field);

/** Collects what `typeOf` meets, in the order of first mention. */
export const createPythonTypes = () => {
  const classes = new Map<string, string>();
  /** The first name of each choice of words. */
  const choices = new Map<string, string>();

  const members = (
    name: string,
    properties: Json,
  ): { lines: string[]; text: string; words: string } => {
    const fields = Object.entries(properties).map(([field, schema]) => {
      const { description } = schema as Json;
      const type = typeOf(schema as Json, `${name}${pascal(field)}`);
      const note = description === undefined ? [] : [`    # ${oneLine(description)}`];
      return { field, type, note };
    });
    const lines = fields.flatMap(({ field, type, note }) => [...note, `    ${field}: ${type}`]);
    // Types as texts: they may be declared later.
    const words = fields.flatMap(({ field, type, note }) => [
      ...note.map((line) => `    ${line}`),
      `        "${field}": ${JSON.stringify(type)},`,
    ]);
    return { lines, text: lines.join('\n'), words: words.join('\n') };
  };

  /** An object with a field that no class can have. */
  const functional = (name: string, words: string): string =>
    [`${name} = TypedDict(`, `    "${name}",`, '    {', words, '    },', ')'].join('\n');

  const dict = (schema: Json, name: string): string => {
    const properties = (schema.properties ?? {}) as Record<string, Json>;
    const required = new Set((schema.required ?? []) as string[]);
    const pick = (wanted: boolean): Json =>
      Object.fromEntries(
        Object.entries(properties).filter(([field]) => required.has(field) === wanted),
      );
    // Reserved, so that what is inside keeps its place behind it.
    classes.set(name, '');
    const [always, sometimes] = [members(name, pick(true)), members(name, pick(false))];
    const note =
      schema.description === undefined ? [] : [`    """${oneLine(schema.description)}"""`];
    const body = (text: string): string[] => (note.length > 0 ? [...note, '', text] : [text]);
    const parts: string[] = [];
    if (!Object.keys(properties).every(isFieldOfClass)) {
      if (sometimes.lines.length > 0)
        throw new Error(
          `${name} has a field that no class can have, and fields that may be missing`,
        );
      classes.set(name, functional(name, always.words));
      return name;
    }
    if (always.lines.length > 0 && sometimes.lines.length > 0) {
      // Python 3.10 has no NotRequired.
      parts.push(`class _${name}(TypedDict):`, always.text, '', '');
      parts.push(`class ${name}(_${name}, total=False):`, ...body(sometimes.text));
    } else if (always.lines.length > 0) {
      parts.push(`class ${name}(TypedDict):`, ...body(always.text));
    } else {
      parts.push(`class ${name}(TypedDict, total=False):`, ...body(sometimes.text));
    }
    classes.set(name, parts.join('\n'));
    return name;
  };

  const objectType = (schema: Json, name: string): string => {
    if (Object.keys((schema.properties ?? {}) as Json).length > 0) return dict(schema, name);
    const values = [schema.additionalProperties, ...Object.values(schema.patternProperties ?? {})];
    const of = values.find(isSchema);
    const value = of === undefined ? 'Any' : typeOf(of, `${name}Value`);
    return `dict[str, ${value}]`;
  };

  const union = (schemas: readonly Json[], name: string): string => {
    const forms = schemas.filter(({ type }) => type !== 'null').length;
    const types = schemas.map((one, index) =>
      typeOf(one, forms > 1 ? `${name}${index + 1}` : name),
    );
    return [...new Set(types)].join(' | ');
  };

  /** `name` is for an object that has no name of its own, and for a choice of words. */
  const typeOf = (schema: Json, name: string): string => {
    if (typeof schema.$ref === 'string') return schema.$ref.split('/').at(-1) ?? 'Any';
    if (Array.isArray(schema.enum)) {
      const words = `Literal[${schema.enum.map(literal).join(', ')}]`;
      const known = choices.get(words) ?? name;
      choices.set(words, known);
      classes.set(name, `${name} = ${known === name ? words : known}`);
      return name;
    }
    if ('const' in schema) return `Literal[${literal(schema.const)}]`;
    const forms = schema.anyOf ?? schema.oneOf;
    if (Array.isArray(forms)) return union(forms.filter(isSchema), name);
    if (Array.isArray(schema.type)) {
      return union(
        schema.type.map((type) => ({ ...schema, type })),
        name,
      );
    }
    if (schema.type === 'array') {
      return `list[${isSchema(schema.items) ? typeOf(schema.items, name) : 'Any'}]`;
    }
    if (schema.type === 'object') return objectType(schema, name);
    return simple[String(schema.type)] ?? 'Any';
  };

  return {
    typeOf,
    /** A schema with a name of its own. */
    declare(name: string, schema: Json): void {
      const type = typeOf(schema, name);
      if (type !== name) classes.set(name, `${name} = ${type}`);
    },
    text: (): string =>
      [...classes.values()]
        .map((one, index, all) => {
          const alone = [one, all[index - 1] ?? ''].some((text) => /^class /.test(text));
          return index === 0 || !alone ? one : `\n\n${one}`;
        })
        .join('\n'),
    names: (): string[] => [...classes.keys()],
  };
};
