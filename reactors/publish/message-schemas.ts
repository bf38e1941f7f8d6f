/**
 * JSON Schemas (2020-12) of published messages: of the data of each type by its name, and of the message
 * around it. The meaning of a name never changes: another shape is another version of the event.
 */

import { definitions } from '../../events/registry.ts';
import { Type } from '../../ground/type.ts';
import { credentialType, judgementOf, messageType, schemaUrl } from './cloud-event.ts';
import { earlierSchemas } from './earlier-schemas.ts';
import type { Judgement } from './public-data.ts';

/** The keywords that are looked at here; the others are passed on. */
type Schema = { properties?: Record<string, object>; required?: readonly string[]; items?: object };

/** The schema of what `publicPart` leaves. */
const publicSchema = (schema: Schema, judged: Judgement): Schema => {
  if (typeof judged === 'boolean') return schema;
  if (schema.items) return { ...schema, items: publicSchema(schema.items, judged) };
  const properties = Object.entries(schema.properties ?? {}).flatMap(([member, one]) => {
    const judgement = judged[member];
    return judgement === undefined || judgement === false
      ? []
      : [[member, publicSchema(one, judgement)] as const];
  });
  const published = new Set(properties.map(([member]) => member));
  return {
    ...schema,
    properties: Object.fromEntries(properties),
    required: (schema.required ?? []).filter((member) => published.has(member)),
  };
};

const text = (description: string) => Type.String({ minLength: 1, description });
export const messageName = 'letters.message.v2';

const attributes = {
  specversion: Type.Literal('1.0'),
  id: text('Id of the event; of its credential: `urn:uuid:` and that id.'),
  source: text('Address of the service.'),
  type: Type.String({ pattern: '^letters\\.[a-z0-9_]+\\.v[1-9][0-9]*$' }),
  subject: text('The stream of the event.'),
  time: Type.String({ format: 'date-time', description: 'When it happened.' }),
  datacontenttype: Type.Literal('application/json'),
  dataschema: Type.String({ format: 'uri', description: 'Where the schema of `data` is.' }),
  partitionkey: text('The stream, which is the key in Kafka.'),
  sequence: Type.String({ pattern: '^[0-9]{10,}$', description: 'Place in the stream, from 1.' }),
  position: Type.String({ pattern: '^[0-9]+$', description: 'Place in the log of all events.' }),
};
const data = Type.Object({}, { additionalProperties: true });

/** Messages of versions before. */
const messageWithoutLogId = Type.Exact({ ...attributes, data });

/** The message itself; its `data` is as the schema at `dataschema` says. */
const message = Type.Exact({
  ...attributes,
  logid: Type.String({
    format: 'uuid',
    description: 'The log that the event is of; another one after the service was restored.',
  }),
  data,
});

const credential = Type.Exact({
  credential: text('Verifiable Credential of the event (JWT).'),
  logIndex: Type.Integer({ minimum: 0, description: 'Leaf of the log of credentials.' }),
});

const named: [name: string, schema: Schema][] = [
  ['letters.message.v1', messageWithoutLogId],
  [messageName, message],
  [credentialType, credential],
  ...Object.entries(earlierSchemas),
  ...Object.entries(definitions).map(([type, { version, data }]): [string, Schema] => [
    messageType(type, version),
    publicSchema(data, judgementOf(type)),
  ]),
];

type MessageSchema = { name: string; schema: { $id: string } };

/** All of them, as they are served under `baseUrl`. */
export const messageSchemas = (baseUrl: string): MessageSchema[] =>
  named.map(([name, schema]) => ({
    name,
    schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: schemaUrl(baseUrl, name),
      ...schema,
    },
  }));
