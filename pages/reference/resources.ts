/** A page per resource, made of the operations of its tag: its objects first, then the operations on them. */
import { type ErrorCode, errorCodes } from '../../contract/errors.ts';
import type { AnyOperation } from '../../contract/operation.ts';
import { remedyOf } from '../../contract/remedy.ts';
import { mapInSlices } from '../../ground/slices.ts';
import { type Block, type Page, slugOf } from './blocks.ts';
import { type Recorded, samplesOf } from './samples.ts';
import { fieldsOf, isSchema, type Linked, queryFieldsOf, type Schema } from './schema-fields.ts';

export type ReferenceSource = {
  operations: readonly AnyOperation[];
  /** An example of each, by name. */
  examples: Record<string, Recorded>;
  /** Every code that an operation can answer with. */
  codesOf: (operation: AnyOperation) => readonly ErrorCode[];
  baseUrl: string;
  /** Whether single requests can be paid. */
  x402: boolean;
  /** Address of the reference, as links in its pages begin. */
  root: string;
};

/** The tags that readers look for first. Other tags come between these and the last ones. */
const firstTags = [
  'Letters',
  'Catalogue',
  'Negotiation',
  'Tracking and proof',
  'Orders',
  'Wallet',
  'Keys',
  'Guards',
  'Account',
];
const lastTags = [
  'Settings',
  'Notifications',
  'Identity',
  'Audit',
  'Test mode',
  'Print house',
  'General',
];

/** The purpose of a resource, where its name does not show it. */
const leads: Record<string, string> = {
  Letters:
    'The service checks, prices, prints and posts a letter. Send one, follow its status, change it while it waits, or cancel it before it is handed over.',
  Catalogue: 'The postal services of each country, and prices before you send.',
  Negotiation: 'Offers in three tiers, locked prices, and volume discounts.',
  Mech: 'The tool that agents pay for on the marketplace: its description, its prices, and its calls.',
  'Tracking and proof':
    'The status of a letter, and proof of posting or delivery that can be verified without this service.',
  Orders: 'A letter whose sender pays by card; it is queued once the payment is confirmed.',
  Wallet: 'The prepaid balance in US dollars: its funds, its entries, and how to fill it.',
  Keys: 'Register accounts, and make, list, replace and revoke API keys.',
  Guards:
    'Policies limit what an account or a key may send: where to, what kind, and how much. Freezing stops a key, a UCAN or the account.',
  Account: 'Close an account and erase its data, or export everything that it has.',
  Settings: 'Where the account gets its notifications.',
  Notifications: 'A list of all events: the same messages that the webhook gets.',
  Identity: 'DIDs, capability tokens (UCAN), verifiable credentials and the public log.',
  Audit:
    'The signed history of a letter: as data, as a page and as a bundle for offline verification.',
  'Test mode': 'Advance test letters and refill test money.',
  'Print house': 'Reports from the print house to the service.',
  General: 'The service itself: health, errors, schemas, the OpenAPI document.',
};

const rank = (tag: string): number => {
  if (firstTags.includes(tag)) return firstTags.indexOf(tag);
  const last = lastTags.indexOf(tag);
  return last < 0 ? firstTags.length : firstTags.length + 1 + last;
};

/** The resources there are, in the order of the reference. */
export const tagsOf = (operations: readonly AnyOperation[]): string[] =>
  [...new Set(operations.map(({ tag }) => tag))].sort((a, b) => rank(a) - rank(b));

export const pathOf = (tag: string): string => `/${slugOf(tag)}`;

const methods = ['POST', 'GET', 'PUT', 'PATCH', 'DELETE'];

/** Short paths first, and making before reading before changing before ending. */
const byUse = (a: AnyOperation, b: AnyOperation): number =>
  a.path.split('/').length - b.path.split('/').length ||
  methods.indexOf(a.method) - methods.indexOf(b.method);

const successes = ({ responses }: AnyOperation) =>
  Object.entries(responses).filter(([status]) => Number(status) < 300);

