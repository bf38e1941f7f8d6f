/** Documents at well-known addresses, by which directories and crawlers find the service. */
import { negotiationOf, type ServiceFacts } from '../contract/service-facts.ts';
import { logoPath, mcpVersions } from './agent-record.ts';

/** RFC 9264, with the profile of RFC 9727. */
export const linksetType =
  'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

/** The API catalogue of RFC 9727: one API, and what describes it. */
export const apiCatalog = ({ baseUrl }: ServiceFacts): object => ({
  linkset: [
    {
      anchor: `${baseUrl}/.well-known/api-catalog`,
      item: [{ href: `${baseUrl}/`, title: 'REST API' }],
    },
    {
      anchor: `${baseUrl}/`,
      'service-desc': [{ href: `${baseUrl}/openapi.json`, type: 'application/json' }],
      'service-doc': [
        { href: `${baseUrl}/api-docs`, type: 'text/html' },
        { href: `${baseUrl}/llms-full.txt`, type: 'text/plain' },
      ],
      'service-meta': [
        { href: `${baseUrl}/.well-known/agent.json`, type: 'application/json' },
        { href: `${baseUrl}/.well-known/agent-registration.json`, type: 'application/json' },
      ],
      status: [{ href: `${baseUrl}/health`, type: 'application/json' }],
    },
  ],
});

/** An e-mail address may stand among the services of a registration; another contact may not. */
const isEmail = (text: string | undefined): text is string => /^[^\s@]+@[^\s@]+$/.test(text ?? '');

/** The registration file of ERC-8004. It is registered on no chain, and claims no trust models. */
export const agentRegistration = (facts: ServiceFacts): object => {
  const { name, description, baseUrl, did, contact, x402 } = facts;
  const negotiation = negotiationOf(facts);
  return {
    type: 'https://eips.ethereum.org/EIPS/eip-8004#registration-v1',
    name,
    description,
    image: baseUrl + logoPath,
    services: [
      { name: 'web', endpoint: `${baseUrl}/` },
      { name: 'MCP', endpoint: `${baseUrl}/mcp`, version: mcpVersions[0] },
      { name: 'OpenAPI', endpoint: `${baseUrl}/openapi.json`, version: facts.version },
      ...(negotiation === undefined ? [] : [{ name: 'ANP', endpoint: negotiation }]),
      { name: 'DID', endpoint: did, version: 'v1' },
      ...(isEmail(contact) ? [{ name: 'email', endpoint: contact }] : []),
    ],
    x402Support: x402 !== undefined,
    active: true,
    registrations: [],
    supportedTrust: [],
  };
};
