import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { dayMs } from '../../ground/day.ts';
import { handOverTime, usualHandOverHours } from '../../postal/hand-over.ts';
import { countryCodes } from '../../postal/types.ts';
import { fencesOf, guide } from '../docs/guides.ts';
import { type AlertCase, alertCases } from './alert-cases.ts';
import { alerts, rulesFile } from './alerts.ts';
import { lint, toolPath } from './linters.ts';

const firing = 'count by (alertname) (ALERTS{alertstate="firing"})';

type Named = [string, AlertCase];

/** One group of promtool's tests: exactly these alerts fire, and then none. */
const groupOf = (cases: Named[]) => {
  const series = cases.flatMap(([, one]) => Object.entries(one.series));
  expect(new Set(series.map(([name]) => name)).size, 'no series twice').to.equal(series.length);
  const up = 'up{job="letters"}';
  if (series.every(([name]) => name !== up)) series.push([up, '1x10000']);
  const [, { every, fires, clears }] = cases[0] as Named;
  const samples = cases.map(([name]) => ({ labels: `{alertname="${name}"}`, value: 1 }));
  return {
    interval: every,
    input_series: series.map(([name, values]) => ({ series: name, values })),
    promql_expr_test: [
      { expr: firing, eval_time: '0m', exp_samples: [] },
      { expr: firing, eval_time: fires, exp_samples: samples },
      { expr: firing, eval_time: clears, exp_samples: [] },
    ],
  };
};

/** The cases that fire and clear at the same time share a group: each group takes promtool a while. */
const groupsOf = (cases: Named[]) =>
  Object.values(Object.groupBy(cases, ([, { fires, clears }]) => `${fires} ${clears}`)).map(
    (same = []) => groupOf(same),
  );

/** Runs promtool on the cases, one file for each interval. @throws Error with what promtool complains of */
const runCases = async (cases: Record<string, AlertCase>): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'letters-alerts-'));
  try {
    const files: string[] = [];
    for (const every of ['1m', '1h'] as const) {
      const chosen = Object.entries(cases).filter(([, one]) => one.every === every);
      if (chosen.length === 0) continue;
      const path = join(folder, `${every}.json`);
      const tests = groupsOf(chosen);
      // JSON is YAML, too.
      const text = { rule_files: [rulesFile], evaluation_interval: every, tests };
      await writeFile(path, JSON.stringify(text));
      files.push(path);
    }
    return await lint('promtool', ['test', 'rules', ...files]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

describe('the alert rules', function () {
  this.timeout(180_000);

  it('have a case each, in which they fire and clear', () => {
    expect(Object.keys(alertCases)).to.have.members(alerts().map(({ name }) => name));
  });

  it('name their severity and their section of the runbook', () => {
    for (const { name, severity, runbook } of alerts()) {
      expect(severity, name).to.match(/^(page|ticket)$/);
      expect(runbook, name).to.equal(`docs/runbook.md#${name.toLowerCase()}`);
    }
  });

  it('have one section each in the runbook, in the same order, with what to look at and what to do', () => {
    const sections = guide('docs/runbook.md').split(/^### /m).slice(1);
    const names = sections.map((text) => text.split('\n')[0]);
    expect(names).to.deep.equal(alerts().map(({ name }) => name));
    for (const text of sections) {
      for (const part of ['**Means:**', '**Look at:**', '**Do:**'])
        expect(text.split(part), `${text.slice(0, 40)}: ${part}`).to.have.length(2);
    }
  });

  if (toolPath('promtool') === undefined) {
    it('were not run: there is no promtool, node test/deploy/linters.ts --fetch installs it', () => {});
    return;
  }

  it('are valid for Prometheus', async () => {
    expect(await lint('promtool', ['check', 'rules', rulesFile])).to.contain('SUCCESS');
  });

  it('are read by the Prometheus that the guide sets up', async () => {
    const settings = fencesOf(guide('docs/deployment.md')).find(
      ({ mark }) => mark === 'prometheus',
    );
    const folder = await mkdtemp(join(tmpdir(), 'letters-prometheus-'));
    try {
      const file = join(folder, 'prometheus.yml');
      await writeFile(file, settings?.text ?? '');
      await copyFile(rulesFile, join(folder, 'alerts.yml'));
      const said = await lint('promtool', ['check', 'config', file]);
      expect(said).to.contain(`${alerts().length} rules found`);
      expect(settings?.text).to.contain('job_name: letters\n');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('fire and clear', async () => {
    expect(await runCases(alertCases)).to.contain('SUCCESS');
  });

  it('are not taken to fire where they do not', async () => {
    const quiet = { ...alertCases.LettersDown, series: { 'up{job="letters"}': '1x100' } };
    const said = await runCases({ LettersDown: quiet as AlertCase }).catch(String);
    expect(said).to.contain('FAILED').and.contain('LettersDown');
  });

  it('call nobody for a letter that weekends and holidays hold back', () => {
    const rule = alerts().find(({ name }) => name === 'LettersNotTaken')?.expression ?? '';
    const [, days] = /> (\d+) \* 86400$/.exec(rule) ?? [];
    let mostMs = 0;
    for (const country of countryCodes) {
      for (let at = Date.UTC(2025, 0, 1); at < Date.UTC(2031, 0, 1); at += dayMs / 12) {
        mostMs = Math.max(mostMs, handOverTime(country, at, usualHandOverHours) - at);
      }
    }
    expect(mostMs / dayMs)
      .to.be.above(4)
      .and.below(Number(days) - 0.5);
  });
});
