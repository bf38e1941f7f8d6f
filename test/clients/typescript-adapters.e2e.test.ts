/** Each adapter on its framework, whose agent is driven by a model that makes up its calls. */

import { execFile } from 'node:child_process';
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { letterTo, useService } from '../support/client.ts';
import { skip } from '../support/skip.ts';
import { clientsFolder } from './generated.ts';
import { areFrameworksInstalled, type Installed, installedClient, programs } from './installed.ts';

type Told = {
  names: string[];
  readOnly: string[];
  interruptions?: string[];
  confirmed: string[];
  results: Record<string, Record<string, unknown> & { error?: Record<string, unknown> }>;
};

const adapters = ['langchain', 'ai-sdk', 'openai-agents', 'mastra', 'genkit', 'anthropic'];

describe('adapters of the TypeScript library', function () {
  this.timeout(180_000);
  const api = useService();
  let installed: Installed;
  before(async function () {
    if (!areFrameworksInstalled()) {
      skip(this, 'npm ci in clients/typescript/frameworks installs what they need');
    }
    installed = await installedClient();
    cpSync(programs, installed.folder, { recursive: true });
  });

  const run = async (file: string): Promise<string> => {
    const { key } = await api.register();
    const { stdout } = await promisify(execFile)(process.execPath, [file], {
      cwd: installed.folder,
      timeout: 60_000,
      env: {
        PATH: process.env.PATH,
        SERVICE_URL: api.service().url,
        SERVICE_API_KEY: key,
        LETTER: JSON.stringify(letterTo('DE')),
      },
    });
    return stdout;
  };

  for (const name of adapters) {
    it(`${name}: an agent quotes, is told what fails, and sends what was confirmed`, async () => {
      const output = await run(`${name}.mjs`);
      const told = JSON.parse(output.trim().split('\n').at(-1) ?? '') as Told;
      const file = join(clientsFolder, 'typescript/tools.json');
      const { tools } = JSON.parse(readFileSync(file, 'utf8')) as {
        tools: { name: string; read_only: boolean }[];
      };
      expect(told.names).to.deep.equal(tools.map((tool) => tool.name));
      expect(told.readOnly).to.deep.equal(
        tools.filter((tool) => tool.read_only).map((tool) => tool.name),
      );
      const { quote, wrong, refused, sent } = told.results;
      expect(quote, 'null counts as left out').to.include({ pages: 2 });
      expect(JSON.stringify(told.results.invalid), 'the field is named').to.contain('to_country');
      expect(wrong?.error).to.include({ code: 'letter_not_found', status: 404 });
      expect(refused?.error).to.include({ code: 'not_confirmed' });
      expect(sent).to.include({ status: 'queued' });
      expect(told.confirmed).to.deep.equal(['send_letter', 'send_letter']);
      if (told.interruptions) expect(told.interruptions).to.include('send_letter');
    });
  }

  it('send nothing for a run that was cancelled while the user was asked', async () => {
    const output = await run('cancelled.mjs');
    const { answers, sent } = JSON.parse(output.trim().split('\n').at(-1) ?? '') as {
      answers: Record<string, { error?: { code: string } }>;
      sent: number;
    };
    for (const [name, answer] of Object.entries(answers)) {
      expect(answer.error, name).to.include({ code: 'aborted' });
    }
    expect(sent).to.equal(0);
  });

  it('send a letter once where a graph runs its node again', async () => {
    expect(JSON.parse(await run('rerun.mjs'))).to.deep.equal([0, 0, 2, 3, 4, 5]);
  });

  it('have an example each, which runs', async () => {
    const folder = join(installed.folder, 'node_modules/letters-client/examples');
    const examples = readdirSync(folder);
    expect(examples.sort()).to.deep.equal(adapters.map((name) => `${name}.mjs`).sort());
    for (const example of examples) {
      expect(await run(join(folder, example)), example).to.match(/EUR|USD/);
    }
  });
});
