import { AppError } from '../contract/errors.ts';
import { type AnyOperation, operation } from '../contract/operation.ts';
import { Type } from '../ground/type.ts';

const Listed = Type.Named('MessageSchemas', {
  data: Type.Array(Type.Object({ name: Type.String(), url: Type.String() })),
});

const tag = 'General';

/** `$id` of each schema is its address. */
export const messageSchemaOperations = (
  schemas: readonly { name: string; schema: { $id: string } }[],
): AnyOperation[] => [
  operation({
    name: 'list_message_schemas',
    method: 'GET',
    path: '/schemas',
    tag,
    summary: 'List the JSON Schemas of event credentials and of Kafka messages',
    description:
      'Each schema has a name and a permanent URL. Consumers can validate messages and credentials against it.',
    access: 'public',
    input: {},
    responses: { 200: { description: 'Names and addresses', schema: Listed } },
    errors: [],
    handle: () => ({
      body: { data: schemas.map(({ name, schema }) => ({ name, url: schema.$id })) },
    }),
  }),
  operation({
    name: 'get_message_schema',
    method: 'GET',
    path: '/schemas/{name}',
    tag,
    summary: 'Get a JSON Schema of event credentials or of Kafka messages',
    description:
      'A schema never changes. A changed format gets a new name, so you can keep a copy for good.',
    access: 'public',
    input: { params: Type.Object({ name: Type.String({ maxLength: 100 }) }) },
    responses: {
      200: {
        description: 'JSON Schema (2020-12)',
        schema: Type.Object({}, { additionalProperties: true }),
      },
    },
    errors: ['not_found'],
    examples: [
      {
        summary: 'The beginning of a schema',
        response: {
          $schema: 'https://json-schema.org/draft/2020-12/schema',
          $id: 'https://letters.example/schemas/event-message-v1.json',
          title: 'A message about an event',
          type: 'object',
        },
      },
    ],
    handle({ params }) {
      const found = schemas.find(({ name }) => name === params.name);
      if (!found) {
        throw new AppError('not_found', `There is no schema ${params.name}. See /schemas.`);
      }
      return { body: found.schema };
    },
  }),
];
