import { Ajv2020 } from 'ajv/dist/2020.js';

const ajv = new Ajv2020({ strict: false });

/** Why a schema is not JSON Schema 2020-12. The compilers of the service do not look at that. */
export const schemaErrors = (schema: object): unknown[] => {
  ajv.validateSchema(schema);
  return ajv.errors ?? [];
};
