import { expect } from 'chai';
import fc from 'fast-check';
import { anyText } from '../support/any-text.ts';
import { type Example, letterId, request, startExample, validLetter } from './example-app.ts';

const names = fc.constantFrom(
  ...Object.keys(validLetter),
  'metadata',
  '__proto__',
  'copies',
  'nested',
);
const strangeText = fc.oneof(
  anyText(),
  fc.constantFrom('\ud800', '\0', '\u202e', 'a'.repeat(5_000), '<script>', "'; drop table", '%00'),
);
const strangeValue = fc.oneof(fc.anything(), strangeText, fc.jsonValue());
/** JSON objects near a valid letter, JSON that is anything, and bytes that are no JSON. */
const hostileBody = fc.oneof(
  fc
    .array(fc.tuple(names, strangeValue), { maxLength: 6 })
    .map((pairs) => stringify({ ...validLetter, ...Object.fromEntries(pairs) })),
  fc.jsonValue().map(stringify),
  fc.uint8Array({ minLength: 1, maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  strangeText,
);

function stringify(value: unknown): string {
  const seen = new Set<unknown>();
  const text = JSON.stringify(value, (_key, inner) => {
    if (typeof inner === 'bigint') return String(inner);
    if (typeof inner === 'object' && inner !== null && seen.has(inner)) return undefined;
    seen.add(inner);
    return inner;
  });
  return text ?? 'null';
}

describe('hostile requests', () => {
  let app: Example;
  before(async () => {
    app = await startExample();
  });
  after(() => app.stop());

  const neverOurFault = async (path: string, init: RequestInit) => {
    const headers = { 'Content-Type': 'application/json' };
    const { status, body } = await request(app, path, { headers, ...init, key: 'full' });
    expect(status).to.be.lessThan(500);
    if (status >= 400)
      expect(body).to.include.keys('type', 'title', 'detail', 'code', 'request_id');
    if (status === 422) expect(body.errors).to.have.property('length').within(1, 20);
  };

  it('with any body are answered without a fault of ours', async () => {
    const paths = fc.constantFrom('POST /api/send', `POST /api/letters/${letterId}/cancel`);
    await fc.assert(
      fc.asyncProperty(paths, hostileBody, (path, body) => neverOurFault(path, { body })),
      { numRuns: 400 },
    );
    expect(app.logged).to.deep.equal([]);
  });

  it('with any path and query are answered without a fault of ours', async () => {
    const part = fc.oneof(
      fc.webPath(),
      fc.webQueryParameters().map((query) => `?${query}`),
    );
    const target = fc.tuple(fc.constantFrom('', '/api/letters', '/api/letters/search'), part);
    await fc.assert(
      fc.asyncProperty(target, ([start, rest]) => {
        const path = start + rest;
        return neverOurFault(`GET ${path.startsWith('/') ? path : `/${path}`}`, {});
      }),
      { numRuns: 200 },
    );
  });
});
