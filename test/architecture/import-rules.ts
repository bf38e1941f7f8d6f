import { dirname, join, normalize } from 'node:path';

/** Sources by path. Paths are relative to the project and use slashes. */
export type Sources = Map<string, string>;

type Rule = {
  /** Other folders whose files may be imported. */
  folders: string[];
  /** Packages and node modules that may be imported. `node:` alone means every node module. */
  packages: string[] | 'any';
  /** Of projections, only the `query` files may be imported. */
  queriesOnly?: boolean;
  /** Of a folder, only these folders in it may be imported. */
  only?: Record<string, string[]>;
};

/** The lowest rooms: most rooms may import them. */
const base = ['ground', 'contract', 'money'];

/**
 * The import table of the house. Rooms that it does not list are free: `service`, `operator`, `test`,
 * `bench`.
 */
export const rules: Record<string, Rule> = {
  ground: { folders: [], packages: ['node:', '@opentelemetry/api', 'typebox'] },
  contract: { folders: ['ground'], packages: ['typebox', 'node:'] },
  money: { folders: ['ground', 'contract'], packages: ['typebox'] },
  limits: { folders: ['ground', 'contract'], packages: ['node:worker_threads'] },
  events: { folders: base, packages: ['typebox', 'ajv', 'node:crypto'] },
  postal: { folders: base, packages: ['typebox'] },
  identity: {
    folders: ['ground', 'contract'],
    packages: ['typebox', 'node:crypto', 'viem/utils', 'fflate', 'did-jwt-vc', '@noble/hashes'],
  },
  commands: {
    folders: [...base, 'limits', 'events', 'postal', 'identity'],
    packages: ['typebox', 'node:crypto'],
  },
  projections: { folders: [...base, 'events'], packages: ['typebox', 'node:'] },
  presenters: {
    folders: [...base, 'limits', 'events', 'postal', 'identity', 'projections'],
    packages: ['typebox'],
    queriesOnly: true,
  },
  pages: {
    folders: ['ground', 'contract', 'postal', 'identity', 'presenters'],
    packages: ['typebox', 'node:', 'marked', 'qrcode'],
  },
  documents: {
    folders: [...base, 'limits', 'postal', 'events', 'commands', 'presenters'],
    packages: 'any',
    only: { commands: ['preparation'] },
  },
  reactors: {
    folders: [...base, 'limits', 'events', 'commands', 'postal', 'identity', 'projections'],
    packages: ['typebox', 'node:'],
    queriesOnly: true,
  },
  'write-api': {
    folders: [...base, 'limits', 'commands', 'postal', 'identity', 'presenters', 'projections'],
    packages: ['typebox', 'node:'],
    queriesOnly: true,
  },
  'read-api': {
    folders: [...base, 'limits', 'postal', 'identity', 'presenters', 'projections', 'pages'],
    packages: ['typebox', 'node:'],
    queriesOnly: true,
  },
  http: { folders: [...base, 'limits', 'events', 'identity'], packages: 'any' },
  'agent-api': {
    folders: ['ground', 'contract', 'limits'],
    packages: ['typebox', 'node:', '@modelcontextprotocol/server'],
  },
  infra: {
    folders: [
      ...base,
      ...[
        'limits',
        'events',
        'postal',
        'identity',
        'commands',
        'reactors',
        'projections',
        'presenters',
      ],
      'http',
    ],
    packages: 'any',
  },
  deploy: { folders: [], packages: ['node:'] },
};

/** The libraries are given away: they know only themselves and, in adapters and for the program, what they name. */
const clientPackages: Record<string, string[]> = {
  'mcp.ts': ['node:fs', 'node:url'],
  'adapters/ai-sdk.ts': ['ai'],
  'adapters/anthropic.ts': ['@anthropic-ai/sdk'],
  'adapters/genkit.ts': ['genkit'],
  'adapters/langchain.ts': ['@langchain/core'],
  'adapters/mastra.ts': ['@mastra/core'],
  'adapters/openai-agents.ts': ['@openai/agents'],
};
const clientSource = 'clients/typescript/src/';

const ruleOf = (file: string): Rule | undefined => {
  if (!file.startsWith(clientSource)) return rules[folderOf(file)];
  return { folders: [], packages: clientPackages[file.slice(clientSource.length)] ?? [] };
};

const free = new Set(['service', 'operator', 'test', 'bench', 'docs']);

/**
 * Comments go first, so that examples in them do not count. Strings are matched too, so that a
 * `//` inside of one is not taken for a comment.
 */
