import type { TSchema } from 'typebox';
import type { AnyOperation, Example } from '../contract/operation.ts';
import type { Protocol } from '../contract/protocol.ts';
import { queryFamilies } from '../contract/query-families.ts';
import type { StaticFiles } from '../contract/static-files.ts';
import type { Limits } from '../limits/table.ts';
import { bodyRulesOf } from './body-rules.ts';
import { successStatusOf } from './call-handler.ts';
import {
  commonHeaders,
  commonParameters,
  commonResponses,
  errorResponses,
  problemSchema,
} from './openapi-common.ts';
import type { RecordedExample, RecordedExamples } from './openapi-examples.ts';
import {
  payableAnswer,
  paymentHeaders,
  paymentParameters,
  paymentSchemas,
  type SecurityScheme,
} from './openapi-payment.ts';
import { type Json, SchemaComponents } from './openapi-schemas.ts';
import { showsOwnWrites } from './own-writes.ts';
import { isOptionalBody } from './read-body.ts';
import { tagTexts } from './tags.ts';

type OpenApiOptions = {
  operations: readonly AnyOperation[];
  baseUrl: string;
  version: string;
  /** Limits on headers and bodies of requests. */
  limits: Pick<Limits, 'idempotencyKeyChars' | 'bodyBytes' | 'documentBytes'>;
  title?: string;
  description?: string;
  /** For operations that give none themselves. */
  examples?: RecordedExamples;
  /** Pages among them that stand at the path of an operation are its GET. */
  pages?: readonly StaticFiles[];
  /** Further pages for people that the document lists. */
  documentedPages?: readonly { path: string; summary: string; description: string }[];
  /** Protocols other than REST. */
  protocols?: readonly Pick<Protocol, 'path' | 'document'>[];
  /** OpenAPI `webhooks`, by name; their schemas may carry `$id` like all others. */
  webhooks?: Json;
  securitySchemes?: readonly SecurityScheme[];
};

/** A recorded value of an address, in the type of its schema. */
const typed = (text: string, { type }: Json): unknown => {
  if (type === 'array') return text.split(',');
  return type === 'integer' || type === 'number' ? Number(text) : text;
};

const parametersIn = (
  place: 'path' | 'query',
  schema: Json | undefined,
  components: SchemaComponents,
  example: Record<string, string> | undefined,
): Json[] => {
  const required = Array.isArray(schema?.required) ? schema.required : [];
  return Object.entries((schema?.properties ?? {}) as Record<string, Json>).map(
    ([name, member]) => ({
      name,
      in: place,
      required: place === 'path' || required.includes(name),
      ...(member.description === undefined ? {} : { description: member.description }),
      schema: components.reference(member),
      ...(example?.[name] === undefined ? {} : { example: typed(example[name], member) }),
    }),
  );
};

/**
 * Families of query parameters such as `metadata[key]`: one parameter each, an object in the style `deepObject`.
 * @throws Error for a pattern of another form
 */
const familiesIn = (schema: Json | undefined, components: SchemaComponents): Json[] =>
  queryFamilies(schema).map(({ name, key, value: { description, ...value } }) => ({
    name,
    in: 'query',
    required: false,
    style: 'deepObject',
    explode: true,
    ...(description === undefined ? {} : { description }),
    schema: {
      type: 'object',
      propertyNames: { pattern: `^${key}$` },
      additionalProperties: components.reference(value),
    },
  }));

/** Whether x402 can pay for the operation here. */
const takesPayment = (
  { payable, access }: AnyOperation,
  schemes: readonly SecurityScheme[],
): boolean =>
  Boolean(payable) && access !== 'public' && schemes.some((scheme) => scheme.for === 'payable');

const headerParameters = (operation: AnyOperation, schemes: readonly SecurityScheme[]): Json[] => {
  const { idempotent, conditional } = operation;
  const names: string[] = [];
  if (idempotent) names.push('IdempotencyKey');
  if (conditional) names.push('IfMatch');
  if (showsOwnWrites(operation)) names.push('MinLogPosition');
  if (takesPayment(operation, schemes)) names.push(...Object.keys(paymentParameters));
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
};

const examplesOf = (examples: readonly Example[] | undefined, of: 'body' | 'response'): Json => {
  const shown = (examples ?? []).filter((example) => example[of] !== undefined);
  if (shown.length === 0) return {};
  const entries = shown.map((example, index) => [
    `example_${index + 1}`,
    { summary: example.summary, value: example[of] },
  ]);
  return { examples: Object.fromEntries(entries) };
};

