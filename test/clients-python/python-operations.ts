/** Operations of the OpenAPI document as methods of Python, blocking and awaited. */
import { dryRunIn, withoutDryRun } from '../clients/dry-run.ts';
import { awaitsWrites, readsOnly, takes } from '../clients/generated.ts';
import { createPythonTypes, type Json, oneLine, pascal } from './python-types.ts';

type Types = ReturnType<typeof createPythonTypes>;
type Parameter = { name: string; in: string; required?: boolean; schema: Json; $ref?: string };
type Operation = {
  operationId: string;
  summary: string;
  description?: string;
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Record<string, { schema: Json }> };
  responses: Record<string, { content?: Record<string, { schema: Json }> }>;
};
export type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json> };
};

/** A method, in the words from which both of its forms are made. */
type Method = {
  name: string;
  /** As in the signature, without `self`. */
  parameters: string[];
  /** As in a call of it. */
  given: string[];
  returns: string;
  doc: string;
  body: string[];
  rows?: boolean;
};

const json = 'application/json';
/** Other forms of an answer, and how the name of their method ends. */
const endings: Record<string, string> = {
  'application/pdf': '_pdf',
  'application/zip': '_zip',
  'text/plain': '_text',
};

const text = JSON.stringify;
const keywords = new Set(['from', 'in', 'is', 'not', 'class', 'def', 'global', 'pass', 'with']);
const argument = (name: string): string => (keywords.has(name) ? `${name}_` : name);
/** Names with the arguments of that name. */
const dictOf = (names: readonly string[]): string =>
  `{${names.map((name) => `${text(name)}: ${argument(name)}`).join(', ')}}`;

const inAnswers = (operation: Operation): Map<string, Json> => {
  const found = Object.entries(operation.responses).filter(([status]) => /^2/.test(status));
  const media = found.flatMap(([, { content = {} }]) => Object.entries(content));
  const types = new Map<string, Json>();
  for (const [type, { schema }] of media) {
    const { title, ...before } = types.get(type) ?? {};
    const same = title !== undefined && title === schema.title;
    const both = Object.keys(before).length === 0 || same ? schema : { anyOf: [before, schema] };
    types.set(type, both);
  }
  return types;
};

const parametersIn = (operation: Operation, place: string): Parameter[] =>
  (operation.parameters ?? []).filter((one) => one.in === place);

