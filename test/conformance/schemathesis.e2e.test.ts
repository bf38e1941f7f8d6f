import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { until, useService } from '../support/client.ts';
import { undocumented } from '../support/service.ts';
import { skip } from '../support/skip.ts';
import { findSchemathesis } from './schemathesis.ts';

const seeds = [1, 2];
const secondsPerSeed = 25;

/** `[table]` of name = value, as TOML has it. */
const toml = (header: string, values: Record<string, unknown>): string =>
  [header, ...Object.entries(values).map(([name, value]) => `${name} = ${value}`), ''].join('\n');

const bearer = (key: string): string => `{ Authorization = "Bearer ${key}" }`;

describe('the OpenAPI document, as schemathesis tries it', function () {
  this.timeout(300_000);
  const schemathesis = findSchemathesis();
  const api = useService();

  before(function () {
    if (!schemathesis) skip(this, 'schemathesis is not there; .ci/run fetches it');
  });

  for (const seed of seeds) {
    it(`holds for requests of seed ${seed}: no server error, nothing undocumented`, async () => {
      const client = await api.register();
      // Read models may still follow what the seed before it wrote.
      await until(async () => (await client.get('/api/balance')).status === 200);
      const { letter_id } = await client.send();
      const draft = (await client.send({ draft: true })).letter_id;
      // Keys that it revokes or rotates are those of an account that is used for nothing else.
      const spare = await api.register();
      const folder = await mkdtemp(join(tmpdir(), 'letters-schemathesis-'));
      const config = join(folder, 'schemathesis.toml');
      await writeFile(
        config,
        [
          toml('', { headers: bearer(client.key) }),
          // Whether a valid request is refused is a matter of business: a price, a state, a date.
          toml('[checks.positive_data_acceptance]', { enabled: false }),
          // Data may break a rule and a limit on its size at once.
          toml('[checks.negative_data_rejection]', {
            'expected-statuses': '["4xx", "5xx"]',
          }),
          toml('[[operations]]', {
            'include-path-regex': '"^/auth/keys/"',
            headers: bearer(spare.key),
          }),
          toml('[dictionaries.letters]', { values: `["${letter_id}", "${draft}"]` }),
          toml('[[operations]]', {
            'include-path-regex': '"letters/[{]id[}]"',
            parameters: '{ "path.id" = { dictionary = "letters" } }',
          }),
          toml('[[operations]]', {
            'include-path-regex': '"[{]letter_id[}]"',
            parameters: '{ "path.letter_id" = { dictionary = "letters" } }',
          }),
        ].join('\n'),
      );
      const before = undocumented.length;
      const { code, output } = await new Promise<{ code: unknown; output: string }>((resolve) => {
        const { url } = api.service();
        execFile(
          schemathesis ?? '',
          [
            ...['--config-file', config, 'run', `${url}/openapi.json`, '--url', url],
            ...['--seed', String(seed), '--max-time', String(secondsPerSeed)],
            ...['--continue-on-failure', '--max-examples', '25'],
          ],
          { cwd: folder, maxBuffer: 64 * 1024 * 1024, env: { ...process.env, NO_COLOR: '1' } },
          (error, stdout, stderr) => resolve({ code: error?.code ?? 0, output: stdout + stderr }),
        );
      });
      await rm(folder, { recursive: true, force: true });
      expect(code, output).to.equal(0);
      expect(undocumented.slice(before)).to.deep.equal([]);
    });
  }
});
