import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { createVerdicts } from '../../../documents/preflight/verdicts.ts';
import { germanSheet } from './samples.ts';

const rules = { sheet: germanSheet, country: 'DE' as const, maxPages: 60, autoFix: false };
const pdf = createHash('sha256').update('%PDF-1.7').digest();
const anotherPdf = createHash('sha256').update('%PDF-1.6').digest();
const result = { pages: 1, findings: [] };

describe('remembered verdicts on documents', () => {
  it('are of these bytes and these rules', () => {
    const verdicts = createVerdicts();
    verdicts.set(verdicts.nameOf(pdf, rules), result, false);
    expect(verdicts.get(verdicts.nameOf(Buffer.from(pdf), { ...rules }))).to.equal(result);
    const other = verdicts.nameOf(anotherPdf, rules);
    const stricter = verdicts.nameOf(pdf, { ...rules, maxPages: 5 });
    expect([verdicts.get(other), verdicts.get(stricter)]).to.deep.equal([undefined, undefined]);
  });

  it('last ten minutes where a document took too long', () => {
    const time = { ms: 0 };
    const verdicts = createVerdicts(() => time.ms);
    const name = verdicts.nameOf(pdf, rules);
    verdicts.set(name, result, true);
    time.ms = 599_000;
    expect(verdicts.get(name)).to.equal(result);
    time.ms = 600_000;
    expect(verdicts.get(name)).to.equal(undefined);
  });

  it('are removed from memory after a quarter of an hour at most, with the documents in them', () => {
    for (const failed of [true, false]) {
      const due: { work: () => void; ms: number }[] = [];
      const verdicts = createVerdicts(
        () => 0,
        (work, ms) => void due.push({ work, ms }),
      );
      const name = verdicts.nameOf(pdf, rules);
      verdicts.set(name, result, failed);
      verdicts.set(name, { ...result, pages: 2 }, failed);
      expect(due.map(({ ms }) => ms <= 900_000)).to.deep.equal([true, true]);
      due[0]?.work();
      expect(verdicts.get(name)?.pages, 'another verdict came since').to.equal(2);
      due[1]?.work();
      expect(verdicts.get(name)).to.equal(undefined);
    }
  });

  it('have names that show nothing of an address', () => {
    const expected = { lines: ['Xaverine Pforte'] } as never;
    const name = createVerdicts().nameOf(pdf, { ...rules, inDocument: { expected } });
    expect(name).to.match(/^[\w-]{43}$/);
  });

  it('take no more memory than they may', async () => {
    const verdicts = createVerdicts();
    const fixed = { pdf: Buffer.alloc(10_000_000), pages: 1, changes: [], coverPage: false };
    for (const name of ['a', 'b', 'c', 'd']) verdicts.set(name, { ...result, fixed }, false);
    expect(verdicts.get('a')).to.equal(undefined);
    expect(verdicts.get('d')?.fixed?.pdf.byteLength).to.equal(10_000_000);
  });
});
