import { expect } from 'chai';
import { diskOf, type TableSize } from '../../bench/disk.ts';

describe('the disk that letters take', () => {
  const size = (bytes: number, toast = 0, indexes = 0, rows = 0, free = 0): TableSize => ({
    bytes,
    toast,
    indexes,
    rows,
    free,
  });

  it('is what the tables grew by, and what of it later rows will take, for each letter, the largest table first', () => {
    const before = new Map([['log.events', size(1_000, 0, 500, 10)]]);
    const after = new Map([
      ['log.events', size(21_000, 0, 10_500, 110)],
      ['models.letters', size(90_000, 10_000, 20_000, 10, 40_000)],
    ]);
    const { text, target } = diskOf(before, after, 10);
    const lines = text.split('\n').map((line) => line.trim().split(/ {2,}/));
    expect(lines.slice(2)).to.deep.equal([
      ['models.letters', '1.0', '9,000', '1,000', '2,000', '12,000', '4,000'],
      ['log.events', '10.0', '2,000', '0', '1,000', '3,000', '0'],
      ['all', '11,000', '1,000', '3,000', '15,000', '4,000'],
    ]);
    expect(target).to.include({ measured: '15000.0 bytes', reached: false });
  });

  it('has one row for the tables of a few bytes', () => {
    const after = new Map([
      ['a', size(900)],
      ['b', size(50)],
      ['c', size(40)],
    ]);
    const { text, target } = diskOf(new Map(), after, 10);
    expect(text).to.match(/\n {2}a +0\.0 +90 +0 +0 +90 +0\n {2}others +9 +0 +0 +9 +0\n {2}all +99/);
    expect(target.reached).to.equal(true);
  });
});
