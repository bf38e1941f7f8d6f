import { expect } from 'chai';
import { intents } from '../../postal/types.ts';
import type { Evaluation, Figures } from '../../presenters/evaluation.ts';
import { expectProblem, until, useService } from '../support/client.ts';
import { useBrowser } from '../support/use-browser.ts';

describe('the performance report', function () {
  this.timeout(180_000);
  const api = useService();
  const browser = useBrowser();

  const evaluate = async (query = '', key?: string): Promise<Evaluation> => {
    const answer = await api.call<Evaluation>('GET', `/api/anp/eval${query}`, undefined, {
      ...(key === undefined ? {} : { key }),
    });
    expect(answer.status, answer.text).to.equal(200);
    return answer.body;
  };

  const figuresOf = (one: Evaluation, intent: string): Figures =>
    one.data.find((row) => row.intent === intent) as Figures;

  it('has all classes and nothing in them before the first letter', async () => {
    const report = await evaluate();
    expect(report.data.map(({ intent }) => intent)).to.deep.equal([...intents]);
    expect(report).to.include({ mode: 'live', country: null });
    expect(report.total).to.include({ sent: 0, measurable: 0, attainment: null, p50_days: null });
  });

  it('measures letters from posting to delivery, and untracked ones not at all', async () => {
    const customer = await api.register('test');
    const tracked = { intent: 'transactional', service: 'de_einschreiben_einwurf' };
    const sent = [
      await customer.send(tracked),
      await customer.send(tracked),
      await customer.send({ service: 'de_standardbrief' }),
      await customer.send(tracked),
      await customer.send({ service: 'de_standardbrief' }),
    ];
    const [delivered, posted, untracked, returned, alsoReturned] = sent.map(
      ({ letter_id: id }) => id,
    );
    await customer.advance(delivered ?? '', { to: 'delivered' });
    await customer.advance(posted ?? '', { to: 'posted' });
    await customer.advance(untracked ?? '', { to: 'in_transit' });
    for (const id of [returned, alsoReturned]) {
      await customer.advance(id ?? '', { to: 'in_transit' });
      await customer.advance(id ?? '', { event: 'returned' });
    }
    await until(async () => (await evaluate('?mode=test')).total.returned === 2);
    const report = await evaluate('?mode=test');
    expect(figuresOf(report, 'transactional')).to.deep.equal({
      intent: 'transactional',
      sla_days: 3,
      sent: 5,
      measurable: 2,
      not_measurable: 3,
      on_time: 1,
      late: 0,
      overdue: 0,
      in_flight: 1,
      returned: 2,
      attainment: 1,
      p50_days: 0,
      p95_days: 0,
    });
    expect((await evaluate('?mode=test&country=DE')).total.sent).to.equal(5);
    expect((await evaluate('?mode=test&country=FR')).total.sent).to.equal(0);
    expect((await evaluate('?mode=test&from=2020-01-01&to=2020-02-01')).total.sent).to.equal(0);
    expect((await evaluate('', customer.key)).mode).to.equal('test');
    expect((await evaluate()).total.sent, 'test letters are apart').to.equal(0);
  });

  it('adds letters up over accounts, and names none of them', async () => {
    const customer = await api.register('test');
    const { letter_id: id } = await customer.send();
    await customer.advance(id, { to: 'delivered' });
    await until(async () => (await evaluate('?mode=test')).total.on_time === 2);
    expect(JSON.stringify(await evaluate('?mode=test'))).to.not.include(
      customer.account.account_id,
    );
  });

  it('refuses nonsense by its name', async () => {
    for (const [query, pointer] of [
      ['?from=yesterday', '/query/from'],
      ['?from=2026-02-30', '/query/from'],
      ['?to=2026-13-01', '/query/to'],
      ['?to=9999-12-31', '/query/to'],
      ['?from=9999-01-01&to=9999-12-31', '/query/to'],
      ['?to=0000-01-01', '/query/to'],
      ['?from=2026-02-02&to=2026-02-01', '/query/from'],
      ['?from=2024-01-01&to=2026-01-01', '/query/from'],
      ['?country=XX', '/query/country'],
      ['?country=de', '/query/country'],
      ['?mode=both', '/query/mode'],
      ['?period=month', '/query/period'],
      ['?from=2026-01-01&from=2026-01-02', '/query/from'],
    ] as const) {
      const refused = await api.call('GET', `/api/anp/eval${query}`);
      expectProblem(refused, 422, 'validation_failed', pointer);
      expect((await api.call('GET', `/anp/eval${query}`)).status).to.equal(422);
    }
  });

  it('names the months of a period, at the borders of the years that it takes too', async () => {
    const named = async (query: string): Promise<string[]> =>
      (await evaluate(query)).months.map(({ month }) => month);
    expect(await named('?from=2999-11-30&to=2999-12-31')).to.deep.equal(['2999-11', '2999-12']);
    expect(await named('?from=2000-01-01&to=2000-01-01')).to.deep.equal(['2000-01']);
    expect((await named('?to=2000-01-01'))[0]).to.equal('1999-10');
    const leap = await named('?from=2024-02-29&to=2025-02-28');
    expect([leap.length, leap[0], leap.at(-1)]).to.deep.equal([13, '2024-02', '2025-02']);
    for (const to of ['2999-12-31', '2000-01-01']) {
      expect((await api.call('GET', `/anp/eval?to=${to}`)).status).to.equal(200);
    }
  });

  it('is a page that reads without scripts, with a table beside each chart', async () => {
    const { page, requests, complaints } = await browser.open();
    await page.setJavaScriptEnabled(false);
    await page.setViewport({ width: 1100, height: 1400 });
    const origin = api.service().url;
    const answer = await page.goto(`${origin}/anp/eval?mode=test`);
    expect(answer?.headers()['content-security-policy']).to.include("default-src 'none'");
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
      if (process.env.SCREENSHOTS) {
        const path = `${process.env.SCREENSHOTS}/eval-${scheme}.png` as const;
        await page.screenshot({ path, fullPage: true });
      }
    }
    const found = (await page.evaluate(`(() => {
      const all = (selector) => [...document.querySelectorAll(selector)];
      const colors = (element, name) => getComputedStyle(element)[name];
      return {
        headings: all('h1, h2').map((one) => one.textContent),
        charts: all('section > svg.chart').map((one) => ({
          named: document.getElementById(one.getAttribute('aria-labelledby'))?.textContent ?? '',
          role: one.getAttribute('role'),
          wide: one.getBoundingClientRect().width,
          tables: one.parentElement.querySelectorAll('table caption').length,
        })),
        unscoped: all('th:not([scope])').length,
        rows: all('table')[0].querySelectorAll('tbody tr').length,
        ids: all('[id]').map((one) => one.id),
        filled: colors(document.querySelector('rect.on-time'), 'fill'),
        scripts: all('script').length,
        styled: all('[style]').length,
        overflow: document.documentElement.scrollWidth > innerWidth,
      };
    })()`)) as {
      headings: string[];
      charts: { named: string; role: string; wide: number; tables: number }[];
      unscoped: number;
      rows: number;
      ids: string[];
      filled: string;
      scripts: number;
      styled: number;
      overflow: boolean;
    };
    expect(found.headings[0]).to.equal('How letters keep their promises');
    expect(found.charts).to.have.length(4);
    for (const { named, role, wide, tables } of found.charts) {
      expect([role, tables]).to.deep.equal(['img', 1]);
      expect(named).to.have.length.above(20);
      expect(wide).to.be.above(400);
    }
    expect(found).to.include({ unscoped: 0, rows: 6, scripts: 0, styled: 0, overflow: false });
    expect(new Set(found.ids).size).to.equal(found.ids.length);
    expect(found.filled).to.equal('rgb(111, 176, 242)');
    expect(requests.every((url) => url.startsWith(origin) || url.startsWith('data:'))).to.equal(
      true,
    );
    expect(complaints.filter((one) => !one.includes('favicon'))).to.deep.equal([]);
    await page.setViewport({ width: 380, height: 800 });
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).to.equal(
      true,
    );
    await page.close();
  });
});
