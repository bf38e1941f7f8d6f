import { expect } from 'chai';
import { operation } from '../../contract/operation.ts';
import { Type } from '../../ground/type.ts';
import { buildHttpApp } from '../../http/kernel.ts';
import { openApiDocument } from '../../http/openapi.ts';
import { SchemaComponents } from '../../http/openapi-schemas.ts';
import { serveFiles } from '../../http/static-assets.ts';
import { makeValidators } from '../../http/validator.ts';
import { defaultLimits } from '../../limits/table.ts';
import { docsPage } from '../../pages/docs/docs-page.ts';
import { schemaErrors } from '../support/json-schema.ts';
import { exampleOperations, request, startExample } from './example-app.ts';

type Json = Record<string, unknown>;

const at = (value: unknown, ...path: string[]): Json =>
  path.reduce<unknown>((inner, name) => (inner as Json | undefined)?.[name], value) as Json;

const nodes = function* (value: unknown): Generator<Json> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value as Json;
  for (const inner of Object.values(value)) yield* nodes(inner);
};

const limits = defaultLimits;

const document = openApiDocument({
  operations: exampleOperations,
  baseUrl: 'http://letters.example',
  version: '0.2.0',
  limits,
  webhooks: { letter_status: { post: { responses: { 200: { description: 'Taken' } } } } },
  securitySchemes: [
    { name: 'x402', for: 'payable', scheme: { type: 'apiKey', in: 'header', name: 'X-Payment' } },
  ],
});

