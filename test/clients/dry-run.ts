/** Answers of operations that take `dry_run`: generated clients type them apart from the others. */
type Json = Record<string, unknown>;

const isDryRun = ({ $ref, title }: Json): boolean =>
  title === 'DryRun' || (typeof $ref === 'string' && $ref.endsWith('/DryRun'));

const membersOf = (schema: Json): Json[] =>
  Array.isArray(schema.anyOf) ? (schema.anyOf as Json[]).flatMap(membersOf) : [schema];

/** The schema without a dry run among its members; undefined: it is one. */
export const withoutDryRun = (schema: Json): Json | undefined => {
  const members = membersOf(schema);
  const others = members.filter((one) => !isDryRun(one));
  if (others.length === members.length) return schema;
  return others.length > 1 ? { anyOf: others } : others[0];
};

/** The answer to a dry run among those of an operation. */
export const dryRunIn = (schemas: readonly Json[]): Json | undefined =>
  schemas.flatMap(membersOf).find(isDryRun);
