/** The first page of the reference: the basis of everything else. */
import type { AnyOperation } from '../../contract/operation.ts';
import type { ServiceFacts } from '../../contract/service-facts.ts';
import type { Page } from './blocks.ts';
import { pathOf, type ReferenceSource, tagsOf } from './resources.ts';
import { samplesOf } from './samples.ts';

const named = (operations: readonly AnyOperation[], name: string): AnyOperation[] =>
  operations.filter((one) => one.name === name);

const paymentText = ({ x402, topUps }: ServiceFacts, root: string): string =>
  [
    'Letters are paid from the wallet of the account, in US dollars.',
    x402
      ? `A single request can also be paid with USDC on ${x402.networkName} by x402, without a key or an account.`
      : 'Payments of single requests (x402) are not configured on this server.',
    topUps.length > 0
      ? `The wallet is filled by ${topUps.join(', ')}.`
      : 'The operator fills the wallet; no other way is configured on this server.',
    `See [Payments](${root}/guides/payments).`,
  ].join(' ');

export const overviewPage = (source: ReferenceSource, facts: ServiceFacts): Page => {
  const { operations, examples, baseUrl, root } = source;
  const samples = (name: string) =>
    named(operations, name).map((one) => ({
      kind: 'samples' as const,
      samples: samplesOf(one, examples[name], baseUrl),
    }));
  return {
    path: '',
    title: 'API reference',
    description: facts.description,
    group: 'Basics',
    blocks: [
      {
        kind: 'prose',
        markdown: `${facts.description} One HTTP call checks the address and prices, pays, prints and posts the letter. Every change is recorded with a signed credential that anyone can verify without this service.

Bodies and answers are JSON in UTF-8. Names are snake_case, times RFC 3339 in UTC, amounts numbers in US dollars. Unknown fields are refused, so that typing errors are not overlooked.`,
      },
      {
        kind: 'facts',
        facts: [
          ['Address', `\`${baseUrl}\``],
          ['Version', `\`${facts.version}\``],
          [
            'OpenAPI 3.1',
            `[openapi.json](${baseUrl}/openapi.json), [operations to try](${baseUrl}/docs)`,
          ],
          [
            'For agents',
            `[MCP](${root}/guides/mcp) at \`${baseUrl}/mcp\`, [agent.json](${baseUrl}/.well-known/agent.json), [llms.txt](${baseUrl}/llms.txt)`,
          ],
        ],
      },
      { kind: 'heading', level: 2, text: 'Authentication', id: 'authentication' },
      {
        kind: 'columns',
        text: [
          {
            kind: 'prose',
            markdown: `Send an API key as \`Authorization: Bearer svc_…\`. Registering takes one call and no confirmation; a test key (\`svc_test_…\`) acts on test money, and its letters are never printed. A key has one of three scopes: \`read\`, \`send\` (which may read) and \`full\` (which may do everything). The samples read the key from the environment variable \`SERVICE_API_KEY\`.

Instead of a key you can send a capability token as \`Bearer ucan:<token>\`. It can be limited to a country, a total or a number of letters, and passed on ([Identity](${root}/guides/identity)). ${paymentText(facts, root)}`,
          },
        ],
        code: samples('register'),
      },
      { kind: 'heading', level: 2, text: 'Send a letter', id: 'send-a-letter' },
      {
        kind: 'columns',
        text: [
          {
            kind: 'prose',
            markdown: `\`201\` means that the addresses are checked, and the letter is printable and paid. It is produced after the cancellation window. Follow it by [its status](${root}/tracking-and-proof) or with a [webhook](${root}/guides/webhooks).

Give each letter an \`Idempotency-Key\`. If you repeat the request after a lost connection, you get the first answer and pay nothing ([more](${root}/guides/api#idempotency)).`,
          },
        ],
        code: samples('send_letter'),
      },
      { kind: 'heading', level: 2, text: 'Resources', id: 'resources' },
      {
        kind: 'table',
        head: ['Resource', 'Endpoints'],
        rows: tagsOf(operations).map((tag) => [
          `[${tag}](${root}${pathOf(tag)})`,
          operations
            .filter((one) => one.tag === tag)
            .slice(0, 6)
            .map(
              ({ method, path, name }) => `[\`${method} ${path}\`](${root}${pathOf(tag)}#${name})`,
            )
            .join(' · '),
        ]),
      },
    ],
  };
};
