import { writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { makeValidators } from '../../http/validator.ts';
import { examples } from '../../service/examples/examples.ts';
import { useService } from '../support/client.ts';
import { recordExamples } from '../support/openapi-examples.ts';

type Shown = {
  requestBody: { content: Record<string, { examples?: object }> };
  parameters?: { in: string }[];
};
type Document = { paths: Record<string, Record<string, Shown>> };

const file = new URL('../../service/examples/examples.json', import.meta.url);

describe('the examples of the OpenAPI document', function () {
  this.timeout(60_000);
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
});
