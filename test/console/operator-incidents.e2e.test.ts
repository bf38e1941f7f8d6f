/** The incidents on the overview of operators: since when, how many wait, and that they go away. */
import { expect } from 'chai';
import type { Desk, Health } from '../../pages/console/operator/desk.ts';
import type { OperatorVisit } from '../../pages/console/operator/operator-visit.ts';
import { overviewRoutes } from '../../pages/console/operator/overview-routes.ts';
import { markup } from '../../pages/html.ts';
import { countWaiting, incidentsOf } from '../../service/operating/desk/incidents.ts';
import { useService } from '../support/client.ts';
import { createMovedClock } from '../support/moved-clock.ts';
import { untilShown } from '../support/service.ts';
import { thingsWithIds } from './things-with-ids.ts';

const follower = { state: 'running', position: '120', lag: '0' };
const allWell: Health = {
  status: 'ok',
  projections: [{ name: 'letters', ...follower }],
  reactors: [{ name: 'settle-wallets', ...follower, failing: 0, parked: 0 }],
  unowned: [],
};
const since = '2026-11-23T10:04:00.000Z';

describe('the incidents on the overview of operators', function () {
  this.timeout(180_000);
  const time = createMovedClock('2026-11-23T10:04:00Z');
  const api = useService({}, { clock: time.clock });
  const foundation = () => api.service().service.foundation;

  /** The page with a state of the machinery. Counts are not kept, as they are for 10 seconds in the service. */
  const overview = async (health: Health = allWell): Promise<string> => {
    const [route] = overviewRoutes.filter(({ path }) => path === '');
    const desk: Pick<Desk, 'incidents' | 'backlog'> = {
      incidents: async (known) =>
        incidentsOf(foundation(), known, await countWaiting(foundation())),
      backlog: async () => [],
    };
    const view = await route?.handle({
      desk: desk as Desk,
      language: 'en',
      at: (path: string) => path,
      call: async () => ({ body: JSON.stringify(health) }),
    } as unknown as OperatorVisit);
    if (!view || !('body' in view)) throw new Error('the overview is a page');
    return markup(view.body);
  };
  const rowOf = (page: string, title: string): string | undefined =>
    page.split('<tr>').find((row) => row.includes(title));

  const expectRow = (page: string, title: string, ...parts: string[]): void => {
    const row = rowOf(page, title);
    for (const part of parts) expect(row, title).to.contain(part);
  };

  it('show a read model that halted until it runs again', async () => {
    const halted = { name: 'letters', state: 'halted', position: '120', lag: '17' };
    const why = 'The row has no such column.';
    const page = await overview({ ...allWell, projections: [{ ...halted, since, error: why }] });
    const title = 'Read model letters has stopped';
    expectRow(page, title, `datetime="${since}"`, '17 events wait.', `It is halted. ${why}`);
    expect(rowOf(await overview(), title)).to.equal(undefined);
  });

  it('show a reactor that is stuck until it advances', async () => {
    const stuck = { name: 'settle-wallets', state: 'stuck', position: '120', lag: '1', since };
    const reactors = [{ ...stuck, failing: 3, parked: 1, error: 'The wallet does not exist.' }];
    const title = 'Reactor settle-wallets does not advance';
    const detail = '3 tasks failing. 1 stream parked. The wallet does not exist.';
    const page = await overview({ ...allWell, reactors });
    expectRow(page, title, `datetime="${since}"`, '1 event waits.', detail);
    expect(rowOf(await overview(), title)).to.equal(undefined);
  });

  it('show mails that the mail server refuses until it takes them', async () => {
    const title = 'Mails are not accepted';
    const client = await api.register();
    const { letter_id: letterId } = await client.send();
    const owner = { accountId: client.account.account_id, letterId };
    const mails = thingsWithIds(foundation());
    expect(rowOf(await overview(), title)).to.equal(undefined);
    time.moveTo('2026-11-23T10:04:00Z');
    const first = await mails.refusedMail(owner);
    time.moveTo('2026-11-23T11:00:00Z');
    const second = await mails.refusedMail(owner);
    await untilShown(api.service());
    expectRow(await overview(), title, 'datetime="2026-11-23T10:04', '2 mails wait.');
    await mails.sendMail(first, owner);
    await untilShown(api.service());
    expectRow(await overview(), title, 'datetime="2026-11-23T11:00', '1 mail waits.');
    await mails.sendMail(second, owner);
    await untilShown(api.service());
    expect(rowOf(await overview(), title)).to.equal(undefined);

    // A mail that was taken and is sent again waits since its own attempt.
    time.moveTo('2026-11-23T12:00:00Z');
    await mails.refuseAgain(first, owner);
    await untilShown(api.service());
    expectRow(await overview(), title, 'datetime="2026-11-23T12:00', '1 mail waits.');
  });
});
