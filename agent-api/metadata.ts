/** The documents for agents and directories, as a shelf of files that follow the facts. */
import type { ServiceFacts } from '../contract/service-facts.ts';
import type { FileShelf, ServedFile } from '../contract/static-files.ts';
import { agentRecord, agentSchema, agentSchemaPath } from './agent-record.ts';
import { agentRegistration, apiCatalog, linksetType } from './well-known.ts';

type Document = { type: string; of(facts: ServiceFacts): object; headers?: Record<string, string> };

const json = 'application/json';

/** Every site may read them, independent of the CORS settings of the service. */
const forEverybody = { 'Access-Control-Allow-Origin': '*' };

const documents = (baseUrl: string): Record<string, Document> => ({
  '/.well-known/agent.json': {
    type: json,
    of: agentRecord,
    headers: { Link: `<${baseUrl}${agentSchemaPath}>; rel="describedby"` },
  },
  '/.well-known/agent-registration.json': { type: json, of: agentRegistration },
  '/.well-known/api-catalog': {
    type: linksetType,
    of: apiCatalog,
    headers: { Link: `<${baseUrl}/.well-known/api-catalog>; rel="api-catalog"` },
  },
  [agentSchemaPath]: { type: 'application/schema+json', of: () => agentSchema(baseUrl) },
});

/** `facts`: as they are now; while the service runs, only its DID changes. */
export const metadataShelf = (facts: () => ServiceFacts, baseUrl: string): FileShelf => {
  const made = new Map<string, { did: string; file: ServedFile }>();
  const all = documents(baseUrl);
  return {
    contentSecurityPolicy: "default-src 'none'; frame-ancestors 'none'",
    cacheControl: 'public, max-age=300',
    at(path) {
      const document = Object.hasOwn(all, path) ? all[path] : undefined;
      if (document === undefined) return undefined;
      const now = facts();
      const known = made.get(path);
      if (known?.did === now.did) return Promise.resolve([known.file]);
      const file = {
        type: document.type,
        bytes: Buffer.from(JSON.stringify(document.of(now), undefined, 2)),
        headers: { ...forEverybody, ...document.headers },
      };
      made.set(path, { did: now.did, file });
      return Promise.resolve([file]);
    },
  };
};
