/** The mech as the marketplace reads it: its identity, its offers, its health. */

import { type AnyOperation, operation } from '../../contract/operation.ts';
import { Type } from '../../ground/type.ts';
import { type Action, actions, paramsOf, priceOf, toolName } from './actions.ts';
import type { MechIdentity } from './ports.ts';

type DescribePorts = {
  /** Absent: it is not switched on. */
  mode: 'test' | 'live' | undefined;
  identity: MechIdentity;
  /** The proofs of payment that `execute` accepts. */
  proofs: ('coordinator_hmac' | 'coordinator_signature' | 'on_chain_request')[];
  baseUrl: string;
  /** Why it cannot take requests; undefined: it can. */
  notReady(): Promise<string | undefined>;
};

const Price = Type.Named('MechPrice', {
  price_wei: Type.Integer({ minimum: 0, description: 'Of xDAI.' }),
  price_human: Type.String({ examples: ['0.0200 xDAI'] }),
});

const eachAction = <T>(of: (action: Action) => T): Record<Action, T> =>
  Object.fromEntries(actions.map((action) => [action, of(action)])) as Record<Action, T>;

const perAction = <T extends ReturnType<typeof Type.Object>>(schema: T) =>
  Type.Object({ negotiate: schema, track: schema, send: schema });

const pricing = eachAction(priceOf);

const orNull = (schema: object) => Type.Unsafe<unknown>({ anyOf: [schema, { type: 'null' }] });

const MechInfo = Type.Object(
  {
    enabled: Type.Boolean(),
    mode: orNull({ type: 'string', enum: ['test', 'live'] }),
    name: Type.String(),
    tools: Type.Array(Type.String()),
    agent_id: orNull({ type: 'integer' }),
    component_id: orNull({ type: 'integer' }),
    service_id: orNull({ type: 'integer' }),
    owner: orNull({ type: 'string' }),
    mech_address: orNull({ type: 'string' }),
    marketplace_address: Type.String(),
    network: Type.String({ examples: ['gnosis'] }),
    chain_id: Type.Integer(),
    currency: Type.String(),
    pricing: perAction(Price),
    proofs: Type.Array(Type.String(), {
      description: 'The accepted payments; any of them is enough.',
    }),
    endpoints: Type.Record(Type.String(), Type.String()),
  },
  { $id: 'MechInfo' },
);

const infoOf = ({ mode, identity, proofs, baseUrl }: DescribePorts) => ({
  enabled: mode !== undefined,
  mode: mode ?? null,
  name: 'letters',
  tools: [toolName],
  agent_id: identity.agentId,
  component_id: identity.componentId,
  service_id: identity.serviceId,
  owner: identity.owner,
  mech_address: identity.mech,
  marketplace_address: identity.marketplace,
  network: identity.network.name,
  chain_id: identity.network.chainId,
  currency: 'xDAI',
  pricing,
  proofs: mode === 'live' ? proofs : [],
  endpoints: Object.fromEntries(
    ['info', 'tools', 'execute', 'health'].map((name) => [name, `${baseUrl}/api/mech/${name}`]),
  ),
});

const description =
  'Prints and posts a real letter to a recipient in the US, France, Great Britain, Canada or Germany, tracks a letter that it sent, or gives a signed offer in three tiers.';

/** JSON Schema of the params of an action. */
const paramsSchema = (action: Action) => {
  const { fields, required } = paramsOf[action];
  const said = { type: 'string', const: action };
  return {
    type: 'object',
    properties: { action: said, ...fields },
    required: ['action', ...required],
    additionalProperties: false,
  };
};

const tool = {
  name: toolName,
  description,
  input_schema: {
    type: 'object',
    properties: { action: { type: 'string', enum: actions } },
    required: ['action'],
    oneOf: actions.map(paramsSchema),
  },
  actions: eachAction((action) => ({
    ...priceOf(action),
    required: ['action', ...paramsOf[action].required],
  })),
};

