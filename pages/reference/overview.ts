/** The first page of the reference: what everything else stands on. */
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
        markdown: `${facts.description} One HTTP call checks the address, prices the letter, pays it and has it printed, put into an envelope and posted. Every change is recorded with a signed credential that can be verified without this service.

Bodies and answers are JSON in UTF-8. Names are snake_case, times RFC 3339 in UTC, amounts numbers in US dollars. A field that is not known is refused, so that a slip is not overlooked.`,
      },
      {
        kind: 'facts',
        facts: [
          ['Address', `\`${baseUrl}\``],
          ['Version', `\`${facts.version}\``],
          [
            'OpenAPI 3.1',
            `[openapi.json](${baseUrl}/openapi.json), [interactive console](${baseUrl}/docs)`,
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

In place of a key, a capability token goes as \`Bearer ucan:<token>\`: it can be limited to a country, a total or a number of letters and passed on ([Identity](${root}/guides/identity)). ${paymentText(facts, root)}`,
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
            markdown: `\`201\` means: the addresses were checked, the letter is printable and it is paid. It waits for the cancellation window, then it is produced. Follow it by [its status](${root}/tracking-and-proof), or be told by a [webhook](${root}/guides/webhooks).

Give each letter an \`Idempotency-Key\`: a request that is repeated after a lost connection is answered with the first answer and pays nothing ([more](${root}/guides/api#idempotency)).`,
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
