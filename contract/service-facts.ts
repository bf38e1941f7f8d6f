/**
 * Facts about an installation. Every description of it is made from these and names nothing that it does not
 * serve.
 */
import type { AnyOperation } from './operation.ts';

type TopUpWay = 'usdc' | 'lightning' | 'card';

export type ServiceFacts = {
  /** As its operator calls it. */
  name: string;
  /** How the operator can be reached. */
  contact?: string | undefined;
  version: string;
  /** One sentence. */
  description: string;
  /** Public address, without a slash at its end. */
  baseUrl: string;
  did: string;
  /** Address of the document of the DID, where the DID leads to one of ours. */
  didDocument?: string | undefined;
  /** Country code → identifiers of its postal services. */
  countries: Record<string, readonly string[]>;
  /** All that this process serves. */
  operations: readonly AnyOperation[];
  /** Payments of single requests; absent: none are taken. */
  x402?: { network: string; networkName: string; asset: string; testnet: boolean } | undefined;
  /** Ways to pay into a wallet. */
  topUps: readonly TopUpWay[];
  /** How the mech is switched on, if it is. */
  mech?: 'test' | 'live' | undefined;
  /** Everybody can register an account. */
  registration: boolean;
  /** E-mail is sent. */
  mail: boolean;
  /** Each event gets a credential. */
  credentials: boolean;
};

/** Whether there is an operation at the path or below it. */
export const serves = ({ operations }: Pick<ServiceFacts, 'operations'>, path: string): boolean =>
  operations.some((one) => one.path === path || one.path.startsWith(`${path}/`));

/** Where agents begin to negotiate: documents that they can read without knowing anything. */
export const negotiationOf = ({ baseUrl, operations }: ServiceFacts): string | undefined => {
  const path = operations.find(
    (one) => one.method === 'GET' && /^\/api\/anp\/[\w-]+$/.test(one.path),
  )?.path;
  return path && baseUrl + path;
};

/** Where its parts are. */
export const endpointsOf = (facts: ServiceFacts): Record<string, string> => {
  const paths: [string, string][] = [
    ['mcp', '/mcp'],
    ['rest', '/api'],
    ...(serves(facts, '/api/anp') ? [['anp', '/api/anp'] satisfies [string, string]] : []),
    ...(facts.mech ? [['mech', '/api/mech'] satisfies [string, string]] : []),
    ...(facts.x402 ? [['x402', '/x402'] satisfies [string, string]] : []),
    ['signup', '/signup'],
    ['docs', '/docs'],
    ['api_docs', '/api-docs'],
    ['openapi', '/openapi.json'],
    ['health', '/health'],
    ['identity', '/api/identity/service-did'],
    ['log', '/api/identity/log/checkpoint'],
  ];
  return Object.fromEntries(paths.map(([name, path]) => [name, facts.baseUrl + path]));
};

/** Documents at addresses that others know to look at. */
export const wellKnownOf = (facts: ServiceFacts): string[] => {
  const { baseUrl, didDocument } = facts;
  return [
    ...(didDocument === undefined ? [] : [didDocument]),
    `${baseUrl}/api/identity/service-did`,
    `${baseUrl}/api/identity/log/checkpoint`,
    `${baseUrl}/.well-known/agent.json`,
    `${baseUrl}/.well-known/agent-registration.json`,
    `${baseUrl}/.well-known/api-catalog`,
    `${baseUrl}/llms.txt`,
    `${baseUrl}/llms-full.txt`,
  ];
};

/** How is paid here. */
export const paymentMethodsOf = ({ x402, topUps, mech }: ServiceFacts): string[] => [
  'wallet',
  ...(x402 ? ['x402'] : []),
  ...topUps,
  ...(mech === 'live' ? ['xdai'] : []),
];
