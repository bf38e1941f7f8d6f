/** The package as a user's compiler and a registry see it. */

import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Ajv } from 'ajv';
import { expect } from 'chai';
import { serviceVersion } from '../../read-api/general.ts';
import { skip } from '../support/skip.ts';
import { clientsFolder } from './generated.ts';
import { areFrameworksInstalled, type Installed, installedClient, programs } from './installed.ts';

const source = join(clientsFolder, 'typescript');
const root = join(clientsFolder, '..');
const json = async (path: string) => JSON.parse(await readFile(path, 'utf8'));

describe('the types of the TypeScript library', function () {
  this.timeout(180_000);
  let installed: Installed;
  before(async function () {
    if (!areFrameworksInstalled()) {
      skip(this, 'npm ci in clients/typescript/frameworks installs what they need');
    }
    installed = await installedClient();
  });

  it('fit those of the frameworks, in its sources and in a program that uses it', async () => {
    const folder = await mkdtemp(join(installed.folder, 'types-'));
    try {
      await cp(join(source, 'src'), join(folder, 'src'), { recursive: true });
      await cp(join(programs, 'consumer.ts'), join(folder, 'consumer.ts'));
      const { compilerOptions } = await json(join(source, 'tsconfig.json'));
      const options = { ...compilerOptions, noEmit: true, rootDir: '.' };
      const typeRoots = [join(root, 'node_modules/@types')];
      await writeFile(
        join(folder, 'tsconfig.json'),
        JSON.stringify({ compilerOptions: { ...options, typeRoots }, include: ['.'] }),
      );
      const tsc = join(root, 'node_modules/.bin/tsc');
      const failed = await promisify(execFile)(tsc, ['-p', folder]).then(
        () => '',
        ({ stdout }) => String(stdout),
      );
      expect(failed).to.equal('');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

/** The registry's schema of 2025-12-11 for the members that our file has. */
const text = { type: 'string', minLength: 1 };
const variable = {
  type: 'object',
  properties: {
    description: text,
    placeholder: text,
    format: { enum: ['string', 'number', 'boolean', 'filepath'] },
    isRequired: { type: 'boolean' },
    isSecret: { type: 'boolean' },
  },
};
const named = {
  type: 'object',
  required: ['name'],
  properties: {
    ...variable.properties,
    name: text,
    value: text,
    variables: {
      type: 'object',
      additionalProperties: { ...variable, additionalProperties: false },
    },
  },
  additionalProperties: false,
};
const registryRules = {
  type: 'object',
  required: ['$schema', 'name', 'description', 'version'],
  properties: {
    $schema: {
      pattern:
        '^https://static\\.modelcontextprotocol\\.io/schemas/[\\d-]+/server\\.schema\\.json$',
    },
    name: { type: 'string', pattern: '^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$', maxLength: 200 },
    title: { ...text, maxLength: 100 },
    description: { ...text, maxLength: 100 },
    version: { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+$' },
    packages: {
      type: 'array',
      items: {
        type: 'object',
        required: ['registryType', 'identifier', 'transport'],
        properties: {
          registryType: { const: 'npm' },
          identifier: text,
          version: { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+$' },
          runtimeHint: { enum: ['npx', 'uvx', 'docker', 'dnx'] },
          transport: {
            type: 'object',
            required: ['type'],
            properties: { type: { const: 'stdio' } },
          },
          environmentVariables: { type: 'array', items: named },
        },
        additionalProperties: false,
      },
    },
    remotes: {
      type: 'array',
      items: {
        type: 'object',
        required: ['type', 'url'],
        properties: {
          type: { enum: ['streamable-http', 'sse'] },
          url: { type: 'string', pattern: '^(https?://\\S+|\\{[a-zA-Z_]\\w*\\}\\S*)$' },
          variables: named.properties.variables,
          headers: { type: 'array', items: named },
        },
        additionalProperties: false,
      },
    },
  },
  additionalProperties: false,
};

describe('what the package says of itself', () => {
  it('has one version with the service and its catalogue', async () => {
    const { version } = await json(join(source, 'package.json'));
    const { catalog_version: catalogueVersion } = await json(join(source, 'tools.json'));
    const server = await json(join(source, 'server.json'));
    expect([version, catalogueVersion, server.version, server.packages[0].version]).to.deep.equal(
      Array(4).fill(serviceVersion),
    );
  });

  it('tells nobody to install its name from a registry, where a stranger could publish it', async () => {
    const folders = ['typescript/examples', 'python/examples'].map((name) =>
      join(clientsFolder, name),
    );
    const examples = await Promise.all(
      folders.map(async (folder) => (await readdir(folder)).map((name) => join(folder, name))),
    );
    const guides = ['typescript/README.md', 'python/README.md'];
    for (const path of [...examples.flat(), ...guides.map((name) => join(clientsFolder, name))]) {
      const lines = (await readFile(path, 'utf8')).split('\n');
      const installs = lines.filter((line) => /(npm|pip) install/.test(line));
      expect(installs.filter((line) => /[ "']letters-client([ "'[]|$)/.test(line))).to.deep.equal(
        [],
      );
    }
  });

  it('has a server.json that keeps the rules of the MCP registry, and fits the package', async () => {
    const server = await json(join(source, 'server.json'));
    const isValid = new Ajv({ strict: false, allErrors: true }).compile(registryRules);
    isValid(server);
    expect(isValid.errors ?? []).to.deep.equal([]);
    const { name, mcpName, bin } = await json(join(source, 'package.json'));
    expect(server.name).to.equal(mcpName);
    expect(server.packages[0].identifier).to.equal(name);
    expect(Object.keys(bin)).to.deep.equal([name]);
    expect([server.packages[0].transport.type, server.remotes[0].type]).to.deep.equal([
      ...['stdio', 'streamable-http'],
    ]);
  });
});

describe('the core of the TypeScript library', function () {
  this.timeout(180_000);

  it('loads few modules when it is imported, and none of others', async () => {
    const { folder } = await installedClient();
    const program = `import { registerHooks } from 'node:module';
      const loaded = [];
      registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
      await import('letters-client');
      console.log(JSON.stringify(loaded));`;
    const args = ['--input-type=module', '-e', program];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder });
    const loaded: string[] = JSON.parse(stdout);
    const own = loaded.filter((url) => url.includes('/letters-client/dist/'));
    expect(loaded.filter((url) => !own.includes(url))).to.deep.equal([]);
    // `npm run bench -- --only u` measures the time.
    expect(own.length).to.be.within(1, 20);
  });
});
