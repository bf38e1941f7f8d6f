import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { errorCodes } from '../../contract/errors.ts';
import { letterStatuses } from '../../contract/letter-status.ts';
import { returnReasons } from '../../contract/return-reasons.ts';
import { commandGroups, commandOf, specOf } from '../../operator/commands.ts';
import { countries } from '../../postal/countries.ts';
import { pricingVersion, usualPrices } from '../../postal/pricing.ts';
import { countryCodes, serviceIds } from '../../postal/types.ts';
import { presentCatalogue } from '../../presenters/catalogue.ts';
import { groups, roles, variableNames } from '../../service/config/config.ts';
import { createMetrics } from '../../service/run/metrics.ts';
import { wings } from '../../service/wings/wings.ts';
import { rules } from '../architecture/import-rules.ts';
import { alerts, metricsRead } from '../deploy/alerts.ts';
import { secretNames } from '../support/secret-names.ts';
import { codeIn, fencesOf, guide, guides, namedRowsOf, operating, root } from './guides.ts';
import { printRows } from './print-rows.ts';

/** A section of a guide, from its heading to the next of the same level. */
const section = (path: string, heading: string): string => {
  const text = guide(path).split(`\n## ${heading}\n`)[1];
  if (text === undefined) throw new Error(`${path} has no section ${heading}`);
  return text.split('\n## ')[0] ?? '';
};

/** The names of all metrics of the service. */
const metricNames = async (): Promise<string[]> => {
  const delay = { p50: 0, p99: 0, max: 0 };
  const { registry } = createMetrics(
    {
      clock: Date.now,
      projections: () => [],
      latest: () => ({ projections: [], reactors: [] }),
      reactions: () => ({ reactors: [], wings: [], samples: [] }),
      unowned: async () => [],
      figures: async () => ({ letters: [], oldest: [], backlog: [], wallets: [] }),
      work: async () => new Map(),
      facts: () => ({ version: '', prices: '', services: '' }),
      dataDir: '.',
      loopDelay: () => delay,
      workers: () => ({
        threads: 0,
        busy: 0,
        waiting: 0,
        refused: 0,
        replaced: 0,
        tasks: { check: { count: 1, ms: 20 } },
      }),
      background: () => ({ up: true, restarts: 0, residentBytes: 0, loopDelay: delay }),
    },
    wings,
  );
  return (await registry.getMetricsAsJSON()).map(({ name }) => name);
};