/**
 * The metadata that mechs put on IPFS, ready to paste. Source: valory-xyz/mech-client,
 * infrastructure/ipfs/metadata.py.
 */
const metadataOf = (baseUrl: string) => ({
  name: 'letters',
  description,
  inputFormat: 'ipfs-v0.1',
  outputFormat: 'ipfs-v0.1',
  image: '',
  tools: [toolName],
  toolMetadata: {
    [toolName]: {
      name: toolName,
      description,
      input: {
        type: 'text',
        description: `JSON of the params: ${JSON.stringify(eachAction((action) => paramsOf[action].required))}`,
      },
      output: {
        type: 'object',
        description: 'The service’s answer as JSON in `result`.',
        schema: {
          type: 'object',
          properties: {
            requestId: { type: 'string', description: 'Id of the request on the marketplace' },
            result: { type: 'string', description: 'JSON: success, data, error, price_paid_wei' },
            prompt: { type: 'string', description: 'The params as sent' },
          },
          required: ['requestId', 'result', 'prompt'],
        },
      },
    },
  },
  url: `${baseUrl}/api/mech/info`,
});

const anyObject = (note: string) => Type.Unsafe<object>({ type: 'object', description: note });

const MechTools = Type.Object(
  {
    tools: Type.Array(
      Type.Object({
        name: Type.String(),
        description: Type.String(),
        input_schema: anyObject('JSON Schema of the params.'),
        actions: perAction(
          Type.Named('MechAction', {
            price_wei: Type.Integer({ minimum: 0 }),
            price_human: Type.String(),
            required: Type.Array(Type.String(), { description: 'Names of the required params.' }),
          }),
        ),
      }),
    ),
    metadata: anyObject('The metadata of a mech, with `toolMetadata`, as published on IPFS.'),
  },
  { $id: 'MechTools' },
);

const Probe = Type.Named('MechProbe', { ok: Type.Boolean(), reason: orNull({ type: 'string' }) });

const MechHealth = Type.Object(
  {
    status: Type.String({ description: '`ok`, or `unavailable` while it takes no requests.' }),
    is_healthy: Type.Boolean(),
    liveness: Probe,
    readiness: Probe,
  },
  { $id: 'MechHealth' },
);

export const describeOperations = (ports: DescribePorts): AnyOperation[] => {
  const common = {
    method: 'GET',
    tag: 'Mech',
    access: 'public',
    ignoresQuery: true,
    input: {},
    errors: [],
  } as const;
  const tools = { tools: [tool], metadata: metadataOf(ports.baseUrl) };

  return [
    operation({
      ...common,
      name: 'mech_info',
      path: '/api/mech/info',
      errors: [],
      summary: 'Describe the mech',
      description:
        'Returns its ids on chain, its network and its prices. `enabled` says whether it is switched on.',
      responses: { 200: { description: 'The mech', schema: MechInfo } },
      handle: () => ({ body: infoOf(ports) }),
    }),
    operation({
      ...common,
      name: 'mech_tools',
      path: '/api/mech/tools',
      errors: [],
      summary: 'Describe the tool of the mech',
      description:
        'Returns its schema, and the price and required params of each action. `metadata` is the document that mechs publish.',
      responses: { 200: { description: 'The tool', schema: MechTools } },
      handle: () => ({ body: tools }),
    }),
    operation({
      ...common,
      name: 'mech_health',
      path: '/api/mech/health',
      errors: [],
      summary: 'Check the health of the mech',
      description:
        'Answers 200 as long as the service answers. `readiness` says whether the mech takes requests.',
      responses: { 200: { description: 'The health of the mech', schema: MechHealth } },
      async handle() {
        const reason = (await ports.notReady()) ?? null;
        const ok = reason === null;
        return {
          body: {
            status: ok ? 'ok' : 'unavailable',
            is_healthy: ok,
            liveness: { ok: true, reason: null },
            readiness: { ok, reason },
          },
        };
      },
    }),
  ];
};
