/** Rotation of the root and of the key over it, next to a running service. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { letterStream } from '../../events/letter.ts';
import { messageOf } from '../../ground/message-of.ts';
import { createLogger } from '../../infra/log.ts';
import { commandOf } from '../../operator/commands.ts';
import { readConfig } from '../../service/config/config.ts';
import { openFoundation } from '../../service/run/foundation.ts';
import { verifyLog, withFoundation } from '../support/foundation.ts';
import { call, letterBody } from '../support/letter-client.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { serviceDatabase } from '../support/service-database.ts';
import { fundLiveAccount } from '../support/some-letters.ts';

const log = createLogger({ level: 'silent' });

describe('operator rotate-master', function () {
  this.timeout(240_000);
  let dataDir = '';
  let database: Awaited<ReturnType<typeof serviceDatabase>>;
  let env: Record<string, string> = {};
  let service: TestService;
  let key = '';
  const letters: string[] = [];
  let erased = '';

  /** Runs a command as the program does, in this process. */
  const operate = async (...args: string[]) => {
    const lines: string[] = [];
    const print = (line: string) => void lines.push(line);
    const command = commandOf(args);
    try {
      if (command.bare) {
        return { code: await command.bare(env, log, print), said: lines.join('\n') };
      }
      const config = readConfig(env);
      if (command.apart) {
        return { code: await command.apart(config, log, print), said: lines.join('\n') };
      }
      await using foundation = await openFoundation(config, log);
      return { code: await command(foundation, print), said: lines.join('\n') };
    } catch (error) {
      return { code: 1, said: [...lines, messageOf(error)].join('\n') };
    }
  };
  const done = async (...args: string[]): Promise<string> => {
    const { code, said } = await operate(...args);
    expect(code, said).to.equal(0);
    return said;
  };
  const query = <R>(text: string): Promise<R[]> =>
    withFoundation({ dataDir, databaseUrl: database.url }, async ({ storage }) => {
      const { rows } = await storage.readDb.query<R>(text);
      return rows;
    });
  const send = async (): Promise<void> => {
    const body = { ...letterBody('Secret words.'), draft: true, reference: 'file-7' };
    const { status, body: answer } = await call(service.url, 'POST', '/api/send', { key, body });
    expect(status, JSON.stringify(answer)).to.equal(201);
    letters.push(String(answer.letter_id));
  };
  const assertReadable = async (): Promise<void> => {
    for (const id of letters) {
      const { status, body } = await call(service.url, 'GET', `/api/letters/${id}`, { key });
      expect(status).to.equal(200);
      expect(body.reference).to.equal('file-7');
    }
    const gone = await call(service.url, 'GET', `/api/letters/${erased}`, { key });
    expect(gone.status).to.equal(410);
    const listed = await call(service.url, 'GET', '/api/letters?reference=file-7&limit=100', {
      key,
    });
    const data = listed.body.data as { letter_id: string }[];
    expect(data.map(({ letter_id: id }) => id)).to.have.members(letters);
  };
  const wraps = () =>
    query<{ root: number }>(
      'select distinct wrapped_by as root from keys.data_keys where wrapped is not null order by 1',
    );

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'letters-test-rotate-'));
    database = await serviceDatabase();
    env = { DATABASE_URL: database.url, DATA_DIR: dataDir };
    service = await startTestService(env);
    key = await fundLiveAccount(service.url, env);
    await send();
    await send();
    erased = letters.pop() ?? '';
    const { status } = await call(service.url, 'DELETE', `/api/letters/${erased}`, { key });
    expect(status).to.equal(200);
  });
  after(async () => {
    await service?.stop();
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('says what there is, and plans without changing anything', async () => {
    expect(await done('rotate-master')).to.contain('No rotation is under way.');
    expect(await done('rotate-master', 'root')).to.contain('Nothing was changed');
    expect(await done('rotate-master', 'kek')).to.contain('Nothing was changed');
    const [roots] = await query<{ n: number; state: string }>('select n, state from keys.roots');
    expect(roots).to.deep.equal({ n: 1, state: 'active' });
  });

  it('wraps every key by a new root while letters are sent, and leaves erased ones erased', async () => {
    let rotating = true;
    const sending = (async () => {
      while (rotating) await send();
    })();
    const said = await done('rotate-master', 'root', '--apply').finally(() => {
      rotating = false;
    });
    await sending;
    expect(said)
      .to.contain('root 2 is active')
      .and.to.match(/OK: \d+ keys open/);
    await send();
    await assertReadable();
    expect(await wraps()).to.deep.equal([{ root: 2 }]);
    const [row] = await query<{ wrapped: string | null }>(
      `select wrapped from keys.data_keys where subject = '${letterStream(erased)}'`,
    );
    expect(row).to.deep.equal({ wrapped: null });
    expect((await operate('doctor', '--json')).said).to.contain(
      'rotation of the root is not finished',
    );
  });

  it('destroys the root before, and finds what it indexed', async () => {
    expect(await done('rotate-master', 'retire')).to.contain('destroy root 1');
    await done('rotate-master', 'retire', '--apply');
    await send();
    await assertReadable();
    await service.stop();
    service = await startTestService(env);
    await assertReadable();
    await withFoundation({ dataDir, databaseUrl: database.url }, async (foundation) => {
      expect(await verifyLog(foundation)).to.deep.equal([]);
      expect(() => foundation.keys.keyring.keyUnder(1, 'wrap')).to.throw('root 1 is retired');
    });
  });

  it('replaces the key over the roots; the one before opens them until it is retired', async () => {
    const path = join(dataDir, 'master.key');
    const before = await readFile(path, 'utf8');
    await done('rotate-master', 'kek', '--apply');
    const fresh = await readFile(path, 'utf8');
    expect(fresh).not.to.equal(before);
    expect(await readFile(`${path}.old`, 'utf8')).to.equal(before);
    expect((await operate('rotate-master', 'kek', '--apply')).said).to.contain('retire');
    expect((await operate('rotate-master', 'root', '--apply')).said).to.contain('not finished');
    const startWith = async (text: string) => {
      await service.stop();
      await writeFile(path, text);
      service = await startTestService(env);
      await assertReadable();
    };
    await startWith(before);
    await startWith(fresh);
    await done('rotate-master', 'retire', '--apply');
    await writeFile(path, before);
    const { code, said } = await operate('rotate-master');
    expect(code).to.equal(1);
    expect(said).to.contain('is not the master key that the data here was sealed with');
    await writeFile(path, fresh);
    await startWith(fresh);
  });

  it('retires no key that was changed to later, unless the operator goes back', async () => {
    const path = join(dataDir, 'master.key');
    const before = await readFile(path, 'utf8');
    await done('rotate-master', 'kek', '--apply');
    const later = await readFile(path, 'utf8');
    const seals = () => query<{ kek: string }>('select distinct kek from keys.root_seals');
    // A machine or a shell that has the key of before.
    await writeFile(path, before);
    for (const args of [['retire'], ['retire', '--apply']]) {
      const { code, said } = await operate('rotate-master', ...args);
      expect(said).to.contain('the key was changed to another one later');
      expect(code).to.equal(1);
    }
    expect(await seals()).to.have.length(2);
    await writeFile(path, later);
    expect(await done('rotate-master', 'retire')).to.contain('opens every root');
    await writeFile(path, before);
    expect(() => commandOf(['rotate-master', 'root', '--go-back'])).to.throw('belongs to retire');
    expect(await done('rotate-master', 'retire', '--go-back')).to.contain('forget');
    await done('rotate-master', 'retire', '--go-back', '--apply');
    expect(await seals()).to.have.length(1);
    await service.stop();
    service = await startTestService(env);
    await assertReadable();
  });

  it('refuses to retire a root that still wraps a key', async () => {
    await done('rotate-master', 'root', '--apply');
    await query(
      "update keys.data_keys set wrapped_by = 2 where subject like 'letter-%' and wrapped is not null",
    );
    const { code, said } = await operate('rotate-master', 'retire', '--apply');
    expect(code).to.equal(1);
    expect(said).to.contain('still wrapped by the old root');
    // A key that does not open under the root that it names is listed, and nothing else suffers.
    const rotated = await operate('rotate-master', 'root', '--apply');
    expect(rotated.code).to.equal(1);
    expect(rotated.said).to.match(/WRONG: the data key of letter-[0-9a-f-]{36} does not open/);
    await query(
      "update keys.data_keys set wrapped_by = 3 where subject like 'letter-%' and wrapped is not null",
    );
    await done('rotate-master', 'root', '--apply');
    await assertReadable();
  });
});