/** The object of an answer, or the one that a list contains. */
const objectIn = (schema: unknown): Schema | undefined => {
  if (!isSchema(schema)) return undefined;
  const { data } = isSchema(schema.properties) ? schema.properties : {};
  const inner = isSchema(data) && isSchema(data.items) ? data.items : schema;
  return typeof inner.title === 'string' && isSchema(inner.properties) ? inner : undefined;
};

type Shown = { title: string; schema: Schema; tag: string; recorded: unknown; times: number };

const recordedObject = (answer: unknown): unknown => {
  if (!isSchema(answer)) return undefined;
  return Array.isArray(answer.data) ? answer.data[0] : answer;
};

/** Objects that more than one operation answers with: each is shown once, with the first resource that has it. */
const sharedObjects = ({ operations, examples }: ReferenceSource): Map<string, Shown> => {
  const inOrder = operations.toSorted((a, b) => rank(a.tag) - rank(b.tag) || byUse(a, b));
  const found = new Map<string, Shown>();
  for (const operation of inOrder) {
    for (const [status, { schema }] of successes(operation)) {
      const object = objectIn(schema);
      if (object === undefined) continue;
      const title = String(object.title);
      const known = found.get(title);
      if (known && JSON.stringify(known.schema) !== JSON.stringify(object)) continue;
      const recorded = recordedObject(examples[operation.name]?.answers[Number(status)]);
      const { tag } = operation;
      if (known) {
        known.times += 1;
        known.recorded ??= recorded;
      } else found.set(title, { title, schema: object, tag, recorded, times: 1 });
    }
  }
  return new Map([...found].filter(([, { times }]) => times > 1));
};

const anchorOf = (title: string): string => `object-${slugOf(title)}`;

/** Examples of plain fields by their name, out of everything that was recorded. */
const knownExamples = (examples: ReferenceSource['examples']): Map<string, unknown> => {
  const known = new Map<string, unknown>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    if (!isSchema(value)) return;
    for (const [name, one] of Object.entries(value)) {
      if (typeof one === 'object') visit(one);
      else if (!known.has(name)) known.set(name, one);
    }
  };
  for (const { body, query, params, answers } of Object.values(examples)) {
    visit([body, query, params, ...Object.values(answers)]);
  }
  return known;
};

const accessText: Record<string, string> = {
  public: 'none needed',
  auth: 'any API key or UCAN',
  read: 'a key or UCAN with scope `read`',
  send: 'a key or UCAN with scope `send`',
  full: 'a key or UCAN with scope `full`',
};

const factsOf = (
  operation: AnyOperation,
  { root, x402 }: ReferenceSource,
): (readonly [string, string])[] => {
  const { access, payable, idempotent, conditional, rateLimited, upload } = operation;
  const guide = `${root}/guides/api`;
  const paid = payable && x402 ? `; without one it is [paid by x402](${root}/guides/payments)` : '';
  const stated: [unknown, string, string][] = [
    [true, 'Authorization', `${accessText[access]}${paid}`],
    [idempotent, 'Repeating it', `safe with an [Idempotency-Key](${guide}#idempotency)`],
    [
      conditional,
      'Concurrent changes',
      `refused with [If-Match](${guide}#concurrency-and-freshness)`,
    ],
    [upload, 'Body', 'JSON, or `multipart/form-data` with files'],
    [rateLimited === false, 'Rate limit', 'not counted'],
  ];
  return stated.filter(([holds]) => holds).map(([, name, text]) => [name, text]);
};

/** The codes that every operation can answer with. */
const commonCodes = ({ operations, codesOf }: ReferenceSource): Set<ErrorCode> => {
  const [first = [], ...rest] = operations.map((one) => new Set(codesOf(one)));
  return new Set([...first].filter((code) => rest.every((codes) => codes.has(code))));
};

const errorRows = (codes: readonly ErrorCode[], root: string): string[][] =>
  codes
    .toSorted((a, b) => errorCodes[a].status - errorCodes[b].status)
    .map((code) => [
      String(errorCodes[code].status),
      `[\`${code}\`](${root}/errors#${code})`,
      `${errorCodes[code].title}. ${remedyOf(code)}`,
    ]);

