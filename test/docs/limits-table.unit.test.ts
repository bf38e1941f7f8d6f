/** The table of limits in the guide. `RECORD_LIMITS=1` writes it anew. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { errorCodes } from '../../contract/errors.ts';
import { defaultLimits, limitNames, limitRow, settingOf } from '../../limits/table.ts';
import { variableNames } from '../../service/config/config.ts';
import { guide, root } from './guides.ts';

const path = 'docs/operations.md';
const [first, last] = ['<!-- limits: from limits/table.ts -->\n', '<!-- end of limits -->'];

const cellsOf = (name: (typeof limitNames)[number]): string[] => {
  const row = limitRow(name);
  const beyond = 'error' in row ? `${errorCodes[row.error].status} \`${row.error}\`` : row.instead;
  return [
    `\`${settingOf(name) ?? name}\``,
    `${row.usual} ${row.unit}`,
    ...[row.of, row.means, beyond, row.why],
  ];
};

const table = (): string =>
  [
    '| limit | number | whose | what it limits | beyond it | why |',
    '|---|---|---|---|---|---|',
    ...limitNames.map((name) => `| ${cellsOf(name).join(' | ')} |`),
  ]
    .map((line) => `${line}\n`)
    .join('');

describe('the table of limits', () => {
  it('is in the guide as the rows say it', () => {
    const text = guide(path);
    const [before = '', rest = ''] = text.split(first);
    const [listed = '', after = ''] = rest.split(last);
    if (process.env.RECORD_LIMITS === '1') {
      writeFileSync(join(root, path), `${before}${first}${table()}${last}${after}`);
      return;
    }
    expect(listed, `${path} is stale; RECORD_LIMITS=1 writes it`).to.equal(table());
  });

  it('says of every limit what happens beyond it, and why it is what it is', () => {
    for (const name of limitNames) {
      for (const cell of cellsOf(name)) expect(cell, name).to.match(/^[^|\n]+$/);
      expect(limitRow(name).why, name).to.have.length.greaterThan(10);
    }
  });

  it('has a setting for each limit that can be set, and no other', () => {
    const named = limitNames.flatMap((name) => settingOf(name) ?? []);
    expect(new Set(named).size).to.equal(named.length);
    expect(variableNames()).to.include.members(named);
    const settable = variableNames().filter((name) => name.startsWith('LIMIT_'));
    expect(named).to.include.members(settable);
    expect(Object.keys(defaultLimits)).to.deep.equal(limitNames);
  });
});
