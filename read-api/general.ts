import { type AnyOperation, operation } from '../contract/operation.ts';
import {
  endpointsOf,
  paymentMethodsOf,
  type ServiceFacts,
  serves,
  wellKnownOf,
} from '../contract/service-facts.ts';
import type { Clock } from '../ground/clock.ts';
import { Type } from '../ground/type.ts';
import { homePage, homePagePolicy } from '../pages/home/home-page.ts';
import { handoverDate } from '../postal/delivery-window.ts';
import type { PriceList } from '../postal/pricing.ts';
import { countriesOf } from '../postal/services.ts';
import { presentCatalogue } from '../presenters/catalogue.ts';

export const serviceVersion = '0.2.0';

const ServiceInfo = Type.Named('ServiceInfo', {
  name: Type.String(),
  version: Type.String(),
  description: Type.String(),
  status: Type.Literal('ok'),
  docs: Type.String(),
  openapi: Type.String(),
  api_docs: Type.String(),
  countries: Type.Record(Type.String(), Type.Array(Type.String()), {
    description: 'Country code → service identifiers.',
  }),
  payment_methods: Type.Array(Type.String(), {
    description:
      'The configured methods. `wallet` is always there. `x402` pays single requests; `usdc`, `lightning` and `card` fill the wallet; `xdai` pays the mech.',
  }),
  capabilities: Type.Array(Type.String()),
  endpoints: Type.Record(Type.String(), Type.String(), {
    description: 'Addresses of the parts that this installation serves.',
  }),
  links: Type.Record(Type.String(), Type.String(), {
    description: 'Descriptions for people and programs.',
  }),
  well_known: Type.Array(Type.String()),
});

const capabilitiesOf = (facts: ServiceFacts): string[] => [
  ...[
    'send',
    'quote',
    'preview',
    'track',
    'cancel',
    'proof',
    'test_mode',
    'webhooks',
    'did',
    'ucan',
  ],
  'mcp',
  ...(facts.credentials ? ['credentials', 'audit'] : []),
  ...(facts.mail ? ['email'] : []),
  ...(facts.x402 ? ['x402'] : []),
  ...(serves(facts, '/api/anp') ? ['anp'] : []),
  ...(facts.mech ? ['mech'] : []),
];

const linksOf = ({ baseUrl }: ServiceFacts): Record<string, string> => ({
  docs: `${baseUrl}/docs`,
  api_docs: `${baseUrl}/api-docs`,
  openapi: `${baseUrl}/openapi.json`,
  agent: `${baseUrl}/.well-known/agent.json`,
  api_catalog: `${baseUrl}/.well-known/api-catalog`,
  llms: `${baseUrl}/llms.txt`,
});

const infoOf = (facts: ServiceFacts) => {
  const links = linksOf(facts);
  return {
    name: 'letters',
    version: facts.version,
    description: facts.description,
    status: 'ok' as const,
    docs: links.docs,
    openapi: links.openapi,
    api_docs: links.api_docs,
    countries: facts.countries,
    payment_methods: paymentMethodsOf(facts),
    capabilities: capabilitiesOf(facts),
    endpoints: endpointsOf(facts),
    links,
    well_known: wellKnownOf(facts),
  };
};

/** Where programs find the rest, without reading the body (RFC 9727, RFC 8631). */
const linkHeader = ({ api_catalog, openapi, api_docs }: Record<string, string>): string =>
  [
    `<${api_catalog}>; rel="api-catalog"`,
    `<${openapi}>; rel="service-desc"; type="application/json"`,
    `<${api_docs}>; rel="service-doc"; type="text/html"`,
  ].join(', ');

const cataloguesAt = (now: number, prices: PriceList) =>
  countriesOf(prices.services).map((code) =>
    presentCatalogue(code, handoverDate(code, now), prices),
  );

/** The page, as the same buffer for as long as it says the same. */
const createPage = (clock: Clock, prices: () => PriceList): ((facts: ServiceFacts) => Buffer) => {
  let drawn = { html: '', bytes: Buffer.alloc(0) };
  return (facts) => {
    const html = homePage(facts, cataloguesAt(clock(), prices()));
    if (html !== drawn.html) drawn = { html, bytes: Buffer.from(html) };
    return drawn.bytes;
  };
};

/** `facts`: what this installation serves, as it is now. */
export const generalOperations = (
  facts: () => ServiceFacts,
  clock: Clock,
  prices: () => PriceList,
): AnyOperation[] => {
  const pageOf = createPage(clock, prices);
  return [
    operation({
      name: 'service_info',
      method: 'GET',
      path: '/',
      tag: 'General',
      summary: 'Describe this service and list its addresses',
      description: 'Answers a page if `Accept` prefers `text/html`, as browsers do.',
      access: 'public',
      input: {},
      responses: {
        200: {
          description: 'Service info',
          schema: ServiceInfo,
          produces: ['application/json', 'text/html'],
        },
      },
      anyAccept: true,
      errors: [],
      handle({ accept }) {
        const now = facts();
        const headers = { Link: linkHeader(linksOf(now)) };
        if (accept !== 'text/html') return { body: infoOf(now), headers };
        return {
          body: pageOf(now),
          keptSeconds: 300,
          headers: {
            ...headers,
            'Content-Type': 'text/html; charset=utf-8',
            'Content-Security-Policy': homePagePolicy,
          },
        };
      },
    }),
  ];
};