const successHeaders = (operation: AnyOperation, paid: boolean): Json => {
  const { idempotent } = operation;
  const names: Record<string, string> = {
    ETag: 'ETag',
    'X-Log-Position': 'XLogPosition',
    'X-Request-Id': 'XRequestId',
    ...(showsOwnWrites(operation) ? { 'X-Read-Model': 'XReadModel' } : {}),
    RateLimit: 'RateLimit',
    'RateLimit-Policy': 'RateLimitPolicy',
    ...(idempotent ? { 'Idempotent-Replayed': 'IdempotentReplayed' } : {}),
    ...(paid ? { 'PAYMENT-RESPONSE': 'PaymentResponse' } : {}),
  };
  return Object.fromEntries(
    Object.entries(names).map(([name, component]) => [
      name,
      { $ref: `#/components/headers/${component}` },
    ]),
  );
};

/** A recorded example in the form of the operation's own examples, which come before it. */
const shownExamples = (operation: AnyOperation, recorded: RecordedExample | undefined) => {
  const own = operation.examples ?? [];
  const summary = operation.summary;
  const body = recorded?.body;
  return {
    body: examplesOf(own.some((one) => one.body !== undefined) ? own : [{ summary, body }], 'body'),
    of: (status: string): Json => {
      const response = recorded?.answers[Number(status)];
      const isUsual = status === String(successStatusOf(operation));
      const given = isUsual && own.some((one) => one.response !== undefined);
      return examplesOf(given ? own : [{ summary, response }], 'response');
    },
  };
};

const isText = (type: string): boolean => type.startsWith('text/');

/** A body that is no JSON. By the format of OpenAPI 3.0 generated clients know bytes from text. */
const fileSchema = (type: string): Json => ({
  type: 'string',
  contentMediaType: type,
  ...(isText(type) ? {} : { format: 'binary' }),
});

const successResponses = (
  operation: AnyOperation,
  components: SchemaComponents,
  examples: ReturnType<typeof shownExamples>,
  paid: boolean,
): Record<string, Json> => {
  const entries = Object.entries(operation.responses).map(([status, response]) => {
    const types = response.produces ?? ['application/json'];
    const shown = examples.of(status);
    // One was recorded, in the form that programs ask for.
    const of = types.find((type) => type === 'application/json') ?? types.find(isText);
    const media = types.map((type) => [
      type,
      type === 'application/json'
        ? { schema: components.reference(response.schema), ...shown }
        : // A file cannot stand in a JSON document, and generators of clients fail at a data URL.
          { schema: fileSchema(type), ...(type === of ? shown : {}) },
    ]);
    const content = status === '204' ? {} : { content: Object.fromEntries(media) };
    return [
      status,
      { description: response.description, headers: successHeaders(operation, paid), ...content },
    ];
  });
  return Object.fromEntries(entries);
};

const securityOf = (operation: AnyOperation, schemes: readonly SecurityScheme[]): Json[] => {
  if (operation.access === 'public') return [];
  const fitting = schemes.filter(
    (scheme) => scheme.for === 'authenticated' || takesPayment(operation, schemes),
  );
  return [...fitting.map(({ name }) => name), 'apiKey'].map((name) => ({ [name]: [] }));
};

/** A body as a form: files as they are, the other members as parts, or together in one. */
const formContent = (schema: TSchema, components: SchemaComponents): Json => {
  const members = Object.entries(
    (Reflect.get(schema, 'properties') ?? {}) as Record<string, { contentEncoding?: string }>,
  );
  const files = members.filter(([, { contentEncoding }]) => contentEncoding === 'base64');
  const properties = Object.fromEntries(
    files.map(([name]) => [name, fileSchema('application/octet-stream')]),
  );
  const letter = components.reference(schema);
  return {
    schema: {
      type: 'object',
      description:
        'Send files as they are. Send the other members of the JSON body as text parts with the same names, or together as JSON in the part `letter`.',
      properties: { ...properties, letter },
      additionalProperties: { type: 'string' },
    },
    encoding: { letter: { contentType: 'application/json' } },
  };
};

const operationObject = (
  operation: AnyOperation,
  components: SchemaComponents,
  schemes: readonly SecurityScheme[],
  recorded: RecordedExample | undefined,
  limits: OpenApiOptions['limits'],
): Json => {
  const { input, refusals } = operation;
  const form = refusals && (components.reference(refusals.schema) as Json);
  const examples = shownExamples(operation, recorded);
  const paid = takesPayment(operation, schemes);
  const own = successResponses(operation, components, examples, paid);
  const refused = errorResponses(operation, own, form);
  const parameters = [
    ...parametersIn('path', input.params, components, recorded?.params),
    ...parametersIn('query', input.query, components, recorded?.query),
    ...familiesIn(input.query, components),
    ...headerParameters(operation, schemes),
  ];
  const rules = bodyRulesOf(operation, limits);
  const body = rules && {
    description: `At most ${rules.maxBytes} bytes.`,
    'x-max-body-bytes': rules.maxBytes,
    required: !isOptionalBody(input.body),
    content: {
      'application/json': {
        schema: components.reference(input.body),
        ...examples.body,
      },
      ...(operation.upload && { 'multipart/form-data': formContent(input.body, components) }),
    },
  };
  return {
    operationId: operation.name,
    tags: [operation.tag],
    summary: operation.summary,
    ...(operation.description === undefined ? {} : { description: operation.description }),
    'x-scope': operation.access,
    security: securityOf(operation, schemes),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: body }),
    responses: {
      ...own,
      ...refused,
      ...(paid ? { 402: payableAnswer(refused[402] as Json) } : {}),
    },
  };
};