const jsonText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);

export const createResourcePages = (source: ReferenceSource): Promise<Page[]> => {
  const { operations, examples, codesOf, baseUrl, root } = source;
  const objects = sharedObjects(source);
  const known = knownExamples(examples);
  const everywhere = commonCodes(source);
  const linked: Linked = (title) => {
    const object = objects.get(title);
    return object && `${root}${pathOf(object.tag)}#${anchorOf(title)}`;
  };
  const fields = (schema: unknown, recorded: unknown, links: Linked = linked) =>
    fieldsOf(schema, { recorded, known: (name) => known.get(name), linked: links });
  const fieldBlock = (title: string, schema: unknown, recorded: unknown): Block[] => {
    const found = fields(schema, recorded);
    return found.length === 0 ? [] : [{ kind: 'fields', title, fields: found }];
  };

  const objectBlocks = ({ title, schema, recorded }: Shown): Block[] => {
    const { description } = schema;
    const example: Block[] = recorded
      ? [
          {
            kind: 'code',
            code: { language: 'json', text: jsonText(recorded), title: `A ${title}` },
          },
        ]
      : [];
    const others: Linked = (name) => (name === title ? undefined : linked(name));
    return [
      { kind: 'heading', level: 2, text: `The ${title} object`, id: anchorOf(title) },
      {
        kind: 'columns',
        text: [
          ...(typeof description === 'string'
            ? [{ kind: 'prose', markdown: description } satisfies Block]
            : []),
          { kind: 'fields', title: 'Fields', fields: fields(schema, recorded, others) },
        ],
        code: example,
      },
    ];
  };

  /** The content of an answer: a link to its object, or its fields. */
  const answerBlocks = (operation: AnyOperation): Block[] =>
    successes(operation).flatMap(([status, { description, schema, produces }]) => {
      const types = (produces ?? ['application/json']).map((type) => `\`${type}\``).join(', ');
      const object = objectIn(schema);
      const link = object && linked(String(object.title));
      const recorded = examples[operation.name]?.answers[Number(status)];
      const shown = link ? ` See [the ${object?.title} object](${link}).` : '';
      return [
        {
          kind: 'prose',
          markdown: `**Answer ${status}**: ${description} (${types}).${shown}`,
        } satisfies Block,
        ...(link && object === schema
          ? []
          : fieldBlock(`Fields of the answer ${status}`, schema, recorded)),
      ];
    });

  const exampleBlocks = ({ name, examples: own = [] }: AnyOperation): Block[] => {
    const recorded = Object.entries(examples[name]?.answers ?? {}).map(([status, value]) => ({
      title: `Answer ${status}`,
      value,
    }));
    const stated = own
      .filter((one) => one.response !== undefined)
      .map(({ summary, response }) => ({ title: `Answer: ${summary}`, value: response }));
    return (recorded.length > 0 ? recorded : stated).map(({ title, value }) => ({
      kind: 'code',
      code: { language: typeof value === 'string' ? 'text' : 'json', text: jsonText(value), title },
    }));
  };

  /** Its own; those of all operations stand on the page of the errors. */
  const errorBlocks = (operation: AnyOperation): Block[] => {
    const own = codesOf(operation).filter((code) => !everywhere.has(code));
    const rest = `[those of every operation](${root}/errors#all-codes)`;
    if (own.length === 0) return [{ kind: 'prose', markdown: `**Errors**: ${rest}.` }];
    return [
      {
        kind: 'table',
        summary: `Errors of ${operation.name}`,
        head: ['Status', 'Code', 'Cause and correction'],
        rows: errorRows(own, root),
      },
      { kind: 'prose', markdown: `Also ${rest}.` },
    ];
  };

  const operationBlocks = (operation: AnyOperation): Block[] => {
    const { name, summary, description, method, path, input } = operation;
    const recorded = examples[name];
    return [
      { kind: 'heading', level: 2, text: summary, id: name },
      {
        kind: 'columns',
        text: [
          { kind: 'endpoint', method, path },
          ...(description ? [{ kind: 'prose', markdown: description } satisfies Block] : []),
          { kind: 'facts', facts: factsOf(operation, source) },
          ...fieldBlock('Path', input.params, recorded?.params),
          ...fieldBlock('Query', queryFieldsOf(input.query), recorded?.query),
          ...fieldBlock('Body', input.body, recorded?.body),
          ...answerBlocks(operation),
          ...errorBlocks(operation),
        ],
        code: [
          { kind: 'samples', samples: samplesOf(operation, recorded, baseUrl) },
          ...exampleBlocks(operation),
        ],
      },
    ];
  };

  const pageOf = (tag: string): Page => {
    const own = operations.filter((one) => one.tag === tag).toSorted(byUse);
    // The object in most answers is the subject of the resource.
    const shown = [...objects.values()]
      .filter((object) => object.tag === tag)
      .toSorted((a, b) => b.times - a.times);
    const lead = leads[tag] ?? `${own.map(({ summary }) => summary).join('; ')}.`;
    return {
      path: pathOf(tag),
      title: tag,
      description: lead,
      group: 'Resources',
      blocks: [
        { kind: 'prose', markdown: lead },
        {
          kind: 'table',
          head: ['Endpoint', 'What it does'],
          rows: own.map(({ method, path, name, summary }) => [
            `[\`${method} ${path}\`](#${name})`,
            summary,
          ]),
        },
        ...shown.flatMap(objectBlocks),
        ...own.flatMap(operationBlocks),
      ],
    };
  };
  return mapInSlices(tagsOf(operations), pageOf, 1);
};

