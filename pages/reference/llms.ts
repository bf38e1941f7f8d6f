/** The reference for language models, in the form of llmstxt.org. */
import type { ServiceFacts } from '../../contract/service-facts.ts';
import type { Page } from './blocks.ts';

const sections: readonly (readonly [heading: string, group: string])[] = [
  ['Basics', 'Basics'],
  ['Resources', 'Resources'],
  ['Guides', 'Guides'],
  // May be left out where context is short, as llmstxt.org defines.
  ['Optional', 'Run it yourself'],
];

const keyLine = ({ registration, baseUrl }: ServiceFacts): string =>
  registration
    ? `A key for trying, which prints nothing: POST ${baseUrl}/auth/register with {"email": "you@example.com", "mode": "test"}`
    : 'A key: ask the operator, because registration is closed';

const lead = (facts: ServiceFacts): string => {
  const { name, description, baseUrl, did, x402 } = facts;
  return `# ${name}

> ${description} REST API with API keys${x402 ? ', UCAN capability tokens or x402 payments' : ' or UCAN capability tokens'}; the same operations as tools over MCP.

- REST: ${baseUrl}/ , described at ${baseUrl}/openapi.json
- MCP: ${baseUrl}/mcp (streamable HTTP, POST)
- Agent metadata: ${baseUrl}/.well-known/agent.json
- DID: ${did}
- ${keyLine(facts)}`;
};

export const llmsText = (pages: readonly Page[], facts: ServiceFacts, baseUrl: string): string => {
  const lists = sections.map(([heading, group]) => {
    const lines = pages
      .filter((page) => page.group === group)
      .map(
        ({ path, title, description }) =>
          `- [${title}](${baseUrl}/api-docs${path}.md): ${description}`,
      );
    return `## ${heading}\n\n${lines.join('\n')}`;
  });
  return `${[lead(facts), ...lists].join('\n\n')}\n`;
};

/** `markdowns`: every page as Markdown. */
export const llmsFullText = (markdowns: readonly string[], facts: ServiceFacts): string =>
  [lead(facts), ...markdowns].join('\n\n---\n\n');
