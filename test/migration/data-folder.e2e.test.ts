/**
 * A data folder of an older version under this one: it starts, migrates, answers as before, verifies, and
 * rebuilds to the rows that it serves; also when the migration is killed and begins again.
 */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { leafHash, verifyInclusion } from '../../identity/merkle.ts';
import { verifyLog, withFoundation } from '../support/foundation.ts';
import { call, letterBody } from '../support/letter-client.ts';
import { auditLog } from '../support/log-audit.ts';
import { emptyDatabase } from '../support/postgres.ts';
import { assertReadModelsEqual } from '../support/read-models.ts';
import {
  atRest,
  eventually,
  freePort,
  killLeftovers,
  oneProcess,
  type ServiceProcess,
  spawnService,
} from '../support/service-process.ts';
import { verifyConsistency } from '../support/verify-consistency.ts';
import { restoreDataFolder } from './data-folder.ts';

const older = 'folder-2026-11-21';
/** The identity of a service follows its address. The drafts of the folder grow older every day. */
const settings = { BASE_URL: 'http://localhost:3000', DRAFT_RETENTION_DAYS: '0' };

type Letter = { letter_id: string; to_name: string };
type Account = { key: string; balance: object; letters: { data: Letter[] } };
type Audit = {
  events: { log_index: number; credential: string }[];
  checkpoint: string;
  /** Of each event, from its leaf to the root. */
  inclusion: string[][];
};

/** That version listed what its owner had deleted. */
const withoutDeleted = (letters: Account['letters']): Account['letters'] => ({
  ...letters,
  data: letters.data.filter(({ to_name }) => to_name !== '[erased]'),
});

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Of an answer what `older` has: members that came later are left out, at any depth. */
const asOlder = (answer: unknown, older: unknown): unknown => {
  if (Array.isArray(answer) && Array.isArray(older)) {
    return answer.map((item, index) => asOlder(item, older[index]));
  }
  if (!isObject(answer) || !isObject(older)) return answer;
  const kept = Object.keys(older).filter((name) => Object.hasOwn(answer, name));
  return Object.fromEntries(kept.map((name) => [name, asOlder(answer[name], older[name])]));
};

const bytes = (text: string): Buffer => Buffer.from(text, 'base64');

const treeOf = (checkpoint: string): { size: number; root: Buffer } => {
  const [, size, root] = checkpoint.split('\n');
  return { size: Number(size), root: bytes(root ?? '') };
};

describe('a data folder of an older version', function () {
  this.timeout(180_000);
  let database: Awaited<ReturnType<typeof emptyDatabase>>;
  let restored: Awaited<ReturnType<typeof restoreDataFolder>>;
  let service: ServiceProcess;

  const start = async (): Promise<ServiceProcess> =>
    spawnService(await freePort(), restored.dataDir, {
      ...oneProcess,
      ...settings,
      DATABASE_URL: database.url,
    });

  const get = async (path: string, key: string): Promise<object> =>
    (await call(service.url, 'GET', path, { key })).body;

  beforeEach(async () => {
    database = await emptyDatabase();
    restored = await restoreDataFolder(older, database.url);
  });

  afterEach(async () => {
    await killLeftovers();
    await rm(restored.dataDir, { recursive: true, force: true });
    await database.drop();
  });

  const assertAnswer = async (path: string, key: string, older: object): Promise<void> => {
    expect(asOlder(await get(path, key), older), path).to.deep.equal(older);
  };

  /**
   * The events have the credentials that they had. The log has grown where something fell due meanwhile: webhooks
   * that failed for days are switched off. It still holds what it held.
   */
  const assertAuditAsBefore = async (path: string, key: string, older: Audit): Promise<void> => {
    const { checkpoint: olderCheckpoint, inclusion: _, ...rest } = older;
    await assertAnswer(path, key, rest);
    const audit = (await get(path, key)) as Audit;
    const [before, now] = [treeOf(olderCheckpoint), treeOf(audit.checkpoint)];
    const range = `first=${before.size}&second=${now.size}`;
    const { path: proof } = (await get(`/api/identity/log/proof/consistency?${range}`, key)) as {
      path: string[];
    };
    expect(
      verifyConsistency(before.size, now.size, before.root, now.root, proof.map(bytes)),
      range,
    ).to.equal(true);
    expect(audit.inclusion.length).to.equal(older.events.length);
    for (const [n, { log_index: index, credential }] of older.events.entries()) {
      const proof = (audit.inclusion[n] ?? []).map(bytes);
      const leaf = leafHash(credential);
      expect(verifyInclusion(leaf, index, now.size, proof, now.root), `${index}`).to.equal(true);
    }
  };

  /** The API answers now as it answered before. */
  const assertAnswersAsBefore = async (): Promise<void> => {
    const { letter, audit, ...accounts } = restored.answers as Record<string, object>;
    for (const { key, balance, letters } of Object.values(accounts as Record<string, Account>)) {
      await assertAnswer('/api/balance', key, balance);
      await assertAnswer('/api/letters?limit=100', key, withoutDeleted(letters));
    }
    const { key } = (accounts as Record<string, Account>).live as Account;
    const { letter_id: letterId } = letter as { letter_id: string };
    await assertAnswer(`/api/letters/${letterId}`, key, letter as object);
    await assertAuditAsBefore(`/api/identity/audit/${letterId}`, key, audit as Audit);
  };

  const assertWhole = async (): Promise<void> => {
    await atRest(service.url);
    await service.terminate();
    const place = { dataDir: restored.dataDir, databaseUrl: database.url };
    expect(await withFoundation(place, verifyLog)).to.deep.equal([]);
    await assertReadModelsEqual(database.url, await auditLog(database.url));
  };

  /** That version did not count what accounts store. */
  const assertDocumentsCounted = async (key: string): Promise<void> => {
    const files = await readdir(join(restored.dataDir, 'blobs'), {
      recursive: true,
      withFileTypes: true,
    });
    const documents = files.filter((file) => file.isFile());
    expect(documents.length).to.be.above(0);
    const sizes = documents.map(({ parentPath, name }) => stat(join(parentPath, name)));
    const bytes = (await Promise.all(sizes)).reduce((sum, { size }) => sum + size, 0);
    await eventually('what was stored is counted', async () => {
      const { storage } = (await get('/api/balance', key)) as { storage: { used_bytes: number } };
      return storage.used_bytes === bytes;
    });
  };

  it('is taken over: same answers, whole log, same rows when rebuilt', async () => {
    service = await start();
    await service.ready();
    await assertAnswersAsBefore();
    const { key } = (restored.answers as Record<string, Account>).live as Account;
    const sent = await call(service.url, 'POST', '/api/send', {
      key,
      body: letterBody('On it goes'),
    });
    expect(sent.status).to.equal(201);
    await assertDocumentsCounted(key);
    await assertWhole();
  });

  it('is taken over by a start that follows several killed ones', async () => {
    for (const afterMs of [400, 800, 1_200, 1_800]) {
      service = await start();
      await delay(afterMs);
      await service.killGroup();
    }
    service = await start();
    await service.ready();
    await assertAnswersAsBefore();
    await assertWhole();
  });
});
