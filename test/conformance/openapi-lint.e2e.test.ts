import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { startPaidService } from '../support/evm/paid-service.ts';
import { startTestService } from '../support/service.ts';
import { skip } from '../support/skip.ts';

/** A package of its own; `.ci/run` installs it. */
const folder = fileURLToPath(new URL('openapi', import.meta.url));
const installed = join(folder, 'node_modules');

const run = (program: string, args: readonly string[]) =>
  new Promise<{ code: unknown; output: string }>((resolve) => {
    const env = { ...process.env, NO_COLOR: '1', REDOCLY_TELEMETRY: 'off' };
    const options = { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 };
    execFile(
      process.execPath,
      [join(installed, program), ...args],
      options,
      (error, stdout, stderr) => resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    );
  });

const lint = (program: string, args: readonly string[]) => run(program, ['lint', ...args]);

const withPayments = 'with payments by x402';
const kinds = {
  'as it is usually served': startTestService,
  [withPayments]: async () => {
    const { service, stop } = await startPaidService();
    return { url: service.url, stop };
  },
};

for (const [kind, start] of Object.entries(kinds)) {
  describe(`the OpenAPI document ${kind}, as its linters judge it`, function () {
    this.timeout(180_000);
    let service: { url: string; stop(): Promise<void> } | undefined;
    let work: string;
    let document: string;

    before(async function () {
      if (!existsSync(installed)) {
        skip(this, 'test/conformance/openapi is not installed; .ci/run does it');
      }
      service = await start();
      work = await mkdtemp(join(tmpdir(), 'letters-openapi-'));
      document = join(work, 'openapi.json');
      const served = await (await fetch(`${service.url}/openapi.json`)).json();
      await writeFile(document, JSON.stringify(served, undefined, 1));
    });
    after(async () => {
      await service?.stop();
      if (work) await rm(work, { recursive: true, force: true });
    });

    it('has no error and no warning of Redocly', async () => {
      const config = ['--config', join(folder, 'redocly.yaml')];
      const { code, output } = await lint('@redocly/cli/bin/cli.js', [document, ...config]);
      expect(code, output).to.equal(0);
      expect(output, output).to.not.match(/\d+ warnings?/);
    });

    // The others work for long, and the document with payments has all that the other one has.
    if (kind !== withPayments) return;
    it('gives types that compile from openapi-typescript, the letter among them', async () => {
      const types = join(work, 'types.d.ts');
      const generated = await run('openapi-typescript/bin/cli.js', [document, '-o', types]);
      expect(generated.code, generated.output).to.equal(0);
      const use = join(work, 'use.ts');
      await writeFile(
        use,
        `import type { components, paths } from './types.d.ts';
         type Sent = paths['/api/send']['post']['responses'][201]['content']['application/json'];
         export const stateOf = ({ status }: Sent): components['schemas']['LetterStatus'] => status;
         export const metadataOf = (letter: components['schemas']['Letter']): string | undefined =>
           letter.metadata.case ?? letter.to_line2?.trim();
        `,
      );
      const compilerOptions = {
        strict: true,
        noEmit: true,
        allowImportingTsExtensions: true,
        types: [],
      };
      const project = join(work, 'tsconfig.json');
      await writeFile(project, JSON.stringify({ compilerOptions, files: [use] }));
      const compiled = await run('typescript/bin/tsc', ['-p', project]);
      expect(compiled.code, compiled.output).to.equal(0);
    });

    it('has no error and no warning of Spectral', async () => {
      const rules = ['--ruleset', join(folder, 'spectral.yaml'), '--fail-severity', 'hint'];
      const { code, output } = await lint('@stoplight/spectral-cli/dist/index.js', [
        document,
        ...rules,
      ]);
      expect(code, output).to.equal(0);
    });
  });
}
