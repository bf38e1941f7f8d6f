/** The service's description of itself for agents: a published contract, to which fields may be added. */
import type { Static } from 'typebox';
import {
  endpointsOf,
  negotiationOf,
  paymentMethodsOf,
  type ServiceFacts,
} from '../contract/service-facts.ts';
import { Type } from '../ground/type.ts';
import { propertiesOf } from './schemas.ts';
import { toolsOf } from './tool-catalogue.ts';

const open = { additionalProperties: true };

const Capability = Type.Object(
  {
    name: Type.String(),
    description: Type.String(),
    endpoint: Type.Optional(Type.String({ description: 'Address of the operation.' })),
    countries: Type.Optional(Type.Array(Type.String(), { description: 'ISO 3166-1 alpha-2.' })),
  },
  open,
);

const Method = Type.Object(
  {
    type: Type.String(),
    description: Type.String(),
    header: Type.Optional(Type.String()),
    signup_required: Type.Optional(Type.Boolean()),
  },
  open,
);

const AgentRecord = Type.Object(
  {
    name: Type.String(),
    description: Type.String(),
    version: Type.String(),
    did: Type.String({ pattern: '^did:' }),
    logo: Type.Optional(Type.String({ format: 'uri' })),
    contact: Type.Optional(Type.String()),
    capabilities: Type.Array(Capability),
    protocols: Type.Record(Type.String(), Type.Object({}, open), {
      description: 'Name of the protocol → how the service supports it.',
    }),
    authentication: Type.Object({ preferred: Type.String(), methods: Type.Array(Method) }, open),
  },
  open,
);

type AgentRecord = Static<typeof AgentRecord>;

export const agentSchemaPath = '/schemas/agent-v1.json';
export const logoPath = '/logo.svg';

/** The schema as it is served. */
export const agentSchema = (baseUrl: string): object => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: baseUrl + agentSchemaPath,
  title: 'Agent metadata',
  ...AgentRecord,
});

/** Tools that only answer with an error unless something is configured. */
const needs: Record<string, (facts: ServiceFacts) => boolean> = {
  top_up_wallet: ({ topUps }) => topUps.length > 0,
};

/** The countries that an operation can be asked for, as its schema names them. */
const countriesIn = (properties: unknown): string[] | undefined => {
  const { to_country: to, country } = propertiesOf({ properties });
  const { enum: codes } = to ?? country ?? {};
  return Array.isArray(codes) ? codes : undefined;
};

const capabilitiesOf = (facts: ServiceFacts): AgentRecord['capabilities'] =>
  toolsOf(facts.operations)
    .filter(({ name }) => needs[name]?.(facts) ?? true)
    .map(({ name, listed, operations: [operation] }) => {
      const countries = countriesIn(listed.inputSchema.properties);
      return {
        name,
        description: listed.description,
        ...(operation && {
          endpoint: facts.baseUrl + operation.path,
          method: operation.method,
          access: operation.access,
          x402: Boolean(operation.payable && facts.x402),
        }),
        ...(countries && { countries }),
      };
    });

/** The revisions of MCP that are spoken, the newest first. */
export const mcpVersions = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'];

const x402Of = ({ network, networkName, asset, testnet }: NonNullable<ServiceFacts['x402']>) => ({
  network,
  network_name: networkName,
  asset,
  testnet,
});

const protocolsOf = (facts: ServiceFacts): AgentRecord['protocols'] => {
  const { baseUrl, x402 } = facts;
  const negotiation = negotiationOf(facts);
  return {
    mcp: {
      url: `${baseUrl}/mcp`,
      transport: 'streamable-http',
      versions: mcpVersions,
      tools: toolsOf(facts.operations).length,
    },
    rest: { url: `${baseUrl}/`, openapi: `${baseUrl}/openapi.json`, docs: `${baseUrl}/api-docs` },
    ...(negotiation && { anp: { url: negotiation } }),
    ...(x402 && {
      x402: { url: `${baseUrl}/x402`, versions: [2, 1], scheme: 'exact', ...x402Of(x402) },
    }),
    ...(facts.mech && {
      mech: {
        url: `${baseUrl}/api/mech/info`,
        tools: `${baseUrl}/api/mech/tools`,
        mode: facts.mech,
      },
    }),
  };
};

const toGetAKey = ({ registration, baseUrl }: ServiceFacts): string =>
  registration
    ? `POST ${baseUrl}/auth/agent or /auth/register returns one at once.`
    : 'Registration is closed: ask the operator for one.';

const authenticationOf = (facts: ServiceFacts): AgentRecord['authentication'] => ({
  preferred: facts.x402 ? 'x402' : 'api_key',
  methods: [
    ...(facts.x402
      ? [
          {
            type: 'x402',
            description:
              'Call without a credential, sign the USDC payment that the 402 answer asks for, and call again: the payment is the authentication.',
            header: 'X-PAYMENT-SIGNATURE',
            signup_required: false,
          },
        ]
      : []),
    {
      type: 'ucan',
      description:
        'A UCAN 0.10.0 capability token, as "Bearer ucan:<token>". The holder of a key delegates it and limits what it allows.',
      header: 'Authorization',
      signup_required: false,
    },
    {
      type: 'api_key',
      description: `An API key, as "Bearer <key>". ${toGetAKey(facts)}`,
      header: 'Authorization',
      signup_required: true,
    },
  ],
});

/** The record of this installation, as it is now. */
export const agentRecord = (
  facts: ServiceFacts,
): AgentRecord & { $schema: string; [more: string]: unknown } => ({
  $schema: facts.baseUrl + agentSchemaPath,
  name: facts.name,
  description: facts.description,
  version: facts.version,
  did: facts.did,
  logo: facts.baseUrl + logoPath,
  ...(facts.contact === undefined ? {} : { contact: facts.contact }),
  capabilities: capabilitiesOf(facts),
  protocols: protocolsOf(facts),
  payment_methods: paymentMethodsOf(facts),
  endpoints: endpointsOf(facts),
  authentication: authenticationOf(facts),
});