export const withoutComments = (source: string): string =>
  source.replaceAll(
    /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g,
    (part) => (part.startsWith('/') ? ' ' : part),
  );

const importPattern =
  /(?:\bimport|\bexport)\s[^'";]*?\bfrom\s*(['"])([^'"\n]+)\1|\bimport\s*(['"])([^'"\n]+)\3|\b(?:import|require)\s*\(\s*(['"`])([^'"`\n]+)\5/g;

/** Every module a file names: static, for side effects, re-exported, dynamic, of types. */
export const importsOf = (source: string): string[] =>
  [...withoutComments(source).matchAll(importPattern)].map(
    (match) => match[2] ?? match[4] ?? match[6] ?? '',
  );

const isLocal = (specifier: string): boolean => /^\.{0,2}\//.test(specifier);

export const resolveLocal = (file: string, specifier: string): string =>
  normalize(join(dirname(file), specifier)).replaceAll('\\', '/');

const folderOf = (file: string): string => file.split('/')[0] ?? '';

const packageAllowed = (specifier: string, rule: Rule): boolean =>
  rule.packages === 'any' ||
  rule.packages.some(
    (allowed) =>
      specifier === allowed ||
      (allowed === 'node:' ? specifier.startsWith('node:') : specifier.startsWith(`${allowed}/`)),
  );

const isQuery = (file: string): boolean => /\/query(\.ts$|\/)|\/[\w-]+\.query\.ts$/.test(file);

const judge = (file: string, specifier: string, rule: Rule): string | undefined => {
  const from = folderOf(file);
  if (!isLocal(specifier)) {
    return packageAllowed(specifier, rule)
      ? undefined
      : `${file}: ${from} may not import the package ${specifier}`;
  }
  const target = resolveLocal(file, specifier);
  const to = folderOf(target);
  if (to === from) return undefined;
  if (!rule.folders.includes(to)) return `${file}: ${from} may not import ${to} (${specifier})`;
  if (to === 'projections' && rule.queriesOnly && !isQuery(target)) {
    return `${file}: ${from} may import only query files of projections (${specifier})`;
  }
  const within = rule.only?.[to];
  if (within && !within.includes(target.split('/')[1] ?? '')) {
    return `${file}: ${from} may import only ${within.join(', ')} of ${to} (${specifier})`;
  }
  return undefined;
};

/** One sentence for each import that the table forbids, and for each folder it does not know. */
export const forbiddenImports = (sources: Sources): string[] => {
  const findings: string[] = [];
  for (const [file, source] of sources) {
    const folder = folderOf(file);
    if (free.has(folder)) continue;
    const rule = ruleOf(file);
    if (!rule) findings.push(`${file}: the folder ${folder} is not in the import table`);
    else {
      for (const specifier of importsOf(source)) {
        const finding = judge(file, specifier, rule);
        if (finding) findings.push(finding);
      }
    }
  }
  return findings;
};

/** Each cycle of imports among files once, as `a → b → a`. Imports of types count, too. */
export const importCycles = (sources: Sources): string[] => {
  const cycles: string[] = [];
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (file: string): void => {
    const at = path.indexOf(file);
    if (at >= 0) {
      cycles.push([...path.slice(at), file].join(' → '));
      return;
    }
    if (done.has(file)) return;
    path.push(file);
    for (const specifier of importsOf(sources.get(file) ?? '')) {
      const target = resolveLocal(file, specifier);
      if (isLocal(specifier) && sources.has(target)) visit(target);
    }
    path.pop();
    done.add(file);
  };
  for (const file of sources.keys()) visit(file);
  return cycles;
};

/** The folder in a room that a file lies in; a file right in the room is a place of its own. */
const placeOf = (file: string): string => file.split('/').slice(0, 2).join('/');

/** Each cycle among the folders of one room, as `a/x → a/y → a/x`. Imports of types count, too. */
export const folderCycles = (sources: Sources): string[] => {
  const arrows = new Map<string, Set<string>>();
  for (const [file, source] of sources) {
    const from = placeOf(file);
    const to = importsOf(source)
      .filter(isLocal)
      .map((specifier) => placeOf(resolveLocal(file, specifier)))
      .filter((place) => place !== from && folderOf(place) === folderOf(from));
    arrows.set(from, new Set([...(arrows.get(from) ?? []), ...to]));
  }
  const places: Sources = new Map(
    [...arrows].map(([from, to]) => [
      from,
      [...to].map((place) => `import '../${place}';`).join('\n'),
    ]),
  );
  return importCycles(places);
};
