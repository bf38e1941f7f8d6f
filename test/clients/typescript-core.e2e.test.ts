import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type * as Core from '../../clients/typescript/src/index.ts';
import { fencesOf, root } from '../docs/guides.ts';
import { letterTo, useService } from '../support/client.ts';
import { eventually } from '../support/service-process.ts';
import { type Installed, installedClient, loadCore } from './installed.ts';

type Data = Record<string, unknown>;
const errorIn = (result: Data) => (result as Core.ToolFailure).error;

describe('the client library for TypeScript, installed', function () {
  this.timeout(180_000);
  const api = useService();
  let installed: Installed;
  let core: typeof Core;
  let options: { apiKey: string; baseUrl: string };
  let account: Awaited<ReturnType<typeof api.register>>;
  before(async () => {
    installed = await installedClient();
    core = await loadCore();
  });
  beforeEach(async () => {
    account = await api.register();
    options = { apiKey: account.key, baseUrl: api.service().url };
  });
  const registered = () => options;

  describe('as a package', () => {
    it('depends on nothing, and its core on no module of Node', () => {
      const folder = join(installed.folder, 'node_modules');
      expect(readdirSync(folder).filter((name) => !name.startsWith('.'))).to.deep.equal([
        'letters-client',
      ]);
      const dist = join(folder, 'letters-client/dist');
      const files = readdirSync(dist, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.js'))
        .filter((name) => !name.startsWith('adapters') && name !== 'mcp.js');
      expect(files).to.include.members(['index.js', 'webhooks.js', 'generated/catalogue.js']);
      for (const name of files) {
        const imports = readFileSync(join(dist, name), 'utf8').matchAll(/from '([^']+)'/g);
        for (const [, from] of imports) expect(from, name).to.match(/^\.{1,2}\//);
      }
    });

    it('has the catalogue as JSON, and nothing that is not for its users', () => {
      const paths = installed.packed.files.map(({ path }) => path);
      expect(paths).to.include.members([
        ...['README.md', 'LICENSE', 'server.json', 'tools.json', 'dist/index.d.ts'],
      ]);
      expect(paths.filter((path) => /^(src|frameworks|node_modules)\//.test(path))).to.deep.equal(
        [],
      );
      const text = readFileSync(
        join(installed.folder, 'node_modules/letters-client/tools.json'),
        'utf8',
      );
      expect(JSON.parse(text).tools).to.deep.equal(core.tools);
    });
  });

  describe('execute', () => {
    it('calls every tool of the catalogue by its name', async () => {
      const execute = core.createExecutor(registered());
      const services = await execute('list_services', { country: 'DE' });
      expect(services).to.include({ country: 'DE' });
      const quote = await execute('quote_letter', { ...letterTo('DE'), pages: null });
      const sent = await execute('send_letter', {
        ...letterTo('DE'),
        quote_id: (quote as Data).quote_id,
        max_total: 20,
      });
      expect(sent).to.include({ status: 'queued' });
      const letterId = (sent as Data).letter_id;
      expect(await execute('track_letter', { letter_id: letterId })).to.include({
        letter_id: letterId,
      });
      expect(await execute('get_proof', { letter_id: letterId })).to.include({
        letter_id: letterId,
      });
      const balance = await execute('get_balance');
      expect((balance as { available: number }).available).to.be.below(100);
    });

    it('says what a send would come to', async () => {
      const client = core.createClient(registered());
      const letter = { body: letterTo('DE') } as Core.InputOf<'send_letter'>;
      const { outcome, rules, price } = await client.dryRun('send_letter', letter);
      expect({ outcome, rules }).to.deep.equal({ outcome: 'allowed', rules: [] });
      expect(price.total).to.be.above(0);
    });

    it('sends one letter for one idempotency key', async () => {
      const execute = core.createExecutor(registered());
      const letter = { ...letterTo('DE'), idempotency_key: 'letter-1' };
      const [first, second] = await Promise.all([
        execute('send_letter', letter),
        execute('send_letter', letter),
      ]);
      expect((first as Data).letter_id).to.equal((second as Data).letter_id);
    });

    const mistakes: [string, string, unknown, string][] = [
      ['an unknown tool', 'mail_letter', {}, 'unknown_tool'],
      ['a name of every object', 'constructor', {}, 'unknown_tool'],
      ['a missing argument', 'track_letter', {}, 'invalid_arguments'],
      ['an unknown argument', 'quote_letter', { to_land: 'DE' }, 'invalid_arguments'],
      ['a wrong type', 'quote_letter', { to_country: 'DE', pages: '2' }, 'invalid_arguments'],
      ['a value out of range', 'quote_letter', { to_country: 'XX', pages: 2 }, 'invalid_arguments'],
      ['a list', 'get_balance', [], 'invalid_arguments'],
      ['a path', 'track_letter', { letter_id: '..' }, 'invalid_arguments'],
      ['half of a surrogate pair', 'track_letter', { letter_id: '\ud83d' }, 'invalid_arguments'],
    ];
    for (const [what, name, args, code] of mistakes) {
      it(`tells ${what} as data, and sends nothing`, async () => {
        const fetch = () => Promise.reject(new Error('nothing should be sent'));
        const result = await core.execute(name, args as Data, { ...registered(), fetch });
        expect(errorIn(result)).to.include({ code, status: null, retryable: false });
        expect(errorIn(result).hint).to.not.equal('');
      });
    }

    it('says what a new key does where a key belongs to another letter', async () => {
      const letter = { ...letterTo('DE'), idempotency_key: 'reused' };
      await core.execute('send_letter', letter, registered());
      const changed = { ...letter, content: 'Other words' };
      const error = errorIn(await core.execute('send_letter', changed, registered()));
      expect(error.code).to.equal('idempotency_key_reused');
      expect(error.hint).to.contain('unchanged').and.contain('a second letter');
      expect(error.hint).to.contain('A draft that is sent by its letter_id needs a new key.');
    });

    it('leaves it to the payer to raise a cap', async () => {
      const capped = letterTo('DE', { max_total: 0.5 });
      const error = errorIn(await core.execute('send_letter', capped, registered()));
      expect(error.code).to.equal('max_total_exceeded');
      for (const said of [error.hint, error.detail]) {
        expect(said).to.contain('ask the payer before you raise max_total');
      }
    });

    it('tells what the service refuses as data with its findings', async () => {
      const result = await core.execute(
        'send_letter',
        letterTo('DE', { to_postal_code: 'x' }),
        registered(),
      );
      const error = errorIn(result);
      expect(error).to.include({ status: 422, code: 'address_invalid' });
      expect(error.errors?.[0]?.pointer).to.equal('/to_postal_code');
      expect(error.idempotency_key).to.match(/^[0-9a-f-]{36}$/);
      const foreign = { ...registered(), apiKey: `${account.key.slice(0, -1)}!` };
      expect(errorIn(await core.execute('get_balance', {}, foreign)).code).to.be.oneOf([
        'invalid_api_key',
      ]);
    });

    it('names the tools that help after a refusal', async () => {
      const result = await core.execute(
        'send_letter',
        { ...letterTo('DE'), commitment_id: randomUUID() },
        registered(),
      );
      expect(errorIn(result).detail).to.match(/accept_offer makes one\.$/);
    });

    it('passes on what models are not shown and the service takes', async () => {
      const sent = await core.execute(
        'send_letter',
        { ...letterTo('DE'), language: 'de', footer: 'Page' },
        registered(),
      );
      expect(sent).to.include({ status: 'queued' });
    });
  });

  describe('the typed client', () => {
    it('has a method for each operation, with JSON, text and bytes', async () => {
      const letters = core.createClient(registered());
      const sent = await letters.send_letter({ body: letterTo('DE') as never });
      const path = { id: sent.letter_id };
      const letter = await letters.get_letter({ path });
      expect(letter.to_name).to.equal('Anna Müller');
      const pdf = await letters.get_letter_document({ path });
      expect(new TextDecoder().decode(pdf.slice(0, 5))).to.equal('%PDF-');
      const certificate = await letters.get_proof({
        path: { letter_id: sent.letter_id },
        accept: 'application/pdf',
      });
      expect(certificate).to.be.instanceOf(Uint8Array);
      expect(await letters.metrics()).to.match(/^# HELP/);
      const gone = await letters.delete_letter({ path }).catch((error: unknown) => error);
      expect(gone).to.be.instanceOf(core.ServiceError);
      expect((gone as Core.ServiceError).code).to.equal('letter_not_deletable');
    });

    it('gives status and headers, and repeats under a key of the caller', async () => {
      const letters = core.createClient(registered());
      const input = { body: letterTo('DE') as never, idempotencyKey: 'mine' };
      const first = await letters.call('send_letter', input);
      const again = await letters.call('send_letter', input);
      expect(again.data.letter_id).to.equal(first.data.letter_id);
      expect(again.headers.get('idempotent-replayed')).to.equal('true');
      expect(first.headers.get('etag')).to.be.a('string');
    });

    it('goes through a list page by page, each row once', async () => {
      const letters = core.createClient(registered());
      const made: string[] = [];
      for (let count = 0; count < 5; count++) {
        made.push((await letters.send_letter({ body: letterTo('DE') as never })).letter_id);
      }
      const listed: string[] = [];
      for await (const row of letters.all('list_letters', { query: { limit: 2 } })) {
        listed.push(row.letter_id);
      }
      expect(listed).to.deep.equal(made.toReversed());
      const some = letters.all('list_letters', { query: { limit: 2, status: ['draft'] } });
      expect((await some.next()).done).to.equal(true);
    });

    it('waits for a status, and says when it will not come', async () => {
      const letters = core.createClient(registered());
      const { letter_id } = await letters.send_letter({ body: letterTo('DE') as never });
      const waiting = letters.waitFor(letter_id, 'posted', { intervalMs: 20 });
      const advance = (to: string) =>
        letters.advance_test_letter({ path: { id: letter_id }, body: { to } as never });
      await advance('in_transit');
      expect((await waiting).status).to.equal('in_transit');
      const late = await letters
        .waitFor(letter_id, 'delivered', { intervalMs: 5, timeoutMs: 20 })
        .catch(({ code }: Core.ServiceError) => code);
      expect(late).to.equal('wait_timed_out');
      const uncancelled = await letters
        .waitFor(letter_id, 'cancelled', { intervalMs: 5, timeoutMs: 20 })
        .catch(({ code }: Core.ServiceError) => code);
      expect(uncancelled).to.equal('status_unreachable');
      // Its time may be over before a busy machine has posted the letter.
      await eventually('it looks again at the end of its time', async () => {
        const fresh = await letters.send_letter({ body: letterTo('DE') as never });
        const times = { intervalMs: 60_000, timeoutMs: 2_000 };
        const inTime = letters.waitFor(fresh.letter_id, 'posted', times).catch(() => undefined);
        await letters.advance_test_letter({
          path: { id: fresh.letter_id },
          body: { to: 'posted' } as never,
        });
        return (await inTime)?.status === 'posted';
      });
      const ended = new AbortController();
      const look = { intervalMs: 60_000, signal: ended.signal };
      const aborted = letters.waitFor(letter_id, 'delivered', look).catch((error) => error);
      setTimeout(() => ended.abort(), 200);
      expect(await aborted)
        .to.be.instanceOf(core.ServiceError)
        .and.include({ code: 'aborted' });
      const other = await letters.send_letter({ body: letterTo('DE') as never });
      await letters.cancel_letter({ path: { id: other.letter_id } });
      const never = await letters
        .waitFor(other.letter_id, 'delivered', { intervalMs: 20 })
        .catch(({ code }: Core.ServiceError) => code);
      expect(never).to.equal('status_unreachable');
    });
  });

  for (const guide of ['clients/typescript/README.md', 'docs/clients.md']) {
    it(`does what ${guide} shows`, async () => {
      const markdown = readFileSync(join(root, guide), 'utf8');
      const programs = fencesOf(markdown)
        .filter(({ language, mark }) => language === 'ts' && mark === 'run')
        .map(({ text }) => text);
      expect(programs).to.not.have.length(0);
      const file = join(installed.folder, `${randomUUID()}.ts`);
      await writeFile(file, programs.join('\n'));
      const env = { SERVICE_URL: options.baseUrl, SERVICE_API_KEY: options.apiKey };
      const { stdout } = await promisify(execFile)(process.execPath, [file], { env });
      await rm(file);
      expect(stdout).to.not.match(/undefined|null/);
    });
  }

  it('chooses tools, and asks before it spends', async () => {
    const names = (chosen: Core.ToolOptions) =>
      core.letterTools({ ...registered(), ...chosen }).map(({ name }) => name);
    expect(names({})).to.deep.equal(core.tools.map(({ name }) => name));
    expect(names({ only: ['get_balance'] })).to.deep.equal(['get_balance']);
    expect(names({ exclude: ['send_letter'] })).to.not.include('send_letter');
    expect(names({ readOnly: true }))
      .to.include('quote_letter')
      .and.not.include('send_letter');
    expect(() => names({ only: ['send_leter'] })).to.throw('no tool');

    const asked: string[] = [];
    const confirm = ({ name }: Core.ConfirmCall) => {
      asked.push(name);
      return false;
    };
    const tools = core.letterTools({ ...registered(), confirm });
    const run = (name: string, args: object) => tools.find((one) => one.name === name)?.run(args);
    expect(await run('get_balance', {})).to.include({ balance: 100 });
    const refused = await run('send_letter', letterTo('DE'));
    expect(errorIn(refused as Data).code).to.equal('not_confirmed');
    expect(asked).to.deep.equal(['send_letter']);
    expect(await run('get_balance', {})).to.include({ balance: 100 });
  });

  it('makes a call as it was confirmed, and asks about no call that is not valid', async () => {
    const asked: Data[] = [];
    const args = { ...letterTo('DE'), metadata: { order: '1' }, idempotency_key: randomUUID() };
    const confirm = ({ args: shown }: Core.ConfirmCall) => {
      asked.push(shown);
      const open = shown as { reference?: string; metadata: { order: string } };
      open.reference = 'of the hook';
      open.metadata.order = '2';
      args.metadata.order = '3';
      return true;
    };
    const [send] = core.letterTools({ ...registered(), only: ['send_letter'], confirm });
    const invalid = await send?.run({ ...args, color: 'red' });
    expect(errorIn(invalid as Data).code).to.equal('invalid_arguments');
    expect(asked).to.deep.equal([]);
    const { letter_id: id } = (await send?.run({ ...args, reference: null })) as Data;
    const { reference, metadata } = await core
      .createClient(registered())
      .get_letter({ path: { id: String(id) } });
    expect({ reference, metadata }).to.deep.equal({ reference: null, metadata: { order: '1' } });
    expect(asked).to.have.length(1);
  });
});
