import Type from 'typebox';
import { type AnyOperation, operation } from '../contract/operation.ts';
import { servicesOf } from '../postal/services.ts';
import { countryCodes } from '../postal/types.ts';
import { documentUrlOf } from './service-did.ts';

export const serviceVersion = '0.2.0';

const ServiceInfo = Type.Object(
  {
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
    payment_methods: Type.Array(Type.String()),
    capabilities: Type.Array(Type.String()),
    endpoints: Type.Record(Type.String(), Type.String()),
    well_known: Type.Array(Type.String()),
  },
  { title: 'ServiceInfo' },
);

type GeneralPorts = {
  baseUrl: string;
  /** The DID of the service, as it is now. */
  did: () => string;
  /** What this installation has switched on. */
  mail: boolean;
  x402: boolean;
  credentials: boolean;
};

const capabilitiesOf = ({ mail, credentials, x402 }: GeneralPorts): string[] => [
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
    'mcp',
    'mcp',
  ],
  ...(credentials ? ['credentials', 'audit'] : []),
  ...(mail ? ['email'] : []),
  ...(x402 ? ['x402'] : []),
];

/** Documents that others verify with; a did:web has its own at the place that its name leads to. */
const wellKnownOf = ({ baseUrl, did }: GeneralPorts): string[] => {
  const didJson = documentUrlOf(did());
  return [
    ...(didJson === undefined ? [] : [didJson]),
    `${baseUrl}/api/identity/service-did`,
    `${baseUrl}/api/identity/log/checkpoint`,
  ];
};

export const generalOperations = (ports: GeneralPorts): AnyOperation[] => [serviceInfo(ports)];

const serviceInfo = (ports: GeneralPorts): AnyOperation => {
  const { baseUrl } = ports;
  return operation({
    name: 'service_info',
    method: 'GET',
    path: '/',
    tag: 'General',
    summary: 'What this service is and where things are',
    access: 'public',
    input: {},
    responses: { 200: { description: 'Service info', schema: ServiceInfo } },
    errors: [],
    handle: () => ({
      body: {
        name: 'letters',
        version: serviceVersion,
        description: 'Prints and posts real letters to US, FR, GB, CA and DE.',
        status: 'ok',
        docs: `${baseUrl}/docs`,
        openapi: `${baseUrl}/openapi.json`,
        api_docs: `${baseUrl}/docs`,
        countries: Object.fromEntries(
          countryCodes.map((code) => [code, servicesOf(code).map((service) => service.id)]),
        ),
        payment_methods: ['wallet', ...(ports.x402 ? ['x402'] : [])],
        capabilities: capabilitiesOf(ports),
        endpoints: {
          mcp: `${baseUrl}/mcp`,
          rest: `${baseUrl}/api`,
          signup: `${baseUrl}/signup`,
          docs: `${baseUrl}/docs`,
          health: `${baseUrl}/health`,
          identity: `${baseUrl}/api/identity/service-did`,
          log: `${baseUrl}/api/identity/log/checkpoint`,
        },
        well_known: wellKnownOf(ports),
      },
    }),
  });
};
