import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { listen } from '../../http/listen.ts';
import { createLogger } from '../../infra/log.ts';
import { findPostmaster, isAlive } from '../../infra/postgres/embedded/postmaster.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../infra/postgres/embedded.ts';
import { readConfig } from '../../service/config/config.ts';
import { startService } from '../../service/run/compose.ts';
import { projections } from '../../service/wings/wings.ts';
import { letterBody } from '../support/letter-client.ts';
import { type Ended, runOperator, startOperator } from '../support/operator.ts';
import { eventually } from '../support/service-process.ts';

const operatorIn = (dataDir: string, args: string[]): Promise<Ended> =>
  runOperator({ DATA_DIR: dataDir }, args);

const letter = { ...letterBody('Hello by post.'), service: 'de_einschreiben' };
const patienceMs = 60_000;

describe('the operator', function () {
  this.timeout(180_000);

  let dataDir = '';
  let url = '';
  let stopService = async (): Promise<void> => {};
  let key = '';
  let accountId = '';
  const operator = (...args: string[]): Promise<Ended> => operatorIn(dataDir, args);
  /** The same in a process of its own, as an operator runs it. */
  const program = (...args: string[]): Promise<Ended> =>
    startOperator({ DATA_DIR: dataDir }, args).ended;

  const callOnce = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        'Content-Type': 'application/json',
        ...(key === '' ? {} : { Authorization: `Bearer ${key}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, answer: (await response.json()) as Record<string, never> };
  };
  /** Asks again while the read models are behind: on a busy machine that takes seconds. */
  const call = async (method: string, path: string, body?: object) => {
    const deadline = Date.now() + patienceMs;
    for (;;) {
      const { status, answer } = await callOnce(method, path, body);
      const isBehind = String(answer.code) === 'read_model_behind';
      if (isBehind && Date.now() < deadline) continue;
      expect(status, JSON.stringify(answer)).to.be.lessThan(300);
      return answer;
    }
  };

  /** Reads until it is so: what the service shows follows the log within moments. */
  const readUntil = async (path: string, isSo: (answer: Record<string, unknown>) => boolean) => {
    const deadline = Date.now() + patienceMs;
    for (;;) {
      const answer = (await call('GET', path)) as Record<string, unknown>;
      if (isSo(answer)) return answer;
      if (Date.now() > deadline) throw new Error(`${path} stays at ${JSON.stringify(answer)}`);
    }
  };

  const balanceOf = (available: number, held: number) =>
    readUntil('/api/balance', (shown) => shown.available === available && shown.held === held);

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'letters-test-operator-'));
    const config = readConfig({ DATA_DIR: dataDir, LIMIT_RATE_PER_CREDENTIAL: '0' });
    const log = createLogger({ level: 'silent' });
    const service = await startService(config, log, 'http://localhost');
    const listening = await listen(service.app, 0, { host: '127.0.0.1' });
    url = listening.url;
    stopService = async () => {
      stopService = async () => {};
      await listening.stop();
      await service.stop();
    };
    const made = await call('POST', '/auth/register', { email: 'live@example.com' });
    key = String(made.api_key);
    accountId = String(made.account_id);
  });

  after(async () => {
    await stopService();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('credits a live wallet beside the running service', async () => {
    const { code, out, err } = await program('credit', accountId, '25.00', '--reference', 'wire 1');
    expect(err).to.equal('');
    expect(out).to.include(`Credited $25.00 (fiat) to ${accountId}.`);
    expect(code).to.equal(0);
    await balanceOf(25, 0);
  });

  it('says that a reference was used, and adds nothing', async () => {
    const { code, out } = await operator('credit', accountId, '25.00', '--reference', 'wire 1');
    expect(out).to.include('was already credited under the reference "wire 1"; nothing was added');
    expect(out).to.include('Available: $0.00 crypto + $25.00 fiat.');
    expect(code).to.equal(0);
  });

  it('takes no other money under a reference that was used', async () => {
    for (const other of [['26.00'], ['25.00', '--bucket', 'crypto']]) {
      const { code, out, err } = await operator(
        ...['credit', accountId, ...other, '--reference', 'wire 1'],
      );
      expect(err).to.include('which is $25.00 (fiat) now; nothing was added');
      expect(out).to.equal('');
      expect(code).to.equal(1);
    }
    await balanceOf(25, 0);
  });

  it('credits the crypto bucket with up to six decimals', async () => {
    const args = ['credit', accountId, '0.000001', '--bucket', 'crypto', '--reference', 'wire 2'];
    const { code, out } = await operator(...args);
    expect(out).to.include('Credited $0.000001 (crypto)');
    expect(code).to.equal(0);
  });

  it('refuses a test account and an account that there is not', async () => {
    const test = await call('POST', '/auth/register', { email: 'test@example.com', mode: 'test' });
    const refused = await operator('credit', String(test.account_id), '5', '--reference', 'x');
    expect(refused.code).to.equal(1);
    expect(refused.err).to.match(/^acct_\w+ is a test account, .*\n$/);
    const unknown = await operator('credit', 'acct_nobody', '5', '--reference', 'x');
    expect(unknown).to.include({ code: 1, out: '' });
    expect(unknown.err).to.match(/^There is no account acct_nobody\. Give its id, .*\n$/);
  });

  it('names the data that it works on before anything else', async () => {
    expect(await operator('accounts')).to.include({ code: 0, data: dataDir });
    const elsewhere = await startOperator({ DATA_DIR: '' }, ['accounts']).ended;
    expect(elsewhere.code).to.equal(1);
    expect(elsewhere.err).to.include(join(process.cwd(), 'data'));
  });

  it('credits by the e-mail address as well', async () => {
    const args = ['credit', 'Live@example.com', '25.00', '--reference', 'wire 1'];
    expect((await operator(...args)).out).to.include('; nothing was added');
  });

  it('answers what is written wrongly with the rule, and no stack', async () => {
    const { code, out, err } = await program('credit', 'acct_x', '1.005', '--reference', 'x');
    expect(err).to.equal(
      'AMOUNT 1.005 has more than 2 decimals (bucket fiat)\n' +
        'Usage: npm run operator -- credit ACCOUNT AMOUNT --reference TEXT [--bucket fiat|crypto]\n' +
        'npm run operator -- credit --help explains the command.\n',
    );
    expect(out).to.equal('');
    expect(code).to.equal(2);
  });

  it('shows its usage when it is asked, and when no command is named', async () => {
    const asked = await program('--help');
    expect(asked.out)
      .to.match(/^Usage: npm run operator/)
      .and.to.include('Examples:');
    expect(asked.code).to.equal(0);
    const empty = await operator();
    expect(empty).to.include({ code: 2, out: '', err: asked.out });
  });

  it('shows the help of one command alone', async () => {
    for (const args of [
      ['letters', '--help'],
      ['help', 'letters'],
    ]) {
      const { code, out } = await operator(...args);
      expect(code).to.equal(0);
      expect(out)
        .to.match(/^Usage: npm run operator -- letters /)
        .and.to.include('--stale');
      expect(out).to.not.include('rotate-key');
    }
    expect((await operator('destroy', '--help')).code).to.equal(2);
  });

  it('makes no new service out of a mistyped folder', async () => {
    const wrong = join(dataDir, 'mistyped');
    const { code, err } = await operatorIn(wrong, ['verify']);
    expect(err).to.equal(
      `${wrong} has no data of a service. Set DATA_DIR or DATABASE_URL as the service has them\n`,
    );
    expect(code).to.equal(1);
    expect(existsSync(wrong)).to.equal(false);
  });

  describe('reporting on a live letter', () => {
    let letterId = '';
    let price = 0;

    before(async () => {
      const sent = (await call('POST', '/api/send', letter)) as Record<string, unknown>;
      letterId = String(sent.letter_id);
      price = (sent.price as { total: number }).total;
      await balanceOf(25.000001 - price, price);
    });

    it('refuses a tracking number whose check digit does not fit', async () => {
      const { code, err } = await operator(
        ...['advance', letterId, 'posted', '--tracking', 'RR123456786DE'],
      );
      expect(err).to.include('--tracking: RR123456786DE has a wrong check digit');
      expect(code).to.equal(1);
    });

    it('takes it into production, posts it and spends its price', async () => {
      const { code, out, err } = await operator(
        ...['advance', letterId, 'posted', '--tracking', 'rr 12345678 5 de'],
      );
      expect(err).to.equal('');
      expect(out.split('\n').slice(0, 4)).to.deep.equal([
        'letter.processing_started',
        'letter.tracking_number_assigned',
        'letter.posted',
        `Letter ${letterId} is posted.`,
      ]);
      expect(code).to.equal(0);
      await balanceOf(25.000001 - price, 0);
    });

    it('wants evidence for a delivery', async () => {
      const { code, err } = await operator('advance', letterId, 'delivered');
      expect(err).to.match(
        /^delivered needs --evidence: carrier_scan, signature, recipient_report/,
      );
      expect(code).to.equal(2);
      const simulated = await operator('advance', letterId, 'delivered', '--evidence', 'simulated');
      expect(simulated.err).to.match(/^--evidence simulated is not one of/);
    });

    it('delivers it with evidence and shows who said so', async () => {
      const args = ['advance', letterId, 'delivered', '--evidence', 'signature'];
      const { code, out } = await operator(...args);
      expect(out).to.include('letter.in_transit (inferred)\nletter.delivered\n');
      expect(code).to.equal(0);
      const again = await operator(...args);
      expect(again.out).to.equal(`Letter ${letterId} is already delivered; nothing was changed.\n`);
      expect(again.code).to.equal(0);
      const shown = await readUntil(
        `/api/track/${letterId}`,
        ({ status }) => status === 'delivered',
      );
      expect(shown).to.include({ evidence: 'signature', tracking_number: 'RR123456785DE' });
      expect((shown.events as { source: string }[]).at(-1)?.source).to.equal('operator');
    });

    it('replays what happened to it, whole and up to a point, with nothing personal', async () => {
      const { code, out, err } = await operator('replay', letterId);
      expect(err).to.equal('');
      const lines = out.trimEnd().split('\n');
      expect(lines[0]).to.match(/^no {2}position {2}time +event +status +source +log +event hash$/);
      expect(lines[1]).to.match(/^1 +\d+ +\S{24} +letter\.queued +queued +api +(\d+|-) +\S{12}$/);
      expect(lines.at(-2)).to.match(/letter\.delivered +delivered +operator/);
      expect(lines.at(-1)).to.match(/ is delivered; \d+ of \d+ events are in the log\.$/);
      expect(out).not.to.include('Mustermann').and.not.to.include('Heidestr');
      expect(code).to.equal(0);
      const first = await operator('replay', letterId, '--as-of', '1');
      expect(first.out).to.match(/ is queued; \d of 1 events are in the log\.\n$/);
      const early = await operator('replay', letterId, '--as-of', '2020-01-01T00:00:00Z');
      expect(early.out).to.match(/ is not there yet; 0 of 0 events are in the log\.\n$/);
      const unknown = await operator('replay', '7c1e0d5e-0000-5000-8000-000000000001');
      expect(unknown.err).to.match(
        /^There is no letter 7c1e0d5e-0000-5000-8000-000000000001\. Give/,
      );
      expect(unknown.code).to.equal(1);
    });

    it('does not let it go back', async () => {
      // As if the print house were slow to take its files.
      const ticket = join(dataDir, 'outbox', `${letterId}.json`);
      await writeFile(ticket, '{}');
      const { code, out, err } = await operator('advance', letterId, 'failed');
      expect(err).to.equal(
        'a letter that is delivered cannot become failed; nothing was changed\n',
      );
      expect([code, out]).to.deep.equal([1, '']);
      await rm(ticket);
    });
  });

  describe('giving a letter up', () => {
    let letterId = '';
    let available = 0;

    const outbox = async (): Promise<string[]> =>
      (await readdir(join(dataDir, 'outbox'))).filter((name) => name.startsWith(letterId));

    before(async () => {
      available = (await call('GET', '/api/balance')).available as unknown as number;
      const sent = (await call('POST', '/api/send', letter)) as Record<string, unknown>;
      letterId = String(sent.letter_id);
      const { code } = await operator('advance', letterId, 'processing');
      expect(code).to.equal(0);
      await readUntil(
        `/api/letters/${letterId}`,
        ({ production }) => (production as { state: string } | null)?.state === 'with_partner',
      );
    });

    it('does not pay back what the print house may be printing', async () => {
      const { code, out, err } = await operator('advance', letterId, 'failed');
      expect(err).to.match(/^The print house may already have letter .* Nothing was changed/);
      expect([code, out]).to.deep.equal([1, '']);
      expect(await outbox()).to.have.length(2);
    });

    it('takes the job away from the print house with the letter', async () => {
      const { code, out } = await operator('advance', letterId, 'failed', '--not-printed');
      // The service may be quicker.
      const lines = out
        .split('\n')
        .filter((line) => line !== 'Its ticket was removed from outbox.');
      expect(lines).to.deep.equal(['letter.failed', `Letter ${letterId} is failed.`, '']);
      expect(code).to.equal(0);
      await balanceOf(available, 0);
      const deadline = Date.now() + patienceMs;
      while ((await outbox()).length > 0 && Date.now() < deadline)
        await call('GET', '/api/balance');
      expect(await outbox()).to.deep.equal([]);
    });
  });

  describe('on everything', () => {
    it('rebuilds every read model beside the running service', async () => {
      const before = await call('GET', '/api/letters');
      const { code, out, err } = await operator('rebuild', 'all');
      const all = projections.map(({ name }) => name).join(', ');
      expect(err).to.equal('');
      expect(out).to.match(
        new RegExp(`^${all}: \\d+ events in \\d+\\.\\d s \\([\\d,]+ events/s\\)\\n$`),
      );
      expect(code).to.equal(0);
      expect(await call('GET', '/api/letters')).to.deep.equal(before);
      await call('POST', '/api/send', { ...letter, draft: true });
    });

    it('verifies the log beside the running service, and without it', async () => {
      const beside = await program('verify');
      expect(beside.out).to.match(/live money: 1 wallet, credited \$25\.000001 = /);
      expect(beside.out).to.match(/\nOK: everything holds\.\n$/);
      expect(beside.code).to.equal(0);
      await stopService();
      const alone = await operator('verify');
      expect(alone.err).to.equal('');
      expect(alone.out).to.match(/\nOK: everything holds\.\n$/);
      expect(alone.code).to.equal(0);
    });

    it('stops the database that only it used when a signal ends it', async () => {
      const clusterDir = join(dataDir, 'postgres');
      const endedBy = async (signal: NodeJS.Signals): Promise<Ended> => {
        const { ended, kill } = startOperator({ DATA_DIR: dataDir }, ['verify']);
        const postmaster = await eventually('the database runs', () => findPostmaster(clusterDir));
        kill(signal);
        const outcome = await ended;
        expect(isAlive(postmaster.pid), signal).to.equal(false);
        // On a busy machine the command may be over before the signal comes.
        return outcome.code === 0 ? endedBy(signal) : outcome;
      };
      for (const [signal, code] of [
        ['SIGINT', 130],
        ['SIGTERM', 143],
      ] as const) {
        const outcome = await endedBy(signal);
        expect(outcome.code, outcome.err).to.equal(code);
        expect(outcome.err).to.equal('');
      }
    });
  });

  describe('verifying what was tampered with', () => {
    let postgres: EmbeddedPostgres;
    let client: pg.Client;
    // PostgreSQL runs all the time, so no command has to start it.
    before(async () => {
      postgres = await startEmbeddedPostgres({ dataDir });
      client = new pg.Client({ connectionString: postgres.url });
      await client.connect();
    });
    after(async () => {
      await client?.end();
      await postgres?.stop();
    });

    const sql = async (...statements: string[]): Promise<void> => {
      for (const statement of statements) await client.query(statement);
    };
    const tamper = (statement: string): Promise<void> =>
      sql(
        'alter table event_log.events disable trigger user',
        statement,
        'alter table event_log.events enable trigger user',
      );
    const positionOf = async (type: string): Promise<string> => {
      const { rows } = await client.query(
        'select min(position) as position from event_log.events where type = $1',
        [type],
      );
      return String(rows[0].position);
    };

    it('names the event whose amount was changed', async () => {
      const change = (from: string, to: string): string =>
        `update event_log.events set data = replace(data, '${from}', '${to}')
         where type = 'FundsCredited' and stream like 'wallet-${accountId}-%' and data like '%${from}%'`;
      await tamper(change('"amountMicro":25000000', '"amountMicro":99000000'));
      const { code, out } = await operator('verify');
      await tamper(change('"amountMicro":99000000', '"amountMicro":25000000'));
      const found = /WRONG: \d+ findings?, the first at position (\d+)\./.exec(out);
      expect(found, out).to.be.an('array');
      expect(out).to.include(`position ${found?.[1]}: wallet-${accountId}-0 version 1 is not what`);
      expect(out).to.include(`wallet of ${accountId}: the read model has`);
      expect(code).to.equal(1);
    });

    it('names the position of an event that is missing', async () => {
      const position = await positionOf('LetterPosted');
      await tamper(
        `create table public.kept as select * from event_log.events where position = ${position}`,
      );
      await tamper(`delete from event_log.events where position = ${position}`);
      const { code, out } = await operator('verify');
      await tamper('insert into event_log.events select * from public.kept');
      expect(out).to.include(`the first at position ${position}.`);
      expect(out).to.include(`position ${position}: is missing`);
      expect(code).to.equal(1);
    });

    it('names a wallet row that does not follow from the log', async () => {
      const change = (by: number): string =>
        `update read_models.wallets set fiat_micro = fiat_micro + ${by} where not test`;
      await sql(change(1));
      const { code, out } = await operator('verify');
      expect(out).to.include('WRONG: 1 finding,').and.to.include('rebuild wallets');
      expect(code).to.equal(1);
      expect((await operator('rebuild', 'wallets')).code).to.equal(0);
    });

    it('names a ledger account that is not what the log moved, and books that do not add up', async () => {
      await sql(
        "update read_models.ledger_accounts set fiat_micro = fiat_micro + 1 where account = 'revenue'",
      );
      const { code, out } = await operator('verify');
      expect(out)
        .to.include('WRONG: 3 findings')
        .and.to.include('ledger account revenue: the books');
      expect(out).to.include('the ledger is $0.000001 away from zero');
      expect(out).to.include('1 ledger accounts are not what their entries add up to');
      expect(code).to.equal(1);
      expect((await operator('rebuild', 'ledger')).code).to.equal(0);
    });

    it('names a letter whose data key is gone although nothing was erased', async () => {
      const position = await positionOf('LetterQueued');
      await sql(
        `create table public.lost as select * from keys.data_keys where subject =
           (select stream from event_log.events where position = ${position})`,
        'delete from keys.data_keys where subject in (select subject from public.lost)',
      );
      const { code, out } = await operator('verify');
      await sql('insert into keys.data_keys select * from public.lost');
      expect(out).to.match(new RegExp(`position ${position}: the data key of letter-\\S+ is gone`));
      expect(code).to.equal(1);
    });

    it('is satisfied once everything is as it was', async () => {
      const { code, out } = await operator('verify');
      expect(out).to.match(/\nOK: everything holds\.\n$/);
      expect(code).to.equal(0);
    });
  });
});
