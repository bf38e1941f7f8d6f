/** The mech while processes die: each request id makes one letter and is owed once. */
import { expect } from 'chai';
import { createReadDb } from '../../infra/postgres/read-db.ts';
import { callOf, type MechAnswer, postRaw, sendParams } from '../support/mech.ts';
import { serviceDatabase } from '../support/service-database.ts';
import {
  eventually,
  freePort,
  killLeftovers,
  makeDataDir,
  oneProcess,
  type ServiceProcess,
  spawnService,
} from '../support/service-process.ts';

const price = 20_000_000_000_000_000n;
const ids = Array.from({ length: 24 }, (_, n) => `req-${n}`);

describe('requests through the mech that something goes wrong with', function () {
  this.timeout(180_000);
  const folder = makeDataDir();
  let database: Awaited<ReturnType<typeof serviceDatabase>>;

  before(async () => {
    database = await serviceDatabase();
  });
  after(async () => {
    await killLeftovers();
    await database?.drop();
    await folder.remove();
  });

  const start = async (): Promise<ServiceProcess> => {
    const started = spawnService(await freePort(), folder.dataDir, {
      ...oneProcess,
      DATABASE_URL: database.url,
      MECH_MODE: 'test',
      MECH_DAILY_LETTERS: '24',
    });
    await started.ready();
    return started;
  };
  const ask = (to: ServiceProcess, id: string): Promise<MechAnswer> =>
    postRaw(to.url, callOf(sendParams({ content: `For ${id}.` }), id));

  it('makes one letter for each id, with two processes, one of which is killed in the midst of it', async () => {
    const [first, other] = await Promise.all([start(), start()]);
    let one = first;
    const known = new Map<string, unknown>();
    const keep = (answer: MechAnswer): void => {
      if (!answer.success) return;
      const { request_id: id, data } = answer;
      const before = known.get(id) ?? data?.letter_id;
      expect(data?.letter_id, id).to.equal(before);
      known.set(id, data?.letter_id);
    };
    const asked = ids.flatMap((id) => [one, other].map((to) => ask(to, id)));
    const settled = Promise.allSettled(asked.map((answer) => answer.then(keep)));
    await eventually('some are answered', () => known.size >= 5);
    await one.killGroup();
    await settled;
    one = await start();
    const last = await Promise.all(ids.map((id, n) => ask(n % 2 === 0 ? one : other, id)));
    for (const answer of last) expect(answer.success, answer.text).to.equal(true);
    last.forEach(keep);
    const db = createReadDb({
      url: database.url,
      max: 2,
      applicationName: 'test',
      onError: () => {},
    });
    try {
      await eventually('it is all in the books', async () => {
        const { rows } = await db.query<{ wei: string }>(
          "select wei::text from read_models.ledger_accounts where account = 'test:mech_receivable'",
        );
        return BigInt(rows[0]?.wei ?? 0) === -price * BigInt(ids.length);
      });
      const shown = await eventually('as many letters are shown', async () => {
        const { rows } = await db.query<{ letter_id: string }>(
          'select letter_id from read_models.letters',
        );
        return rows.length >= ids.length && rows.map((row) => row.letter_id);
      });
      expect(shown).to.have.members([...known.values()]);
      expect(shown).to.have.length(ids.length);
    } finally {
      await db.close();
    }
  });
});
