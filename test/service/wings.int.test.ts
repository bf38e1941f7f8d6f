import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import { operation } from '../../contract/operation.ts';
import { asPosition } from '../../events/position.ts';
import { Type } from '../../ground/type.ts';
import { createLogger } from '../../infra/log.ts';
import { findPostmaster } from '../../infra/postgres/embedded/postmaster.ts';
import { defineTable, key, text } from '../../projections/upsert.ts';
import { readConfig } from '../../service/config/config.ts';
import type { Wing } from '../../service/foundation/wing.ts';
import { openFoundation } from '../../service/run/foundation.ts';
import { wings } from '../../service/wings/wings.ts';
import { freshDatabase } from '../support/postgres.ts';
import { startTestService } from '../support/service.ts';
import { eventually } from '../support/service-process.ts';

const log = createLogger({ level: 'silent' });

describe('a wing', () => {
  const told: string[] = [];
  const greeting = operation({
    name: 'greet',
    method: 'GET',
    path: '/api/greeting',
    tag: 'General',
    summary: 'Greet',
    access: 'public',
    input: {},
    responses: { 200: { description: 'A greeting', schema: Type.String() } },
    errors: [],
    handle: () => ({ body: 'hello' }),
  });
  const bells: Wing = {
    name: 'bells',
    projections: [
      {
        name: 'rings',
        version: 1,
        streams: ['no-such-stream-'],
        tables: [defineTable('rings', { id: key(text()) })],
        project: async () => [],
      },
    ],
    metrics: [{ name: 'bells_hanging', help: 'Bells that hang' }],
    open: ({ closing }) => {
      told.push('opened');
      closing.defer(() => void told.push('closed'));
      return {
        callers: {
          knows: (header) => header === 'Bell ding',
          authenticate: async () => ({
            accountId: 'acct_bell',
            keyId: 'bell',
            scope: 'full',
            test: true,
          }),
        },
        read: () => [greeting],
        pages: () => [
          {
            files: [{ path: '/bell.txt', type: 'text/plain', bytes: Buffer.from('ding') }],
            contentSecurityPolicy: "default-src 'none'",
          },
        ],
        react: ({ closing: reacting, stopping }) => {
          stopping.addEventListener('abort', () => told.push('stopping'));
          reacting.defer(() => void told.push('reactions closed'));
          return {
            reactors: [{ name: 'ring-bells', react: () => undefined }],
            followers: [
              () => ({
                status: () => ({
                  name: 'follow-bells',
                  state: 'running',
                  position: asPosition(7n),
                  seen: asPosition(7n),
                  movedAt: Date.now(),
                  failing: [],
                  failingCount: 0,
                  parked: [],
                  parkedCount: 0,
                }),
                stop: async () => void told.push('follower stopped'),
              }),
            ],
            chores: [
              {
                what: 'polishing',
                everyMs: 60_000,
                work: async () => void told.push('polished'),
              },
            ],
            health: () => ({
              status: 'degraded',
              detail: 'one is cracked',
              metrics: { bells_hanging: 3 },
            }),
          };
        },
      };
    },
  };

  it('brings all that it has into the service, and takes it away again', async () => {
    const service = await startTestService({}, { wings: [bells, ...wings] });
    const get = async (path: string, headers = {}) => fetch(`${service.url}${path}`, { headers });
    try {
      expect(await (await get('/api/greeting')).json()).to.equal('hello');
      expect(await (await get('/bell.txt')).text()).to.equal('ding');
      const { paths } = (await (await get('/openapi.json')).json()) as { paths: object };
      expect(paths).to.have.property('/api/greeting');
      const balance = await get('/api/balance', { Authorization: 'Bell ding' });
      expect(balance.status, 'known as a caller').to.not.equal(401);
      await eventually('the chore has been done', async () => told.includes('polished'));
      await eventually('the read model runs', async () => {
        const { projections } = (await (await get('/health')).json()) as {
          projections: { name: string }[];
        };
        return projections.some(({ name }) => name === 'rings');
      });
      const health = (await (await get('/health')).json()) as {
        status: string;
        reactors: { name: string }[];
        parts: object[];
      };
      expect(health.status).to.equal('degraded');
      expect(health.parts).to.have.deep.members([
        { name: 'bells', status: 'degraded', detail: 'one is cracked' },
        { name: 'closures', status: 'ok' },
        { name: 'letters', status: 'ok' },
      ]);
      expect(health.reactors.map(({ name }) => name)).to.include.members([
        'ring-bells',
        'follow-bells',
      ]);
      expect(await (await get('/metrics')).text()).to.match(/^bells_hanging 3$/m);
    } finally {
      await service.stop();
    }
    expect(told).to.deep.equal([
      ...['opened', 'polished'],
      ...['stopping', 'follower stopped', 'reactions closed', 'closed'],
    ]);
  });
});

describe('what does not open', () => {
  it('is a wing: those that were open are closed, the last first', async () => {
    const closed: string[] = [];
    const opening = (name: string): Wing => ({
      name,
      open: ({ closing }) => {
        closing.defer(() => void closed.push(name));
        return {
          react: ({ closing: reacting }) => {
            reacting.defer(() => void closed.push(`${name} reactions`));
            return {};
          },
        };
      },
    });
    const failing: Wing = {
      name: 'failing',
      open: ({ closing }) => {
        closing.defer(() => void closed.push('failing'));
        throw new Error('no broker');
      },
    };
    const failingLater: Wing = {
      name: 'failing later',
      open: () => ({ react: () => Promise.reject(new Error('no topic')) }),
    };
    for (const [last, reason] of [
      [failing, 'no broker'],
      [failingLater, 'no topic'],
    ] as const) {
      const started = startTestService({}, { wings: [...wings, opening('a'), opening('b'), last] });
      const error = await started.catch((failure: Error) => failure);
      expect(error).to.be.instanceOf(Error).with.property('message', reason);
    }
    expect(closed).to.deep.equal([
      ...['failing', 'b', 'a'],
      ...['b reactions', 'a reactions', 'b', 'a'],
    ]);
  });

  it('is the folder of documents: the database connections are closed', async () => {
    const { url, drop } = await freshDatabase();
    const dataDir = await mkdtemp(join(tmpdir(), 'letters-open-'));
    await writeFile(join(dataDir, 'blobs'), 'not a folder');
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      const config = readConfig({ DATA_DIR: dataDir, DATABASE_URL: url });
      const error = await openFoundation(config, log).catch((failure: Error) => failure);
      expect(error).to.be.instanceOf(Error);
      await eventually('no connection is left', async () => {
        const { rows } = await client.query(
          `select application_name from pg_stat_activity
           where datname = current_database() and application_name like 'letters-%'`,
        );
        return rows.length === 0;
      });
    } finally {
      await client.end();
      await drop();
      await rm(dataDir, { recursive: true, force: true });
    }
  });

  it('is the folder of documents: the embedded PostgreSQL, which was started for it, ends', async function () {
    this.timeout(180_000);
    const dataDir = await mkdtemp(join(tmpdir(), 'letters-open-'));
    await writeFile(join(dataDir, 'blobs'), 'not a folder');
    try {
      const error = await openFoundation(readConfig({ DATA_DIR: dataDir }), log).catch(
        (failure: Error) => failure,
      );
      expect(error).to.be.instanceOf(Error).with.property('message').that.includes('blobs');
      expect(existsSync(join(dataDir, 'postgres', 'PG_VERSION')), 'it was started').to.equal(true);
      expect(findPostmaster(join(dataDir, 'postgres'))).to.equal(undefined);
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});