/** Every code there is, with its cause and its way out. */
export const errorsPage = (source: ReferenceSource): Page => {
  const { operations, codesOf, root, baseUrl } = source;
  const codes = Object.keys(errorCodes) as ErrorCode[];
  const byStatus = codes.toSorted((a, b) => errorCodes[a].status - errorCodes[b].status);
  const everywhere = commonCodes(source);
  const answering = (code: ErrorCode): string =>
    everywhere.has(code)
      ? 'every operation'
      : operations
          .filter((one) => codesOf(one).includes(code))
          .slice(0, 4)
          .map(({ name, tag }) => `[\`${name}\`](${root}${pathOf(tag)}#${name})`)
          .join(', ') || 'none that is served here';
  return {
    path: '/errors',
    title: 'Errors',
    description: 'Every error code, its cause, and what to do.',
    group: 'Basics',
    blocks: [
      {
        kind: 'columns',
        text: [
          {
            kind: 'prose',
            markdown: `An error is a problem document (RFC 9457, \`application/problem+json\`). \`code\` is stable, so programs can rely on it; \`detail\` is one sentence about this occurrence that says what to do; \`errors\` lists findings, each with a JSON pointer to its place. Quote \`request_id\` when you report one.

You may repeat a request that got a status of 500 or above, or no answer, with the same [Idempotency-Key](${root}/guides/api#idempotency). It is carried out only once. If the answer has a \`Retry-After\` header, wait for that time.`,
          },
        ],
        code: [
          {
            kind: 'code',
            code: {
              language: 'json',
              title: 'A problem document',
              text: jsonText({
                type: `${baseUrl}/errors/validation_failed`,
                title: errorCodes.validation_failed.title,
                status: 422,
                detail: 'pages must be at least 1.',
                instance: '/api/quote',
                code: 'validation_failed',
                request_id: 'req_0a1b2c3d4e5f00000001',
                errors: [
                  { pointer: '/pages', code: 'minimum', detail: 'pages must be at least 1.' },
                ],
              }),
            },
          },
        ],
      },
      { kind: 'heading', level: 2, text: 'All codes', id: 'all-codes' },
      {
        kind: 'table',
        head: ['Status', 'Code', 'Cause', 'Way out', 'Answered by, among others'],
        rows: byStatus.map((code) => [
          String(errorCodes[code].status),
          `\`${code}\``,
          `${errorCodes[code].title}.`,
          remedyOf(code),
          answering(code),
        ]),
        ids: byStatus,
      },
    ],
  };
};
