/** The typed part of the Python client. `RECORD_CLIENTS=1` writes it anew. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { listByMetadata } from '../clients/generated.ts';
import { useService } from '../support/client.ts';
import { sources } from './installed.ts';
import { type Document, pythonClient } from './python-operations.ts';

describe('a parameter that is an object', () => {
  it('is one mapping in Python', () => {
    const paths = { '/api/things': { get: listByMetadata } };
    const text = pythonClient({ paths, components: { schemas: {} } })['operations.py'];
    expect(text).to.contain('(self, *, metadata: Mapping[str, str] | None = None)');
    expect(text).to.contain('query={"metadata": metadata}');
  });
});

describe('the typed part of the Python client', () => {
  const api = useService();

  it('is as the OpenAPI document makes it', async () => {
    const response = await fetch(`${api.service().url}/openapi.json`);
    const document = (await response.json()) as Document;
    // Clients of MCP come from elsewhere.
    delete document.paths['/mcp'];
    const files = pythonClient(document);
    for (const [name, text] of Object.entries(files)) {
      const path = join(sources, 'src', 'letters_client', name);
      if (process.env.RECORD_CLIENTS === '1') writeFileSync(path, text);
      const stale = `${path} is stale; RECORD_CLIENTS=1 writes it`;
      expect(readFileSync(path, 'utf8') === text, stale).to.equal(true);
    }
  });
});
