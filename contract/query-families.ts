/** Families of query parameters, such as `metadata[key]`. */

type QueryFamily = {
  /** `metadata` */
  name: string;
  /** Pattern of the keys. */
  key: string;
  /** Schema of the values. */
  value: Record<string, unknown>;
};

const familyPattern = /^\^(\w+)\\\[(.+)\\\]\$$/;

/** @throws Error for a pattern of another form */
export const queryFamilies = (schema: object | undefined): QueryFamily[] => {
  const { patternProperties = {} } = (schema ?? {}) as {
    patternProperties?: Record<string, Record<string, unknown>>;
  };
  return Object.entries(patternProperties).map(([pattern, value]) => {
    const [, name, key] = familyPattern.exec(pattern) ?? [];
    if (name === undefined || key === undefined) {
      throw new Error(`there is no family of parameters with names ${pattern}`);
    }
    return { name, key, value };
  });
};
