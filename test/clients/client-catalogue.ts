/**
 * The core tools as data for client libraries, which call the REST API with them: `tools.json`, whose members the
 * libraries' own types describe.
 */

import { propertiesOf, type Schema } from '../../agent-api/schemas.ts';
import { toolsOf } from '../../agent-api/tool-catalogue.ts';
import { toolDefinitions } from '../../agent-api/tools.ts';
import type { AnyOperation } from '../../contract/operation.ts';
import { showsOwnWrites } from '../../http/own-writes.ts';

const addressTexts = (side: string, of: string): Record<string, string> => ({
  [`${side}_name`]: `Name of the ${of}`,
  [`${side}_line1`]: 'Street and number',
  [`${side}_line2`]: 'Second line of the address',
  [`${side}_city`]: 'City',
  [`${side}_postal_code`]: 'Postal code, in the format of the country',
  [`${side}_state`]: 'State or province; default: by the postal code',
  [`${side}_country`]: `Country of the ${of}`,
  [`${side}_company`]: `Company of the ${of}`,
});

/** Descriptions of fields whose operation has none: some frameworks demand one for each. */
const texts: Readonly<Record<string, string>> = {
  ...addressTexts('to', 'recipient'),
  ...addressTexts('from', 'sender'),
  color: 'Print in colour; default: black and white',
  country: 'Two-letter code: US, FR, GB, CA or DE',
  duplex: 'Print on both sides; default: true',
  letter_id: 'UUID of the letter',
  commitment_id: 'From accept_offer; locks its price',
  offer_id: 'From negotiate_pricing',
  tier: 'The tier of the offer to accept',
  send_date: 'Day of posting as YYYY-MM-DD, at most 180 days ahead',
};

const words = (name: string): string => name.replaceAll('_', ' ');

/**
 * `format` is removed, since some validators know none. Null is removed, since clients leave out null
 * members.
 */
const parameter = (name: string, { format: _, type, ...schema }: Schema): Schema => {
  const types = Array.isArray(type) ? type.filter((one) => one !== 'null') : [type ?? 'string'];
  return {
    type: types.length === 1 ? types[0] : types,
    ...schema,
    description: schema.description ?? texts[name] ?? words(name),
  };
};

const namesIn = (schema: unknown): string[] => Object.keys(propertiesOf(schema));

export const clientCatalogue = (operations: readonly AnyOperation[], version: string) => {
  const byEndpoint = new Map(operations.map((one) => [`${one.method} ${one.path}`, one]));
  const tools = toolsOf(operations).filter(({ core }) => core);
  return {
    catalog_version: version,
    tools: tools.map(({ name, parameters, listed }) => {
      const definition = toolDefinitions.find((one) => one.name === name);
      const operation = byEndpoint.get(definition?.endpoints[0] ?? '');
      if (operation === undefined) throw new Error(`${name} has no operation`);
      const { outputSchema, annotations } = listed;
      const { input, method, path, access, payable, idempotent } = operation;
      const shown = propertiesOf(parameters);
      const properties = Object.entries(shown).map(([field, schema]) => [
        field,
        parameter(field, schema),
      ]);
      const taken = [input.params, input.query, input.body].flatMap(namesIn);
      return {
        name,
        title: listed.title,
        description: listed.description,
        parameters: { ...parameters, properties: Object.fromEntries(properties) },
        returns: outputSchema,
        http: {
          method,
          path,
          path_params: namesIn(input.params),
          query: namesIn(input.query),
          headers: idempotent ? { idempotency_key: 'Idempotency-Key' } : {},
        },
        also_accepts: taken.filter((field) => !Object.hasOwn(shown, field)),
        scope: access,
        payable: Boolean(payable),
        read_only: annotations.readOnlyHint,
        destructive: annotations.destructiveHint,
        idempotent: Boolean(idempotent),
        awaits_writes: showsOwnWrites(operation),
      };
    }),
  };
};
