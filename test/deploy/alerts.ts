/** The alert rules and the dashboard, as tests read them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const deploy = join(import.meta.dirname, '..', '..', 'deploy');
export const rulesFile = join(deploy, 'prometheus', 'alerts.yml');
const dashboardFile = join(deploy, 'grafana', 'dashboard.json');

type Alert = { name: string; expression: string; severity: string; runbook: string };

export const alerts = (): Alert[] =>
  readFileSync(rulesFile, 'utf8')
    .split(/^ +- alert: /m)
    .slice(1)
    .map((text) => ({
      name: text.split('\n')[0] ?? '',
      expression: /^ +expr: (?:>-)?([\s\S]*?)\n +(?:for|labels):/m.exec(text)?.[1]?.trim() ?? '',
      severity: /severity: (\w+)/.exec(text)?.[1] ?? '',
      runbook: /^ +runbook: (.*)$/m.exec(text)?.[1] ?? '',
    }));

type Panel = { title: string; type: string; targets?: { expr: string }[] };

const panels = (): Panel[] => JSON.parse(readFileSync(dashboardFile, 'utf8')).panels;

const functions =
  /^(rate|increase|delta|topk|histogram_quantile|predict_linear|time|sum|max|min|count|absent)$/;

/** The metrics that an expression of Prometheus reads. */
const metricsIn = (expression: string): string[] =>
  [...expression.replaceAll(/\{[^}]*\}|\[\w+\]|by \([^)]*\)/g, ' ').matchAll(/[a-z][a-z0-9_]+/g)]
    .map(([name]) => name)
    .filter((name) => !functions.test(name) && !/^(and|by|or|unless)$/.test(name));

/** The metrics that the alert rules read, and those of the dashboard. */
export const metricsRead = {
  'deploy/prometheus/alerts.yml': (): string[] =>
    alerts().flatMap(({ expression }) => metricsIn(expression)),
  'deploy/grafana/dashboard.json': (): string[] =>
    panels().flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => metricsIn(expr))),
};
