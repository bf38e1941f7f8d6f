import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { examples } from '../../service/examples/examples.ts';
import { fencesOf } from '../docs/guides.ts';
import { letterTo, until, useService } from '../support/client.ts';
import { skip } from '../support/skip.ts';

/** Operations whose samples run as they stand once ids are those of the reader. */
const tried = [
  ...['service_info', 'health', 'list_errors', 'get_error', 'list_scopes', 'x402_status'],
  ...['register', 'signup', 'register_agent', 'create_key', 'list_keys', 'revoke_key'],
  ...['list_services', 'quote_letter', 'preview_quote', 'send_letter', 'list_letters'],
  ...['get_letter', 'update_letter', 'cancel_letter', 'delete_letter', 'get_letter_document'],
  ...['preview_letter', 'advance_test_letter', 'track_letter', 'get_proof', 'get_balance'],
  ...['get_statement', 'get_settings', 'list_notifications', 'resolve_did', 'service_did'],
  ...['log_checkpoint', 'list_credentials', 'get_audit', 'create_audit_link', 'issue_ucan'],
  ...['list_ucans', 'delegate_ucan', 'subscribe_audit', 'list_audit_subscriptions'],
  ...['search_reference', 'list_message_schemas', 'get_message_schema', 'verify_audit_sha256'],
];

type Sample = { operation: string; text: string };

const python = ['python3', 'python'].find(
  (name) => spawnSync(name, ['-c', 'import sys; sys.exit(sys.version_info < (3, 8))']).status === 0,
);

