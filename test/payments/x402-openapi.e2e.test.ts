/** The OpenAPI document of a service that takes payments says how to pay. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'chai';
import { toolDefinitions } from '../../agent-api/tools.ts';
import { guide } from '../docs/guides.ts';
import { letterTo, useService } from '../support/client.ts';
import { startPaidService } from '../support/evm/paid-service.ts';

type Json = { [name: string]: unknown };
type Operation = {
  operationId: string;
  'x-scope': string;
  security: Json[];
  parameters?: { $ref?: string }[];
  responses: Record<string, { headers?: Json; content: Record<string, { schema: Json }> }>;
};
type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Json; parameters: Json; headers: Json; securitySchemes: Json };
};

const documentOf = async (url: string): Promise<Document> =>
  (await (await fetch(`${url}/openapi.json`)).json()) as Document;

const operationsOf = ({ paths }: Document): Operation[] =>
  Object.values(paths).flatMap((item) => Object.values(item));

const takesPayment = ({ security }: Operation): boolean => security.some((way) => 'x402' in way);

describe('the OpenAPI document of a service that takes x402 payments', function () {
  this.timeout(180_000);
  let paid: Awaited<ReturnType<typeof startPaidService>>;
  let document: Document;
  before(async () => {
    paid = await startPaidService();
    document = await documentOf(paid.service.url);
  });
  after(() => paid?.stop());

  it('names payment, UCAN and API key as the ways in', () => {
    const { securitySchemes } = document.components;
    expect(securitySchemes.x402).to.include({ in: 'header', name: 'PAYMENT-SIGNATURE' });
    expect(securitySchemes).to.include.keys('ucan', 'apiKey', 'signInWithX');
    const send = document.paths['/api/send']?.post;
    expect(send?.security).to.deep.equal([
      ...[{ x402: [] }, { signInWithX: [] }, { ucan: [] }, { apiKey: [] }],
    ]);
    expect(document.paths['/auth/keys']?.get?.security).to.deep.equal([
      { ucan: [] },
      { apiKey: [] },
    ]);
  });

  it('asks of the callers of each tool what the guide to MCP says', () => {
    const needed = toolDefinitions.map(({ name, endpoints: [endpoint = ''] }) => {
      const [method = '', path = ''] = endpoint.split(' ');
      const operation = document.paths[path]?.[method.toLowerCase()] as Operation;
      const scope = operation['x-scope'];
      const what = { public: 'nothing', auth: 'any key' }[scope] ?? scope;
      return [name, takesPayment(operation) ? `${what}, or x402` : what];
    });
    const rows = guide('docs/mcp.md').matchAll(
      /^\| ([a-z_]+)(?: \*)? \| `.*?` \| ([^|;]+?)(?:;[^|]*)? \|/gm,
    );
    expect([...rows].map(([, name, needs]) => [name, needs])).to.deep.equal(needed);
  });

  it('has the headers and the 402 of every operation that can be paid for', () => {
    const payable = operationsOf(document).filter(takesPayment);
    expect(payable).to.have.length.above(15);
    for (const { operationId, parameters = [], responses } of payable) {
      const names = parameters.map(({ $ref }) => $ref?.split('/').at(-1));
      expect(names, operationId).to.include.members(['PaymentSignature', 'XPaymentSignature']);
      expect(responses[402]?.headers, operationId).to.include.keys('PAYMENT-REQUIRED');
      expect(JSON.stringify(responses[402]), operationId).to.contain('/schemas/PaymentRequired"');
    }
  });

  it('describes the demand as it is answered', async () => {
    const answer = await fetch(`${paid.service.url}/api/send`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(letterTo('DE')),
    });
    expect(answer.status).to.equal(402);
    expect(answer.headers.get('payment-required')).to.be.a('string');
    const body = (await answer.json()) as Json;
    expect(body.accepts).to.have.length(1);
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(ajv);
    ajv.addSchema({ $id: 'document', components: document.components });
    const isValid = ajv.compile({ $ref: 'document#/components/schemas/PaymentRequired' });
    isValid(body);
    expect(isValid.errors ?? []).to.deep.equal([]);
    const [offer] = body.accepts as Json[];
    const isOffer = ajv.compile({
      allOf: [{ $ref: 'document#/components/schemas/PaymentRequirements' }],
      unevaluatedProperties: false,
    });
    isOffer(offer);
    expect(isOffer.errors ?? []).to.deep.equal([]);
  });
});

describe('the OpenAPI document of a service without payments', () => {
  const { service } = useService();
  it('does not mention them', async () => {
    const document = await documentOf(service().url);
    expect(operationsOf(document).filter(takesPayment)).to.deep.equal([]);
    expect(document.components.securitySchemes).to.have.keys('ucan', 'apiKey');
    expect(document.components.schemas).to.not.include.keys('PaymentRequired');
  });

  it('lists the pages for people', async () => {
    const { paths } = await documentOf(service().url);
    for (const path of ['/docs', '/api-docs']) {
      expect(paths[path]?.get?.responses[200]?.content, path).to.have.keys('text/html');
      const answer = await fetch(service().url + path);
      expect([answer.status, answer.headers.get('content-type')?.split(';')[0]]).to.deep.equal([
        ...[200, 'text/html'],
      ]);
    }
  });
});
