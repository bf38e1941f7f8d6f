/** The rows that a query of ours reads, by the plan that PostgreSQL executed. */
import pg from 'pg';
import type { Db } from '../../ground/db.ts';

export type Plan = {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  'Recheck Cond'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: Plan[];
};

export const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

const literal = (value: unknown): string => {
  if (value === null || value === undefined) return 'null';
  if (value instanceof Date) return pg.escapeLiteral(value.toISOString());
  return pg.escapeLiteral(Array.isArray(value) ? `{${value}}` : String(value));
};

let asked = 0;

/** Executes each query once for its plan and once for its rows, as one that was prepared. */
export const explaining = (client: pg.Client, plans: Plan[]): Db => ({
  async query(text, values = []) {
    const name = `asked_${asked++}`;
    await client.query(`prepare ${name} as ${text}`);
    const parameters = values.length === 0 ? '' : `(${values.map(literal)})`;
    const { rows } = await client.query(
      `explain (analyze, buffers, format json) execute ${name} ${parameters}`,
    );
    plans.push(rows[0]['QUERY PLAN'][0].Plan);
    const answer = await client.query(`execute ${name} ${parameters}`);
    await client.query(`deallocate ${name}`);
    return answer as never;
  },
});

/** How many rows of a table were looked at, whether they were answered or not. */
export const rowsRead = (plans: Plan[], table: string): number =>
  plans
    .flatMap(nodesOf)
    .filter((node) => node['Relation Name'] === table)
    .map(
      (node) =>
        (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
    )
    .reduce((sum, rows) => sum + rows, 0);

/** Pages of tables and indexes that were looked at. */
export const pagesRead = (plans: Plan[]): number =>
  plans.reduce((sum, plan) => sum + plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], 0);
