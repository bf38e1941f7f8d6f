/** The snippets of guides, and the smallest call of each operation, compiled in an empty strict project. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { fencesOf, root } from '../docs/guides.ts';
import { useService } from '../support/client.ts';
import { clientsFolder, type OpenApi } from './generated.ts';
import { installedClient } from './installed.ts';
import { smallestCalls, typescriptProgram } from './minimal-calls.ts';

const compilers = {
  'TypeScript 5': join(clientsFolder, 'typescript/node_modules/.bin/tsc'),
  'TypeScript 7': join(root, 'node_modules/.bin/tsc'),
};

const modes = ['nodenext', 'bundler'].flatMap((moduleResolution) =>
  [true, false].map((exactOptionalPropertyTypes) => ({
    moduleResolution,
    module: moduleResolution === 'nodenext' ? 'nodenext' : 'esnext',
    exactOptionalPropertyTypes,
  })),
);

/** Declarations that snippets of guides expect from the program around them. These snippets are not run. */
const around = `
import { createClient, type PaymentOffer } from 'letters-client';
declare const sign: (offer: PaymentOffer | undefined) => Promise<object>;
declare const headers: Headers, body: string, secret: string;
`;

const guides = ['clients/typescript/README.md', 'docs/clients.md'];

/** The programs of a guide: all runnable snippets are one program, and each other snippet is one. */
const programsOf = async (guide: string): Promise<string[]> => {
  const shown = fencesOf(await readFile(join(root, guide), 'utf8')).filter(
    ({ language }) => language === 'ts',
  );
  const run = shown.filter(({ mark }) => mark === 'run').map(({ text }) => text);
  const other = shown.filter(({ mark }) => mark === '');
  return [
    run.join('\n'),
    ...other.map(({ text }) => {
      const usesClient = text.includes('letters.') && !text.includes('const letters');
      return around + (usesClient ? 'const letters = createClient();\n' : '') + text;
    }),
  ];
};

describe('a strict TypeScript project that has installed the library and nothing else', function () {
  this.timeout(240_000);
  const api = useService();
  let project: string;
  before(async () => {
    const { folder } = await installedClient();
    project = await mkdtemp(join(tmpdir(), 'letters-strict-'));
    await cp(
      join(folder, 'node_modules/letters-client'),
      join(project, 'node_modules/letters-client'),
      {
        recursive: true,
      },
    );
    await writeFile(join(project, 'package.json'), '{"private":true,"type":"module"}');
    await mkdir(join(project, 'src'));
    for (const guide of guides) {
      for (const [index, text] of (await programsOf(guide)).entries()) {
        const name = `${guide.replaceAll(/\W/g, '-')}-${index}.ts`;
        await writeFile(join(project, 'src', name), `${text}\nexport {};\n`);
      }
    }
    const document = (await (await fetch(`${api.service().url}/openapi.json`)).json()) as OpenApi;
    delete document.paths['/mcp'];
    const calls = smallestCalls(document);
    expect(calls.length).to.be.above(100);
    await writeFile(join(project, 'src/calls.ts'), typescriptProgram(calls));
  });
  after(() => rm(project, { recursive: true, force: true }));

  const compiled = async (compiler: string, mode: object): Promise<string> => {
    const compilerOptions = {
      target: 'es2022',
      strict: true,
      noEmit: true,
      skipLibCheck: false,
      types: [],
      ...mode,
    };
    const file = join(project, 'tsconfig.json');
    await writeFile(file, JSON.stringify({ compilerOptions, include: ['src'] }));
    return promisify(execFile)(compiler, ['-p', file]).then(
      () => '',
      ({ stdout }) => String(stdout),
    );
  };

  for (const [name, compiler] of Object.entries(compilers)) {
    for (const mode of modes) {
      const { moduleResolution, exactOptionalPropertyTypes: exact } = mode;
      it(`${name}, ${moduleResolution}, exactOptionalPropertyTypes ${exact}: compiles all of it`, async () => {
        expect(await compiled(compiler, mode)).to.equal('');
      });
    }
  }

  it('is refused a body that lacks what is required', async () => {
    const file = join(project, 'src/wrong.ts');
    await writeFile(
      file,
      typescriptProgram([{ name: 'quote_letter', body: { pages: 1 } }]).replaceAll(
        'calls',
        'wrong',
      ),
    );
    try {
      expect(await compiled(compilers['TypeScript 7'], modes[0] ?? {})).to.contain('to_country');
    } finally {
      await rm(file);
    }
  });
});
