import { writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { makeValidators } from '../../http/validator.ts';
import { examples } from '../../service/examples/examples.ts';
import { useService } from '../support/client.ts';
import { schemaErrors } from '../support/json-schema.ts';
import { recordExamples } from '../support/openapi-examples.ts';

type Content = Record<string, { example?: unknown; examples?: object }>;
type Shown = {
  operationId: string;
  summary: string;
  description?: string;
  responses: Record<string, { content?: Content }>;
  requestBody: { content: Record<string, { examples?: object }> };
  parameters?: { in: string }[];
};
type Called = {
  result: { structuredContent: Record<string, unknown>; content: { text: string }[] };
};
type Document = { paths: Record<string, Record<string, Shown>> };

const file = new URL('../../service/examples/examples.json', import.meta.url);

describe('the examples of the OpenAPI document', function () {
  this.timeout(180_000);
  const api = useService({ MECH_MODE: 'test' });
  const validators = makeValidators();

  it('are what the service is sent and answers, of every operation', async () => {
    const recorded = await recordExamples(api.service());
    if (process.env.RECORD_EXAMPLES) {
      writeFileSync(file, `${JSON.stringify(recorded, null, 1)}\n`);
      return;
    }
    const names = api.service().service.operations.map(({ name }) => name);
    expect(Object.keys(recorded), 'each has a step in openapi-examples.ts').to.have.members(names);
    expect(Object.keys(examples), 'RECORD_EXAMPLES=1 writes them').to.have.members(names);
    for (const [name, { answers }] of Object.entries(recorded)) {
      expect(Object.keys(examples[name]?.answers ?? {}), name).to.deep.equal(Object.keys(answers));
    }
  });

  it('belong to schemas that are JSON Schema 2020-12', () => {
    for (const { name, input, responses } of api.service().service.operations) {
      const answers = Object.values(responses).map(({ schema }) => schema);
      for (const schema of [input.params, input.query, input.body, ...answers]) {
        if (schema) expect(schemaErrors(schema), name).to.deep.equal([]);
      }
    }
  });

  it('say in words which form a text of a body or query must have', () => {
    const undescribed = (schema: unknown): unknown[] => {
      if (typeof schema !== 'object' || schema === null) return [];
      const { pattern, description } = schema as { pattern?: unknown; description?: unknown };
      const own = typeof pattern === 'string' && description === undefined ? [pattern] : [];
      return [...own, ...Object.values(schema).flatMap(undescribed)];
    };
    for (const { name, input } of api.service().service.operations) {
      expect(undescribed([input.query, input.body]), name).to.deep.equal([]);
    }
  });

  // The service compiles a schema when a request first needs it.
  it('belong to schemas that compile', () => {
    const { coercing, exact } = validators;
    for (const { name, input } of api.service().service.operations) {
      const { params, query, body } = input;
      if (params) expect(() => coercing(params), name).not.to.throw();
      if (query) expect(() => coercing(query), name).not.to.throw();
      if (body) expect(() => exact(body), name).not.to.throw();
    }
  });

  it('fit the schemas of their operations', () => {
    for (const { name, input, responses } of api.service().service.operations) {
      const { params, query, body, answers } = examples[name] ?? { answers: {} };
      const { coercing, exact } = validators;
      for (const [what, schema, value, validate] of [
        ['path', input.params, params, coercing],
        ['query', input.query, query, coercing],
        ['body', input.body, body, exact],
      ] as const) {
        if (!schema || value === undefined) continue;
        const fits = validate(schema);
        expect(
          fits(structuredClone(value)),
          `${name} ${what}: ${JSON.stringify(fits.errors)}`,
        ).to.equal(true);
      }
      for (const [status, value] of Object.entries(answers)) {
        const schema = responses[Number(status)]?.schema;
        const fits = validators.exact(schema ?? {});
        expect(
          fits(structuredClone(value)),
          `${name} ${status}: ${JSON.stringify(fits.errors)}`,
        ).to.equal(true);
      }
    }
  });

  it('stand in the document, and every body has one', async () => {
    const document = (await (await fetch(`${api.service().url}/openapi.json`)).json()) as Document;
    for (const { name, method, path, input } of api.service().service.operations) {
      const shown = document.paths[path]?.[method.toLowerCase()];
      if (input.body) {
        const bodies = shown?.requestBody.content['application/json']?.examples;
        expect(Object.keys(bodies ?? {}), name).to.have.length.above(0);
      }
      for (const parameter of shown?.parameters ?? []) {
        if (parameter.in === 'path') expect(parameter, name).to.have.property('example');
      }
    }
  });

  it('stand at every successful answer, and every operation has a description', async () => {
    const document = (await (await fetch(`${api.service().url}/openapi.json`)).json()) as Document;
    const shown = Object.values(document.paths).flatMap((item) => Object.values(item));
    expect(shown).to.have.length.above(100);
    for (const { operationId, summary, description = '', responses } of shown) {
      expect(description, operationId).to.have.length.above(10);
      expect(description, operationId).to.not.equal(summary);
      for (const [status, { content }] of Object.entries(responses)) {
        if (!status.startsWith('2') || !content) continue;
        const { 'application/json': json } = content;
        const isText = (type: string): boolean => type.startsWith('text/');
        if (!json && !Object.keys(content).some(isText)) continue;
        // Browsers load pages; programs do not read them.
        if (operationId.startsWith('page_') && !json) continue;
        const examined = json ? [json] : Object.values(content);
        const examples = examined.flatMap((media) => [
          ...Object.values(media.examples ?? {}),
          ...(media.example === undefined ? [] : [media.example]),
        ]);
        expect(examples, `${operationId} ${status}`).to.have.length.above(0);
      }
    }
  });

  it('show for MCP what its documented call is answered', async () => {
    const { key } = await api.register();
    const document = (await (await fetch(`${api.service().url}/openapi.json`)).json()) as Document;
    const documented = document.paths['/mcp']?.post;
    const sent = documented?.requestBody.content['application/json'] as { example: unknown };
    const stated = documented?.responses[200]?.content?.['application/json']?.example as Called;
    const response = await fetch(`${api.service().url}/mcp`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json',
        Authorization: `Bearer ${key}`,
      },
      body: JSON.stringify(sent.example),
    });
    const { result } = (await response.json()) as Called;
    expect(stated.result).to.have.all.keys(Object.keys(result));
    const members = Object.keys(result.structuredContent);
    expect(stated.result.structuredContent).to.have.all.keys(members);
    expect(JSON.parse(stated.result.content[0]?.text ?? '')).to.deep.equal(
      stated.result.structuredContent,
    );
  });
});
