/** `npx letters-client`: the tools over standard input and output, for stock clients that start it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as FormerClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FormerTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect } from 'chai';
import { fencesOf, guide } from '../docs/guides.ts';
import { letterTo, useService } from '../support/client.ts';
import { freePort } from '../support/free-port.ts';
import { problemIn, type ToolAnswer } from '../support/mcp.ts';
import { type Installed, installedClient } from './installed.ts';

type Env = Record<string, string>;
type StdioClient = {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  getServerVersion(): { name: string } | undefined;
  close(): Promise<void>;
};

describe('MCP over stdio, by the installed package', function () {
  this.timeout(180_000);
  const api = useService();
  let installed: Installed;
  before(async () => {
    installed = await installedClient();
  });

  const command = () => join(installed.folder, 'node_modules/.bin/letters-client');
  const path = process.env.PATH ?? '';
  const environment = (env: Env): Env => ({ PATH: path, ...env });

  /** A program that is left behind would keep the tests alive. */
  const open: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of open.splice(0)) await close();
  });

  const clients: [string, (env: Env, args?: string[]) => Promise<StdioClient>][] = [
    [
      '2026-07-28',
      async (env, args = []) => {
        const client = new Client(
          { name: 'test', version: '1' },
          { versionNegotiation: { mode: 'auto' } },
        );
        const transport = {
          command: command(),
          args,
          env: environment(env),
          stderr: 'ignore' as const,
        };
        await client.connect(new StdioClientTransport(transport));
        open.push(() => client.close());
        return client as unknown as StdioClient;
      },
    ],
    [
      '2025-11-25',
      async (env, args = []) => {
        const client = new FormerClient({ name: 'former', version: '1' });
        const transport = {
          command: command(),
          args,
          env: environment(env),
          stderr: 'ignore' as const,
        };
        await client.connect(
          new FormerTransport(transport) as Parameters<typeof client.connect>[0],
        );
        open.push(() => client.close());
        return client as unknown as StdioClient;
      },
    ],
  ];

  for (const [revision, connect] of clients) {
    describe(`to a client of ${revision}`, () => {
      const call = async (client: StdioClient, name: string, args: object = {}) =>
        (await client.callTool({ name, arguments: { ...args } })) as ToolAnswer;

      it('offers what the service offers, and sends, follows and proves a letter', async () => {
        const { key } = await api.register();
        const env = { SERVICE_URL: api.service().url, SERVICE_API_KEY: key };
        const client = await connect(env);
        const { tools } = await client.listTools();
        const served = await fetch(`${api.service().url}/mcp`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
          },
          body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
        });
        for (const { name } of tools) expect(await served.clone().text()).to.contain(name);
        expect(tools.map(({ name }) => name)).to.include.members(['get_letter', 'top_up_wallet']);
        const letter = { ...letterTo('DE'), idempotency_key: 'once' };
        const [sent, again] = [
          await call(client, 'send_letter', letter),
          await call(client, 'send_letter', letter),
        ];
        expect(sent.structuredContent, sent.content[0]?.text).to.include({ status: 'queued' });
        expect(again.structuredContent?.letter_id).to.equal(sent.structuredContent?.letter_id);
        const of = { letter_id: sent.structuredContent?.letter_id };
        expect((await call(client, 'track_letter', of)).structuredContent).to.include(of);
        expect((await call(client, 'get_proof', of)).structuredContent).to.include(of);
        const wrong = await call(client, 'quote_letter', { to_country: 'XX', pages: 1 });
        expect(problemIn(wrong)).to.include({ code: 'validation_failed' });
        await client.close();
        const core = await connect(env, ['--tools', 'core']);
        expect((await core.listTools()).tools.length).to.be.at.most(8);
        await core.close();
      });

      it('starts without the service, and says in each call what is wrong', async () => {
        const url = `http://127.0.0.1:${await freePort()}`;
        const client = await connect({ SERVICE_URL: url });
        expect(client.getServerVersion()?.name).to.equal('letters');
        const { tools } = await client.listTools();
        expect(tools.map(({ name }) => name)).to.include('send_letter');
        const failed = await call(client, 'get_balance');
        expect(failed.isError).to.equal(true);
        expect(problemIn(failed).error).to.include({ code: 'server_unreachable' });
        await client.close();
      });

      it('starts with a key that is not valid, and says so in each call', async () => {
        const client = await connect({ SERVICE_URL: api.service().url, SERVICE_API_KEY: 'nope' });
        const failed = await call(client, 'get_balance');
        expect(failed.isError).to.equal(true);
        expect(problemIn(failed)).to.include({ status: 401 });
        await client.close();
      });
    });
  }

  const start = (env: Env, args: string[] = []) => {
    const child: ChildProcess = spawn(command(), args, { env: environment(env) });
    open.push(() => child.kill());
    const answers: Record<string, unknown>[] = [];
    let told = '';
    child.stderr?.on('data', (data) => {
      told += data;
    });
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
      answers.push(JSON.parse(line));
    });
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    return {
      answers,
      ended,
      told: () => told,
      write: (text: string) => child.stdin?.write(text),
      end: () => child.stdin?.end(),
    };
  };

  it('answers each line as the protocol names it, with nothing else on standard output', async () => {
    const { key } = await api.register();
    const program = start({ SERVICE_URL: api.service().url, SERVICE_API_KEY: key });
    const request = { jsonrpc: '2.0', id: 1, method: 'tools/call' };
    const lines = [
      'not json',
      '[]',
      '{"jsonrpc":"2.0","method":"notifications/initialized"}',
      JSON.stringify({ ...request, id: 'a', params: null }),
      JSON.stringify({ ...request, id: 2, params: { name: 'no_tool', arguments: {} } }),
      JSON.stringify({ ...request, id: 3, method: 'no/method' }),
      JSON.stringify({ ...request, id: 4, params: { name: 'get_balance' } }),
      `{"jsonrpc":"2.0","id":5,"method":"ping","params":{"x":"${'é'.repeat(20_000)}"}}`,
    ];
    // In pieces, so that lines and letters are cut.
    const bytes = Buffer.from(`${lines.join('\n')}\n`);
    for (let at = 0; at < bytes.length; at += 1_001) {
      program.write(bytes.subarray(at, at + 1_001) as unknown as string);
    }
    program.end();
    expect(await program.ended, program.told()).to.equal(0);
    const byId = new Map(program.answers.map((one) => [one.id, one]));
    expect([...byId.keys()].map(String).sort()).to.deep.equal(['2', '3', '4', '5', 'a', 'null']);
    const errors = program.answers.filter(({ id }) => id === null).map(({ error }) => error);
    expect(errors.map((error) => (error as { code: number }).code)).to.deep.equal([-32700, -32600]);
    expect(byId.get(2)?.error).to.include({ code: -32602 });
    expect(byId.get(3)?.error).to.include({ code: -32601 });
    expect(byId.get(4)?.result).to.have.property('structuredContent');
    expect(byId.get(5)).to.have.property('result');
  });

  it('finishes what was asked when its input ends', async () => {
    const { key } = await api.register();
    const program = start({ SERVICE_URL: api.service().url, SERVICE_API_KEY: key });
    const params = { name: 'send_letter', arguments: letterTo('DE') };
    program.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })}\n`);
    program.end();
    expect(await program.ended).to.equal(0);
    expect(program.answers[0]?.result).to.have.nested.property('structuredContent.letter_id');
  });

  it('starts as the guide says, from the packed file', async () => {
    const text = fencesOf(guide('docs/mcp.md')).find(({ mark }) => mark === 'stdio')?.text ?? '';
    const { letters } = JSON.parse(text).mcpServers;
    const args = letters.args.map((arg: string) =>
      arg.replace('/path/to', installed.folder).replace('…', ''),
    );
    // As an assistant starts it: with the npx and the Node of the machine, not those of this project.
    const ofMachine = path.split(':').filter((folder) => !folder.includes('node_modules'));
    const own = { HOME: process.env.HOME ?? '', PATH: ofMachine.join(':') };
    const env = { ...environment(own), ...letters.env };
    const client = new Client({ name: 'test', version: '1' });
    open.push(() => client.close());
    await client.connect(
      new StdioClientTransport({
        command: letters.command,
        args,
        stderr: 'ignore',
        env: { ...env, SERVICE_URL: api.service().url, SERVICE_API_KEY: '' },
      }),
      // npx installs it first.
      { timeout: 240_000 },
    );
    expect(client.getServerVersion()?.name).to.equal('letters');
  }).timeout(240_000);

  it('says on standard error how it is called, and ends', async () => {
    const help = start({}, ['--help']);
    expect(await help.ended).to.equal(0);
    expect(help.told()).to.contain('SERVICE_API_KEY');
    for (const [env, args] of [
      [{}, ['--port', '3']],
      [{}, ['--url', 'nowhere']],
      [{ SERVICE_API_KEY: 'a b' }, []],
    ] as [Env, string[]][]) {
      const program = start(env, args);
      expect(await program.ended).to.be.oneOf([1, 2]);
      expect(program.told()).to.not.equal('');
      expect(program.answers).to.deep.equal([]);
    }
  });
});
