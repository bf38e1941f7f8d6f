import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { startTestService, type TestService } from '../support/service.ts';
import { fencesOf, guides, type Snippet, snippetsOf } from './guides.ts';

const separator = '=== next snippet ===';

/** A guide is one shell: what a snippet sets, the next one knows. */
const scriptOf = (snippets: Snippet[], url: string): string =>
  [
    'set -eo pipefail',
    'flags=--fail-with-body',
    'curl() { command curl $flags --max-time 20 "$@"; }',
    ...snippets.flatMap(({ script, refused }) => [
      `flags=${refused ? '' : '--fail-with-body'}`,
      script.replaceAll('http://localhost:3000', url),
      `echo; echo '${separator}'`,
    ]),
  ].join('\n');

const patternOf = (line: string): RegExp =>
  new RegExp(
    line
      .split('…')
      .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*'),
    'm',
  );

describe('the guides', function () {
  this.timeout(180_000);
  let service: TestService;

  before(async () => {
    service = await startTestService({ MECH_MODE: 'test' });
  });
  after(() => service.stop());

  for (const [path, text] of guides) {
    const snippets = snippetsOf(text);
    if (snippets.length === 0) continue;

    it(`${path}: every snippet does what is shown below it, also when all are pasted again`, async () => {
      const pasted = [...snippets, ...snippets];
      const script = scriptOf(pasted, service.url);
      const { stdout } = await promisify(execFile)('bash', ['-c', script]);
      const printed = stdout.split(separator);
      for (const [index, { script: command, output }] of pasted.entries()) {
        for (const line of output) {
          expect(printed[index], `after ${command}`).to.match(patternOf(line));
        }
      }
    });
  }

  it('mark every snippet that calls the service as one that the tests run', () => {
    const unmarked = [...guides].flatMap(([path, text]) =>
      fencesOf(text)
        .filter(({ language, mark }) => language === 'bash' && !mark.startsWith('run'))
        .filter(({ text: script }) => /\bcurl\b.*http:\/\/localhost:3000/.test(script))
        .map(({ text: script }) => `${path}: ${script}`),
    );
    expect(unmarked).to.deep.equal([]);
  });

  it('have no block to paste that replaces the keys of the service', () => {
    const replacing = [...guides].flatMap(([path, text]) =>
      fencesOf(text)
        .filter(({ text: script }) => /operator -- rotate-key/.test(script))
        .map(({ text: script }) => `${path}: ${script}`),
    );
    expect(replacing).to.deep.equal([]);
  });

  it('have snippets in README, getting started and API', () => {
    const withSnippets = [...guides].filter(([, text]) => snippetsOf(text).length > 0);
    expect(withSnippets.map(([path]) => path)).to.include.members([
      'README.md',
      'docs/api.md',
      'docs/getting-started.md',
    ]);
  });
});