const pathsOf = (
  { operations, securitySchemes = [], examples = {}, limits }: OpenApiOptions,
  components: SchemaComponents,
): Record<string, Json> => {
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    paths[operation.path] ??= {};
    const item = paths[operation.path] ?? {};
    item[operation.method.toLowerCase()] = operationObject(
      operation,
      components,
      securitySchemes,
      examples[operation.name],
      limits,
    );
  }
  return paths;
};

/** A page that browsers load. It is no operation, so that client libraries have no method for it. */
const pageObject = (path: string, type: string, tag: string, texts: Json): Json => ({
  operationId: `page_${path.replaceAll(/\W+/g, '_').replace(/^_/, '')}`,
  tags: [tag],
  ...texts,
  security: [],
  responses: {
    200: { description: 'The page', content: { [type]: { schema: { type: 'string' } } } },
    304: { description: 'The page has not changed since `If-None-Match`' },
  },
});

/** Adds what browsers load at the path of an operation. */
const addPages = (paths: Record<string, Json>, pages: readonly StaticFiles[]): void => {
  for (const { path, type } of pages.flatMap(({ files }) => files)) {
    const item = paths[path];
    if (item === undefined || item.get !== undefined) continue;
    const [tag = ''] = (Object.values(item)[0] as { tags: string[] }).tags;
    item.get = pageObject(path, type, tag, {
      summary: 'The page for people',
      description: 'The form in which people call the other methods of this path.',
    });
  }
};

/** Those common answers that an operation refers to. */
const commonResponsesOf = (paths: Record<string, Json>): Json => {
  const answers = Object.values(paths)
    .flatMap((item) => Object.values(item) as { responses: Record<string, { $ref?: string }> }[])
    .flatMap(({ responses }) => Object.values(responses));
  const used = new Set(answers.map(({ $ref }) => $ref?.split('/').at(-1)));
  return Object.fromEntries(Object.entries(commonResponses()).filter(([name]) => used.has(name)));
};

const tagsOf = (paths: Record<string, Json>): Json[] => {
  const used = Object.values(paths).flatMap((item) =>
    Object.values(item).flatMap((operation) => (operation as { tags: string[] }).tags),
  );
  return [...new Set(used)].map((name) => ({
    name,
    ...(tagTexts[name] === undefined ? {} : { description: tagTexts[name] }),
  }));
};

/**
 * The OpenAPI 3.1.1 document of a table of operations.
 * @throws Error when two different schemas share an `$id`
 */
export const openApiDocument = (options: OpenApiOptions): Json => {
  const { baseUrl, version, pages = [], protocols = [], webhooks, securitySchemes = [] } = options;
  const components = new SchemaComponents();
  const paths = pathsOf(options, components);
  addPages(paths, pages);
  for (const { path, ...texts } of options.documentedPages ?? []) {
    paths[path] = { get: pageObject(path, 'text/html', 'General', texts) };
  }
  for (const { path, document } of protocols) paths[path] = { post: document };
  const hooks = webhooks && components.reference(webhooks);
  const extraSchemes = securitySchemes.map(({ name, scheme }) => [name, scheme]);
  const takesPayments = securitySchemes.some((scheme) => scheme.for === 'payable');
  return {
    openapi: '3.1.1',
    info: {
      title: options.title ?? 'Letters',
      version,
      description: options.description ?? 'Prints and posts real letters for programs and agents.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    externalDocs: { description: 'The reference, with guides', url: `${baseUrl}/api-docs` },
    servers: [{ url: baseUrl === '' ? '/' : baseUrl }],
    tags: tagsOf(paths),
    paths,
    ...(hooks === undefined ? {} : { webhooks: hooks }),
    components: {
      schemas: {
        ...components.schemas,
        Problem: problemSchema,
        ...(takesPayments ? paymentSchemas : {}),
      },
      responses: commonResponsesOf(paths),
      parameters: {
        ...commonParameters(options.limits),
        ...(takesPayments ? paymentParameters : {}),
      },
      headers: { ...commonHeaders, ...(takesPayments ? paymentHeaders : {}) },
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key: `Authorization: Bearer svc_live_…`.',
        },
        ...Object.fromEntries(extraSchemes),
      },
    },
  };
};