describe('the samples of the reference', function () {
  this.timeout(180_000);
  const api = useService();
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'letters-samples-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** Replacements for the ids of the recorded example, so that the sample meets existing objects. */
  const idsFor = async (
    name: string,
    client: Awaited<ReturnType<typeof api.register>>,
  ): Promise<Record<string, string>> => {
    const { params = {} } = examples[name] ?? {};
    const ids: Record<string, string> = {};
    const given = params.letter_id ?? (name.includes('letter') ? params.id : undefined);
    if (given !== undefined) {
      const { letter_id: letterId } = await client.send();
      ids[given] = letterId;
      if (name === 'delete_letter') await client.post(`/api/letters/${letterId}/cancel`, {});
      if (name === 'get_audit' || name === 'create_audit_link') {
        await until(
          async () => (await client.get(`/api/identity/audit/${letterId}`)).status === 200,
        );
      }
    }
    if (params.quote_id !== undefined) {
      const { body } = await client.post<{ quote_id: string }>('/api/quote', letterTo('DE'));
      ids[params.quote_id] = body.quote_id;
    }
    if (name === 'revoke_key' && params.id !== undefined) {
      const { body } = await client.post<{ id: string }>('/auth/keys', {
        label: 'a',
        scope: 'read',
      });
      ids[params.id] = body.id;
    }
    return ids;
  };

  const pages = new Map<string, string>();
  const pageOf = async (tag: string): Promise<string> => {
    const path = `/api-docs/${tag.toLowerCase().replaceAll(' ', '-')}.md`;
    const page = pages.get(path) ?? (await (await fetch(api.service().url + path)).text());
    pages.set(path, page);
    return page;
  };

  /** The samples in one language as they stand on the pages, for this service and this reader. */
  const samplesIn = async (
    language: string,
    client: Awaited<ReturnType<typeof api.register>>,
  ): Promise<Sample[]> => {
    const samples: Sample[] = [];
    for (const name of tried) {
      const operation = api.service().service.operations.find((one) => one.name === name);
      expect(operation, name).not.to.equal(undefined);
      const { method = '', path = '', tag = '' } = operation ?? {};
      const page = await pageOf(tag);
      const start = page.indexOf(`\`${method} ${path}\``, page.indexOf('\n## '));
      const shown = fencesOf(page.slice(start)).find((fence) => fence.language === language);
      let text = shown?.text ?? '';
      for (const [recorded, own] of Object.entries(await idsFor(name, client))) {
        expect(text, name).to.contain(recorded);
        text = text.replaceAll(recorded, own);
      }
      text = text
        .replaceAll('http://localhost', api.service().url)
        // Addresses and agents can be registered once
        .replaceAll(/ada@example\.com|grace@example\.com/g, `${name}-${language}@example.com`)
        .replaceAll('invoice-bot', `${name}-${language}-bot`);
      samples.push({ operation: name, text });
    }
    return samples;
  };

  /** Runs a program that prints `ok NAME` for each sample that worked, and why where one did not. */
  const run = async (command: string, args: string[], key: string): Promise<string> => {
    const child = spawn(command, args, {
      cwd: folder,
      env: { PATH: process.env.PATH, SERVICE_API_KEY: key },
    });
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        printed += chunk;
      });
    }
    await new Promise((resolve) => child.once('close', resolve));
    return printed;
  };

  const expectAll = (printed: string, samples: readonly Sample[]): void => {
    const lines = new Set(printed.split('\n'));
    const failed = samples.filter(({ operation }) => !lines.has(`ok ${operation}`));
    const said = /^failed [\s\S]*/m.exec(printed)?.[0].slice(0, 2_000);
    expect(
      failed.map(({ operation }) => operation),
      said,
    ).to.deep.equal([]);
  };

  it('work in curl', async () => {
    const client = await api.register();
    const samples = await samplesIn('bash', client);
    const script = samples.map(
      ({ operation, text }) =>
        `if {\n${text.trimEnd()}\n} >answer 2>&1\nthen echo "ok ${operation}"\nelse echo "failed ${operation}"; cat answer; fi`,
    );
    const prelude = [
      'curl() { command curl -sS --fail-with-body --max-time 30 "$@"; }',
      'command -v uuidgen >/dev/null || uuidgen() { cat /proc/sys/kernel/random/uuid; }',
    ];
    await writeFile(join(folder, 'samples.sh'), [...prelude, ...script].join('\n'));
    expectAll(await run('bash', ['samples.sh'], client.key), samples);
  });

  it('work on the first page of the service, one after the other', async () => {
    const page = await (
      await fetch(api.service().url, { headers: { Accept: 'text/html' } })
    ).text();
    const texts = [...page.matchAll(/<pre[^>]*><code>([\s\S]*?)<\/code>/g)].map(([, text = '']) =>
      text
        .replaceAll(/<[^>]+>/g, '')
        .replaceAll('&quot;', '"')
        .replaceAll('&#39;', "'")
        .replaceAll('&amp;', '&')
        .replaceAll('http://localhost', api.service().url),
    );
    expect(texts).to.have.length(3);
    const uuidgen =
      'command -v uuidgen >/dev/null || uuidgen() { cat /proc/sys/kernel/random/uuid; }';
    await writeFile(join(folder, 'first.sh'), ['set -e', uuidgen, ...texts].join('\n'));
    const printed = await run('bash', ['first.sh'], 'none');
    expect(printed).to.contain('"status":"queued"').and.contain('"has_more":false');
  });

  it('work in TypeScript', async () => {
    const client = await api.register();
    const samples = await samplesIn('ts', client);
    for (const { operation, text } of samples) {
      await writeFile(
        join(folder, `${operation}.mts`),
        text.includes('import ') ? text : `${text}\nexport {};`,
      );
    }
    const main = samples.map(
      ({ operation }) =>
        `await import('./${operation}.mts').then(() => process.stdout.write('\\nok ${operation}\\n'), (error) => console.log('failed ${operation}', error));`,
    );
    await writeFile(join(folder, 'main.mts'), main.join('\n'));
    expectAll(await run(process.execPath, ['main.mts'], client.key), samples);
  });

  it('work in Python, with nothing but its standard library', async function () {
    if (python === undefined) return skip(this, 'there is no Python 3.8 or later');
    const client = await api.register();
    const samples = await samplesIn('python', client);
    for (const { operation, text } of samples)
      await writeFile(join(folder, `${operation}.py`), text);
    await writeFile(
      join(folder, 'main.py'),
      [
        'import traceback, urllib.error',
        `for name in ${JSON.stringify(samples.map(({ operation }) => operation))}:`,
        '    try:',
        '        exec(compile(open(name + ".py").read(), name, "exec"), {})',
        '        print("\\nok " + name, flush=True)',
        '    except urllib.error.HTTPError as error:',
        '        print("failed", name, error.read().decode())',
        '    except Exception:',
        '        print("failed", name, traceback.format_exc())',
      ].join('\n'),
    );
    expectAll(await run(python, ['main.py'], client.key), samples);
  });
});