describe('the tables in the guides', () => {
  it('list every error code with its status and meaning', () => {
    const listed = namedRowsOf(section('docs/api.md', 'Errors')).map((row) => row.join(' | '));
    const real = Object.entries(errorCodes).map(([code, { status, title }]) =>
      [code, status, title].join(' | '),
    );
    expect(listed).to.have.members(real);
  });

  it('list every setting with its default and its meaning, as the configuration says them', () => {
    const listed = namedRowsOf(section('docs/operations.md', 'Configuration'));
    const rows = groups
      .flatMap(({ settings }) => Object.entries(settings))
      .filter(([name]) => !name.startsWith('LIMIT_'))
      .map(([name, { usual = '', means }]) => [name, usual, means]);
    expect(listed).to.deep.equal(rows);
    const limits = namedRowsOf(section('docs/operations.md', 'Limits'));
    const names = [...listed, ...limits].map(([name]) => name);
    expect(names).to.include.members(variableNames());
  });

  it('list every setting whose value may stand in a file', () => {
    const [, row = ''] = /^\| `…_FILE` \|(.*)\|$/m.exec(guide('docs/operations.md')) ?? [];
    const listed = [...row.matchAll(/`([A-Z0-9_]+)`/g)].map(([, name]) => name);
    expect(listed).to.deep.equal(secretNames());
  });

  it('say of every service how its letters are made, for print houses', () => {
    const listed = namedRowsOf(section('docs/print-houses.md', 'What each service is made of'));
    expect(listed).to.deep.equal(printRows());
  });

  it('say in README what one page costs by the cheapest service of each country', () => {
    const [, row = ''] = /^\| Prices of one page[^|]*\|(.*)\|$/m.exec(guide('README.md')) ?? [];
    const day = pricingVersion.slice(0, 'YYYY-MM-DD'.length);
    const real = countryCodes.map((code) => {
      const totals = presentCatalogue(code, day, usualPrices).services.map(
        (one) => one.price_from.total,
      );
      return `${countries[code].name} $${Math.min(...totals).toFixed(2)}`;
    });
    expect(row.split(',').map((text) => text.trim())).to.have.members(real);
    expect(guide('README.md')).to.contain(`| ${serviceIds.length} services of five carriers`);
  });

  it('say in the guide to the architecture what each folder holds that has import rules', () => {
    const rows = [...section('docs/architecture.md', 'Rooms').matchAll(/^\| (`.*?`) \| \S/gm)];
    const listed = rows.flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([\w-]+)\/`/g)].map(([, folder = '']) => folder),
    );
    for (const folder of listed) expect(existsSync(join(root, folder)), folder).to.equal(true);
    expect(listed).to.include.members(Object.keys(rules));
  });

  it('list every role, metric and status', async () => {
    const processes = guide('docs/operations.md').matchAll(/^\| `([a-z-]+)` \|/gm);
    expect([...processes].map(([, role]) => role)).to.include.members([...roles]);
    const metrics = namedRowsOf(section('docs/operations.md', 'Health and metrics'));
    const real = await metricNames();
    expect(metrics.map(([name]) => name)).to.have.members(real);
    const statuses = namedRowsOf(section('docs/api.md', 'Letters')).map(([name]) => name);
    expect(statuses).to.have.members([...letterStatuses]);
  });
});

describe('alert rules and dashboard', () => {
  for (const [path, read] of Object.entries(metricsRead)) {
    it(`${path} reads metrics that there are, and all that one alarms on`, async () => {
      const known = new Set([...(await metricNames()), 'up', 'http_request_seconds_bucket']);
      const used = read();
      expect(used).to.have.length.greaterThan(25);
      for (const name of used) expect([...known], `${path}: ${name}`).to.include(name);
      const table = namedRowsOf(section('docs/operations.md', 'Health and metrics'));
      const alarms = table.filter(([, meaning = '']) => meaning.includes('alarm'));
      expect(used).to.include.members(alarms.map(([name]) => name ?? ''));
    });
  }
});

const wordsOf = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, word]) => double ?? single ?? word ?? '',
  );

describe('the guides', () => {
  it('list every command of the operator as its help does', () => {
    const rows = commandGroups.flatMap(({ about, commands }) => [
      `| ${about} | |`,
      ...commands.map(({ name, summary }) => `| \`${name}\` | ${summary} |`),
    ]);
    const table = ['| command | what it does |', '|---|---|', ...rows].join('\n');
    expect(section('docs/operations.md', 'Operator commands')).to.include(`\n${table}\n\n`);
  });

  it('list the reasons of a return that mails translate', () => {
    const rows = namedRowsOf(section('docs/operations.md', 'Operator commands'));
    expect(rows).to.deep.include.members(Object.entries(returnReasons));
  });

  it('write operator commands as the operator reads them', () => {
    const lines = [...guides.values()]
      .flatMap(fencesOf)
      .flatMap(({ text }) => text.split('\n'))
      .filter((line) => line.startsWith('npm run operator -- '));
    expect(lines).to.have.length.greaterThan(6);
    for (const line of lines) {
      const words = wordsOf(line.slice('npm run operator -- '.length));
      expect(() => commandOf(words), line).to.not.throw();
    }
  });

  /** Names that belong to PostgreSQL, or that are members of bodies. */
  const foreign = /^(pg_\w+|proxy_pass|max_connections|job_id|letter_id|log_id)$/;

  for (const path of operating) {
    it(`${path} names settings, commands, options, metrics, errors and alerts that there are`, async () => {
      const named = codeIn(guide(path));
      const settings = named.flatMap(
        (code) => /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+/.exec(code)?.[0] ?? [],
      );
      const files = ['NAME', ...secretNames()].map((name) => `${name}_FILE`);
      expect([...variableNames(), ...files]).to.include.members(settings);
      const commands = named.flatMap((code) => /operator -- (.*)/.exec(code)?.[1] ?? []);
      for (const command of commands) {
        const [name, ...words] = command.split(' ');
        const { options } = specOf(name);
        const wanted = words.filter((word) => word.startsWith('--')).map((word) => word.slice(2));
        expect(options, command).to.include.members(wanted);
      }
      const known = [...(await metricNames()), ...Object.keys(errorCodes)];
      const words = named.flatMap((code) => /^[a-z]+(_[a-z0-9]+)+/.exec(code)?.[0] ?? []);
      expect(known).to.include.members(words.filter((word) => !foreign.test(word)));
      const fired = named.filter((code) => /^Letters[A-Z]\w+$/.test(code));
      expect(alerts().map(({ name }) => name)).to.include.members(fired);
    });
  }

  it('link to what is there', () => {
    for (const [path, text] of guides) {
      for (const [, target = ''] of text.matchAll(/\]\(([^):]+)\)/g)) {
        // The test of the reference checks links within a guide.
        const [file = ''] = target.split('#');
        expect(existsSync(join(root, dirname(path), file)), `${path} → ${target}`).to.equal(true);
      }
    }
  });
});