describe('OpenAPI document', () => {
  it('is OpenAPI 3.1 with references that all lead somewhere', () => {
    expect(document.openapi).to.equal('3.1.1');
    const references = [...nodes(document)].flatMap(({ $ref }) =>
      $ref === undefined ? [] : [$ref],
    );
    expect(references).to.include('#/components/schemas/Letter');
    for (const reference of references) {
      const path = String(reference).slice(2).split('/');
      expect(at(document, ...path), String(reference)).to.be.an('object');
    }
  });

  it('survives JSON unchanged', () => {
    expect(JSON.parse(JSON.stringify(document))).to.deep.equal(document);
  });

  it('has every operation with its rules, and no other', () => {
    const listed = Object.entries(at(document, 'paths')).flatMap(([path, item]) =>
      Object.keys(item as Json).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const routes = exampleOperations.map(({ method, path }) => `${method} ${path}`);
    expect(listed.sort()).to.deep.equal(routes.sort());
    const ids = [...nodes(document.paths)].flatMap((node) => node.operationId ?? []);
    expect(new Set(ids).size).to.equal(exampleOperations.length);
    const send = at(document, 'paths', '/api/send', 'post');
    expect(send['x-scope']).to.equal('send');
    expect(send.security).to.deep.equal([{ x402: [] }, { apiKey: [] }]);
    expect(send.parameters).to.deep.equal([
      { $ref: '#/components/parameters/IdempotencyKey' },
      { $ref: '#/components/parameters/PaymentSignature' },
      { $ref: '#/components/parameters/XPaymentSignature' },
    ]);
  });

  it('has a response for every status that its operations answer with, and nothing without a description', () => {
    for (const { path, method, responses } of exampleOperations) {
      const listed = at(document, 'paths', path, method.toLowerCase(), 'responses');
      expect(listed).to.include.keys(...Object.keys(responses), '500', '503');
      for (const response of Object.values(listed) as Json[]) {
        expect(response.$ref ?? response.description)
          .to.be.a('string')
          .and.not.equal('');
      }
    }
    const gone = at(document, 'paths', '/api/letters/{letter_id}', 'get', 'responses', '410');
    expect(at(gone, 'content', 'application/problem+json', 'examples')).to.have.keys(
      'letter_deleted',
    );
  });

  it('describes path parameters as required and a body without required fields as optional', () => {
    const cancel = at(document, 'paths', '/api/letters/{letter_id}/cancel', 'post');
    expect((cancel.parameters as Json[])[0]).to.deep.include({
      name: 'letter_id',
      in: 'path',
      required: true,
    });
    expect(at(cancel, 'requestBody').required).to.equal(false);
    expect(at(document, 'paths', '/api/send', 'post', 'requestBody').required).to.equal(true);
  });

  it('describes query parameters of one family as an object', () => {
    const { parameters } = at(document, 'paths', '/api/letters/search', 'get');
    expect((parameters as Json[]).at(-1)).to.deep.equal({
      name: 'metadata',
      in: 'query',
      required: false,
      style: 'deepObject',
      explode: true,
      description: 'A pair.',
      schema: {
        type: 'object',
        propertyNames: { pattern: '^[a-z]{1,9}$' },
        additionalProperties: { type: 'string' },
      },
    });
  });

  it('holds schemas that are JSON Schema 2020-12', () => {
    const { exact } = makeValidators();
    const withoutReferences = (value: unknown) => ![...nodes(value)].some(({ $ref }) => $ref);
    const schemas = [...nodes(document)].flatMap(({ schema }) =>
      schema !== undefined && withoutReferences(schema) ? [schema as Json] : [],
    );
    const isFile = ({ contentMediaType }: Json): boolean =>
      typeof contentMediaType === 'string' && !contentMediaType.startsWith('text/');
    expect(schemas.length).to.be.greaterThan(10);
    for (const schema of schemas) {
      expect(schemaErrors(schema)).to.deep.equal([]);
      // Generators know bytes by it; here nothing is checked with it.
      const { format, ...rest } = schema;
      if (isFile(schema)) expect(format).to.equal('binary');
      expect(() => exact((isFile(schema) ? rest : schema) as never)).not.to.throw();
    }
  });

  it('has a list of values once, with the description of each use', () => {
    const components = new SchemaComponents();
    const side = (description: string) =>
      components.reference({ type: 'string', enum: ['left', 'right'], title: 'Side', description });
    const $ref = '#/components/schemas/Side';
    expect(side('Of the page.')).to.deep.equal({ $ref, description: 'Of the page.' });
    expect(side('Of the cover.')).to.deep.equal({ $ref, description: 'Of the cover.' });
    expect(components.schemas).to.deep.equal({
      Side: { type: 'string', enum: ['left', 'right'], title: 'Side' },
    });
    const other = { type: 'string', enum: ['up', 'down'], title: 'Side', description: 'Other.' };
    expect(components.reference(other)).to.deep.equal(other);
  });

  it('writes maps, and what may be null, as generators of clients read them', () => {
    const components = new SchemaComponents();
    const map = Type.Record(Type.String(), Type.String({ maxLength: 9 }), { maxProperties: 2 });
    expect(components.reference(map)).to.deep.equal({
      type: 'object',
      additionalProperties: { type: 'string', maxLength: 9 },
      maxProperties: 2,
    });
    const orNull = (schema: object, words = {}) =>
      components.reference(Type.Union([schema as never, Type.Null()], words));
    expect(orNull(Type.String({ minLength: 1, description: 'A word.' }))).to.deep.equal({
      type: ['string', 'null'],
      minLength: 1,
      description: 'A word.',
    });
    expect(orNull(map, { description: 'Words.' })).to.deep.equal({
      type: ['object', 'null'],
      additionalProperties: { type: 'string', maxLength: 9 },
      maxProperties: 2,
      description: 'Words.',
    });
    for (const other of [
      { type: 'string', enum: ['a', 'b'] },
      { type: 'array', items: { type: 'string' } },
      { type: 'object', properties: { a: { type: 'string' } } },
    ])
      expect(orNull(other)).to.deep.equal({ anyOf: [other, { type: 'null' }] });
  });

  it('refuses two schemas with one name', () => {
    const one = (name: string, schema: ReturnType<typeof Type.Object>) =>
      operation({
        name,
        method: 'GET',
        path: `/${name}`,
        tag: 't',
        summary: 's',
        access: 'public',
        input: {},
        responses: { 200: { description: 'd', schema } },
        errors: [],
        handle: () => ({ body: {} }),
      });
    const operations = [
      one('a', Type.Object({}, { $id: 'Same' })),
      one('b', Type.Object({ x: Type.String() }, { $id: 'Same' })),
    ];
    expect(() => openApiDocument({ operations, baseUrl: '', version: '1', limits })).to.throw(
      'Same',
    );
  });
});

describe('API documentation', () => {
  it('is served with all its files from here, under a strict policy', async () => {
    const app = await startExample({ mounts: [serveFiles(docsPage(''))] });
    try {
      const page = await request(app, '/docs');
      expect(page.status).to.equal(200);
      expect(page.headers.get('content-type')).to.contain('text/html');
      const policy = page.headers.get('content-security-policy') ?? '';
      expect(policy).to.contain("script-src 'self'").and.not.contain('unsafe');
      const html = String(page.body.text);
      expect(html).not.to.match(/https?:\/\//);
      expect(html).to.match(/<noscript>[^<]*\/api-docs[^<]*\/openapi\.json/);
      const links = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] ?? '');
      expect(links).to.have.lengthOf(4);
      for (const link of links) {
        const asset = await request(app, link);
        expect(asset.status, link).to.equal(200);
        const etag = asset.headers.get('etag') ?? '';
        const again = await request(app, link, { headers: { 'If-None-Match': etag } });
        expect(again.status).to.equal(304);
      }
      const initializer = await request(app, '/docs/initializer.js');
      expect(initializer.body.text).to.contain('validatorUrl: null');
      expect((await request(app, 'POST /docs')).status).to.equal(405);
      expect((await request(app, '/docs/../package.json')).status).to.equal(404);
      expect((await request(app, '/docs/nothing.js')).status).to.equal(404);
    } finally {
      await app.stop();
    }
  });
});

describe('operations that are written wrongly', () => {
  const example = (name: string) => exampleOperations.find((one) => one.name === name);
  const start = (operation: object | undefined) =>
    buildHttpApp({
      authenticate: async () => ({}) as never,
      limits: {} as never,
      clock: Date.now,
      digest: (text) => text,
      log: { info() {}, warn() {}, error() {} },
      baseUrl: '',
      operations: [operation as never],
    });

  // A test compiles the schemas of all operations, because the service does so at the first request.
  it('have schemas that do not compile: a keyword that does not exist', () => {
    const body = Type.Object({ a: Type.String({ maxLenght: 3 }) });
    for (const compile of Object.values(makeValidators())) {
      expect(() => compile(body)).to.throw('maxLenght');
    }
  });

  it('stop the start: one that needs a credential and does not declare which UCANs permit it', () => {
    const silent = { ...example('send_letter'), permit: undefined };
    expect(() => start(silent)).to.throw('send_letter does not declare which UCANs permit it');
  });
});
