/** How an operation is called in curl, TypeScript and Python: programs that run as they stand. */
import type { AnyOperation } from '../../contract/operation.ts';
import type { Code } from './blocks.ts';

/** A recorded request. */
export type Recorded = {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
  answers: Record<number, unknown>;
};

type Call = {
  method: string;
  url: string;
  body: unknown;
  withKey: boolean;
  idempotent: boolean;
  answer: 'json' | 'text' | { file: string };
};

const fileNames: Record<string, string> = {
  'application/pdf': 'letter.pdf',
  'application/zip': 'bundle.zip',
  'image/png': 'page.png',
  'text/csv': 'statement.csv',
  'application/octet-stream': 'tile.bin',
};

/** The form of an answer unless another one is requested. */
const answerOf = ({ responses }: AnyOperation): Call['answer'] => {
  const [usual = 'application/json'] = Object.entries(responses)
    .filter(([status]) => Number(status) < 300)
    .map(([, response]) => response.produces?.[0] ?? 'application/json');
  if (usual.includes('json') || usual === 'application/did-resolution') return 'json';
  const file = fileNames[usual];
  return file === undefined ? 'text' : { file };
};

/** In a segment of a path; a tile's has slashes of its own. */
const segment = (text: string, several: boolean | undefined): string =>
  several ? text : encodeURIComponent(text).replaceAll('%3A', ':');

const callOf = (operation: AnyOperation, recorded: Recorded | undefined, baseUrl: string): Call => {
  const { params = {}, query = {}, body } = recorded ?? {};
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name) =>
    name in params ? segment(params[name] ?? '', operation.severalSegments) : `{${name}}`,
  );
  const search = new URLSearchParams(query).toString();
  return {
    method: operation.method,
    url: `${baseUrl}${path}${search && `?${search}`}`,
    body: body ?? operation.examples?.find((one) => one.body !== undefined)?.body,
    withKey: operation.access !== 'public',
    idempotent: operation.idempotent === true,
    answer: answerOf(operation),
  };
};

const json = (value: unknown): string => JSON.stringify(value, undefined, 2);

const indented = (text: string, by: string): string => text.replaceAll('\n', `\n${by}`);

const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const curl = ({ method, url, body, withKey, idempotent, answer }: Call): string =>
  [
    `curl ${method === 'GET' || (method === 'POST' && body !== undefined) ? '' : `-X ${method} `}"${url}"`,
    ...(withKey ? ['-H "Authorization: Bearer $SERVICE_API_KEY"'] : []),
    ...(idempotent ? ['-H "Idempotency-Key: $(uuidgen)"'] : []),
    ...(body === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d ${shellQuoted(json(body))}`]),
    ...(typeof answer === 'object' ? [`-o ${answer.file}`] : []),
  ].join(' \\\n  ');

const tsString = (text: string): string => `'${text.replaceAll("'", "\\'")}'`;

/** JSON as a literal of TypeScript: names without quotes where they may stand so. */
const tsLiteral = (value: unknown): string =>
  json(value).replaceAll(/^(\s*)"([A-Za-z_]\w*)":/gm, '$1$2:');

const typescript = ({ method, url, body, withKey, idempotent, answer }: Call): string => {
  const headers = [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is in the program that is shown
    ...(withKey ? ['Authorization: `Bearer ${process.env.SERVICE_API_KEY}`,'] : []),
    ...(body === undefined ? [] : ["'Content-Type': 'application/json',"]),
    ...(idempotent ? ["'Idempotency-Key': crypto.randomUUID(),"] : []),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headers.length === 0
      ? []
      : ['  headers: {', ...headers.map((line) => `    ${line}`), '  },']),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${indented(tsLiteral(body), '  ')}),`]),
  ];
  const call =
    options.length === 0
      ? [`const response = await fetch(${tsString(url)});`]
      : [`const response = await fetch(${tsString(url)}, {`, ...options, '});'];
  const failed = 'if (!response.ok) throw new Error((await response.json()).detail);';
  if (typeof answer === 'object') {
    return [
      "import { writeFile } from 'node:fs/promises';",
      '',
      ...call,
      failed,
      `await writeFile('${answer.file}', new Uint8Array(await response.arrayBuffer()));`,
    ].join('\n');
  }
  return [...call, failed, `console.log(await response.${answer}());`].join('\n');
};

/** JSON as a literal of Python. */
const pythonLiteral = (value: unknown, indent = ''): string => {
  const inner = `${indent}    `;
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    const lines = value.map((one) => `${inner}${pythonLiteral(one, inner)},\n`);
    return `[\n${lines.join('')}${indent}]`;
  }
  if (typeof value !== 'object') return JSON.stringify(value);
  const entries = Object.entries(value);
  if (entries.length === 0) return '{}';
  const lines = entries.map(
    ([name, one]) => `${inner}${JSON.stringify(name)}: ${pythonLiteral(one, inner)},\n`,
  );
  return `{\n${lines.join('')}${indent}}`;
};

const python = ({ method, url, body, withKey, idempotent, answer }: Call): string => {
  const headers = [
    ...(withKey ? ['"Authorization": f"Bearer {os.environ[\'SERVICE_API_KEY\']}",'] : []),
    ...(body === undefined ? [] : ['"Content-Type": "application/json",']),
    ...(idempotent ? ['"Idempotency-Key": str(uuid.uuid4()),'] : []),
  ];
  const modules = [
    ...(body !== undefined || answer === 'json' ? ['json'] : []),
    ...(withKey ? ['os'] : []),
    ...(idempotent ? ['uuid'] : []),
  ];
  const read = {
    json: ['    print(json.load(response))'],
    text: ['    print(response.read().decode())'],
  };
  return [
    ...(modules.length === 0 ? [] : [`import ${modules.join(', ')}`]),
    'from urllib.request import Request, urlopen',
    '',
    'request = Request(',
    `    ${JSON.stringify(url)},`,
    ...(method === 'GET' ? [] : [`    method="${method}",`]),
    ...(headers.length === 0
      ? []
      : ['    headers={', ...headers.map((line) => `        ${line}`), '    },']),
    ...(body === undefined
      ? []
      : [`    data=json.dumps(${pythonLiteral(body, '    ')}).encode(),`]),
    ')',
    ...(typeof answer === 'object'
      ? [
          `with urlopen(request) as response, open("${answer.file}", "wb") as file:`,
          '    file.write(response.read())',
        ]
      : ['with urlopen(request) as response:', ...read[answer]]),
  ].join('\n');
};

/** The same request three times. `recorded`: the request of the recorded example. */
export const samplesOf = (
  operation: AnyOperation,
  recorded: Recorded | undefined,
  baseUrl: string,
): Code[] => {
  const call = callOf(operation, recorded, baseUrl);
  return [
    { language: 'bash', text: curl(call), title: 'curl' },
    { language: 'ts', text: typescript(call), title: 'TypeScript' },
    { language: 'python', text: python(call), title: 'Python' },
  ];
};
