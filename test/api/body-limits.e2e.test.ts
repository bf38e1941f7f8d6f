import { expect } from 'chai';
import type { AnyOperation } from '../../contract/operation.ts';
import { bodyRulesOf } from '../../http/body-rules.ts';
import { largestBody } from '../../http/largest-body.ts';
import { defaultLimits } from '../../limits/table.ts';
import { expectProblem, useService } from '../support/client.ts';

type Schema = Record<string, unknown> & {
  type?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
};

const longest = '😀';
/** Texts this long need no bound of their own: their format, or a list of values, has one. */
const longestFormat = 2048;

/** A value as large as the schema of a member allows, whatever its pattern says. */
const largestOf = (schema: Schema): unknown => {
  const { type, maxLength, maxItems, 'x-max-bytes': stated } = schema;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if ('const' in schema) return schema.const;
  const ways = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined;
  if (ways && type === undefined) return largestOf(ways[0] as Schema);
  if (typeof stated === 'number' && type === 'array') return ['x'.repeat(stated)];
  if (typeof stated === 'number') return 'x'.repeat(stated);
  if (type === 'string') return longest.repeat(Number(maxLength ?? longestFormat) / 2);
  if (type === 'array') return Array(Number(maxItems)).fill(largestOf(schema.items as Schema));
  if (type !== 'object') return 123_456.78;
  const members = Object.entries(schema.properties ?? {});
  return Object.fromEntries(members.map(([name, member]) => [name, largestOf(member)]));
};

describe('the body of each operation', () => {
  const api = useService({ MECH_MODE: 'test' });
  const withBody = (): AnyOperation[] =>
    api.service().service.operations.filter(({ input }) => input.body !== undefined);

  it('has a bound in its schema: no text, list or object in it is unlimited', () => {
    const unlimited = withBody().filter(
      ({ input }) => !Number.isFinite(largestBody(input.body).bytes),
    );
    expect(unlimited.map(({ name }) => name)).to.deep.equal([]);
  });

  it('may be as large as the largest valid one, and is limited to little more', () => {
    const { bodyBytes } = defaultLimits;
    for (const operation of withBody()) {
      const { maxBytes = 0, maxValues = 0 } = bodyRulesOf(operation, defaultLimits) ?? {};
      const largest = Buffer.byteLength(JSON.stringify(largestOf(operation.input.body)));
      if (maxBytes < bodyBytes) expect(largest, operation.name).to.be.at.most(maxBytes);
      expect(maxValues, operation.name).to.be.within(1_000, 20_000);
      const takesText = ['content', 'document', 'params'].some(
        (name) => operation.input.body.properties?.[name] !== undefined,
      );
      if (!takesText) expect(maxBytes, operation.name).to.be.at.most(1024 * 1024);
    }
  });

  it('is small where anybody registers, recovers or confirms', () => {
    const small = ['register', 'signup', 'register_agent', 'recover_account', 'confirm_email'];
    for (const operation of withBody().filter(({ name }) => small.includes(name))) {
      const { maxBytes, maxValues } = bodyRulesOf(operation, defaultLimits) ?? {};
      expect(maxBytes, operation.name).to.be.within(16_384, 65_536);
      expect(maxValues, operation.name).to.equal(1_000);
    }
  });

  it('has a limit that OpenAPI states and the refusal names', async () => {
    const { body: document } = await api.call<{
      paths: Record<string, Record<string, { requestBody?: Record<string, unknown> }>>;
    }>('GET', '/openapi.json');
    for (const operation of withBody()) {
      const method = operation.method.toLowerCase();
      const stated = document.paths[operation.path]?.[method]?.requestBody;
      const maxBytes = bodyRulesOf(operation, defaultLimits)?.maxBytes;
      expect(stated?.['x-max-body-bytes'], operation.name).to.equal(maxBytes);
      expect(stated?.description).to.equal(`At most ${maxBytes} bytes.`);
    }
    const tooLarge = { email: 'a@example.com', mode: 'x'.repeat(16_384) };
    const { detail } = expectProblem(
      await api.call('POST', '/auth/register', tooLarge),
      413,
      'body_too_large',
    );
    expect(detail).to.equal('The body may have at most 16384 bytes.');
  });

  it('of many values is refused before it is parsed, even if it is no JSON', async () => {
    const many = `{"unclosed":[{${Array.from({ length: 1_200 }, (_, n) => `"k${n}":1`).join()}`;
    const answer = await api.call('POST', '/auth/register', undefined, { raw: many });
    const { errors } = expectProblem(answer, 422, 'validation_failed');
    expect(errors).to.deep.equal([
      { pointer: '', code: 'too_long', detail: 'A body may hold at most 1000 values.' },
    ]);
  });
});