/** The type of a filter: callers may give any sequence or mapping. */
const filterType = (type: string): string =>
  type.replace(/^list\[/, 'Sequence[').replace(/^dict\[/, 'Mapping[');

const methodsOf = (path: string, verb: string, operation: Operation, types: Types): Method[] => {
  const { operationId: name, requestBody, summary, description = '' } = operation;
  const base = pascal(name);
  const method = verb.toUpperCase();
  const params = parametersIn(operation, 'path').map((one) => one.name);
  const query = parametersIn(operation, 'query').map((one): [string, string] => {
    return [one.name, types.typeOf(one.schema, `${base}${pascal(one.name)}`)];
  });
  const qualified = (type: string): string =>
    type.replaceAll(/\b[A-Z]\w*/g, (word) =>
      types.names().includes(word) ? `types.${word}` : word,
    );
  const bodySchema = requestBody?.content[json]?.schema;
  const body = bodySchema && qualified(types.typeOf(bodySchema, `${base}Body`));
  const keyed = takes(operation, 'IdempotencyKey');
  const conditional = takes(operation, 'IfMatch');

  const filterNames = query.map(([one]) => one);
  const filters = query.map(
    ([one, type]) => `${argument(one)}: ${qualified(filterType(type))} | None = None`,
  );
  const first = [
    ...params.map((one) => `${argument(one)}: str`),
    ...(body ? [requestBody?.required ? `body: ${body}` : `body: ${body} | None = None`] : []),
  ];
  const named = [
    ...filters,
    ...(keyed ? ['idempotency_key: str | None = None'] : []),
    ...(conditional ? ['if_match: str | None = None'] : []),
  ];
  const parameters = [...first, ...(named.length > 0 ? ['*', ...named] : [])];
  const given = [
    ...params.map(argument),
    ...(body ? ['body'] : []),
    ...query.map(([one]) => `${argument(one)}=${argument(one)}`),
    ...(keyed ? ['idempotency_key=idempotency_key'] : []),
    ...(conditional ? ['if_match=if_match'] : []),
  ];
  const where = [
    ...(params.length > 0 ? [`params=${dictOf(params)}`] : []),
    ...(query.length > 0 ? [`query=${dictOf(filterNames)}`] : []),
  ];
  const request = [
    ...[text(method), text(path), ...where],
    ...(body ? ['body=body'] : []),
    ...(keyed ? ['keyed=True', 'idempotency_key=idempotency_key'] : []),
    ...(readsOnly(method, path, operation) ? ['reads=True'] : []),
    ...(awaitsWrites(method, operation) ? ['awaits_writes=True'] : []),
    ...(conditional ? ['headers={"If-Match": if_match} if if_match else None'] : []),
  ];
  const doc = oneLine([summary, description].filter(Boolean).join('. '));

  const answers = inAnswers(operation);
  const methods: Method[] = [];
  const whole = answers.get(json);
  const schema = whole && withoutDryRun(whole);
  const dryRun = whole && dryRunIn([whole]);
  if (dryRun) {
    const returns = qualified(types.typeOf(dryRun, `${base}DryRun`));
    const asked = request
      .filter((one) => !/^(idempotency_key|keyed|reads)/.test(one))
      .map((one) => (one === 'body=body' ? 'body={**body, "dry_run": True}' : one));
    methods.push({
      name: `${name}_dry_run`,
      parameters: [...first, ...(conditional ? ['*', 'if_match: str | None = None'] : [])],
      given: ['body', ...(conditional ? ['if_match=if_match'] : [])],
      returns,
      doc: `What \`${name}\` would come to. Nothing is stored or charged.`,
      body: [
        `answer: ${returns} = self.json(${[...asked, 'reads=True'].join(', ')})`,
        'return answer',
      ],
    });
  }
  if (schema !== undefined) {
    const returns = qualified(types.typeOf(schema, `${base}Answer`));
    methods.push({
      name,
      parameters,
      given,
      returns,
      doc,
      body: [`answer: ${returns} = self.json(${request.join(', ')})`, 'return answer'],
    });
    const data = (schema.properties as Record<string, { items?: Json }> | undefined)?.data?.items;
    if (data && query.some(([one]) => one === 'cursor')) {
      const row = qualified(types.typeOf(data, `${base}AnswerData`));
      const found = [params, filterNames].map(dictOf);
      methods.push({
        name: name.replace(/^list_/, 'iter_'),
        parameters,
        given,
        returns: row,
        rows: true,
        doc: `Every row of \`${name}\`, page after page.`,
        body: [`return rows_of(self, ${text(path)}, params=${found[0]}, query=${found[1]})`],
      });
    }
  }
  for (const type of answers.keys()) {
    const [plain = ''] = type.split(';');
    if (type === json || plain === 'text/html' || (schema && !endings[plain])) continue;
    const isText = plain.startsWith('text/');
    const call = `self.call(${[...request, `accept=${text(plain)}`].join(', ')}).body`;
    methods.push({
      name: schema ? name + endings[plain] : name,
      parameters,
      given,
      returns: isText ? 'str' : 'bytes',
      doc: `${doc}${doc.endsWith('.') ? '' : '.'} As ${plain}.`,
      body: [`return ${call}${isText ? '.decode()' : ''}`],
    });
  }
  return methods;
};

const blocking = ({ name, parameters, returns, doc, body, rows }: Method): string => {
  const type = rows ? `Iterator[${returns}]` : returns;
  return [
    `    def ${name}(${['self', ...parameters].join(', ')}) -> ${type}:`,
    `        """${doc}"""`,
    ...body.map((line) => `        ${line}`),
  ].join('\n');
};

const awaited = ({ name, parameters, given, returns, rows }: Method): string => {
  const type = rows ? `AsyncIterator[${returns}]` : returns;
  const signature = `(${['self', ...parameters].join(', ')}) -> ${type}:`;
  const call = [`self.sync.${name}`, ...given].join(', ');
  return rows
    ? `    def ${name}${signature}\n        return each(self.sync.${name}(${given.join(', ')}))`
    : `    async def ${name}${signature}\n        return await in_thread(${call})`;
};

const generated = '# Made from the OpenAPI document; RECORD_CLIENTS=1 makes it anew.';

/** The modules of the typed client, by file name. */
export const pythonClient = (
  document: Document,
): Record<'types.py' | 'operations.py' | 'async_operations.py', string> => {
  const types = createPythonTypes();
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    types.declare(name, schema);
  }
  const methods = Object.entries(document.paths)
    .flatMap(([path, verbs]) =>
      Object.entries(verbs).flatMap(([verb, operation]) => methodsOf(path, verb, operation, types)),
    )
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return {
    'types.py': [
      generated,
      '"""What the service takes and answers."""\n',
      'from __future__ import annotations\n',
      'from typing import Any, Literal, TypedDict\n\n',
      `${types.text()}\n`,
    ].join('\n'),
    'operations.py': [
      generated,
      '"""A method for each operation of the REST API."""\n',
      'from __future__ import annotations\n',
      'from collections.abc import Iterator, Mapping, Sequence',
      'from typing import TYPE_CHECKING, Any\n',
      'from .paging import rows_of',
      'from .session import Session\n',
      'if TYPE_CHECKING:\n    from . import types\n\n',
      'class Operations(Session):',
      `${methods.map(blocking).join('\n\n')}\n`,
    ].join('\n'),
    'async_operations.py': [
      generated,
      '"""A method for each operation of the REST API, awaited."""\n',
      'from __future__ import annotations\n',
      'from collections.abc import AsyncIterator, Mapping, Sequence',
      'from typing import TYPE_CHECKING, Any\n',
      'from .awaiting import each, in_thread\n',
      'if TYPE_CHECKING:\n    from . import types\n    from .client import Client\n\n',
      'class AsyncOperations:',
      '    def __init__(self, client: Client) -> None:\n        self.sync = client\n',
      `${methods.map(awaited).join('\n\n')}\n`,
    ].join('\n'),
  };
};
