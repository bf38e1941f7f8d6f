import { expect } from 'chai';
import { AppError } from '../../contract/errors.ts';
import { operation, type SignedRequest } from '../../contract/operation.ts';
import { Type } from '../../ground/type.ts';
import { type Example, request, startExample } from './example-app.ts';

describe('an operation whose body is signed', () => {
  let app: Example;
  let seen: SignedRequest[];
  const signed = operation({
    name: 'signed',
    method: 'POST',
    path: '/signed',
    tag: 'examples',
    summary: 'An example',
    access: 'public',
    checkSignature(asked) {
      seen.push(asked);
      if (asked.headers['x-signature'] !== 'right') {
        throw new AppError('partner_signature_invalid', 'Sign it.');
      }
    },
    input: { body: Type.Object({ n: Type.Integer() }, { additionalProperties: false }) },
    responses: { 200: { description: 'Fine', schema: Type.Object({}) } },
    errors: ['partner_signature_invalid'],
    handle: ({ body }) => ({ body }),
  });

  beforeEach(async () => {
    seen = [];
    app = await startExample({
      operations: [signed],
      limits: { ratePerAddress: 3, ratePerCredential: 3 },
    });
  });
  afterEach(() => app.stop());

  const post = (body: string | Uint8Array<ArrayBuffer>, signature = 'right') =>
    request(app, 'POST /signed', {
      body,
      headers: { 'Content-Type': 'application/json', 'X-Signature': signature },
    });

  it('is shown the bytes as they came', async () => {
    const text = '\ufeff{ "n" :\n 1e0 }';
    expect((await post(Buffer.from(text))).status).to.be.oneOf([200, 400]);
    const exact = '{ "n" :\n 2e0 }';
    expect((await post(exact)).body).to.deep.equal({ n: 2 });
    expect(seen.at(-1)?.body.toString()).to.equal(exact);
  });

  it('judges the content only of who signed it', async () => {
    const unsigned = await post('{"n":"x"}', 'wrong');
    expect([unsigned.status, unsigned.body.code]).to.deep.equal([401, 'partner_signature_invalid']);
    expect((await post('{"n":"x"}')).status).to.equal(422);
  });

  it('counts who cannot sign, whatever is sent, and not who can', async () => {
    const statuses: number[] = [];
    for (const body of ['{"n":1}', '{"n":', '{"n":1}', '{"n":1}']) {
      statuses.push((await post(body, 'wrong')).status);
    }
    expect(statuses).to.deep.equal([401, 400, 401, 429]);
    for (let n = 0; n < 10; n++) expect((await post('{"n":1}')).status).to.equal(200);
  });
});
