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

const lint = (program: string, args: readonly string[]) =>
  new Promise<{ code: unknown; output: string }>((resolve) => {
    const env = { ...process.env, NO_COLOR: '1', REDOCLY_TELEMETRY: 'off' };
    const options = { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 };
    execFile(
      process.execPath,
      [join(installed, program), 'lint', ...args],
      options,
      (error, stdout, stderr) => resolve({ code: error?.code ?? 0, output: stdout + stderr }),
    );
  });

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

    // It works for half a minute, and the document with payments has all that the other one has.
    if (kind !== withPayments) return;
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
