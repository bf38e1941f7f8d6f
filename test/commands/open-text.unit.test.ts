import { expect } from 'chai';
import { checkText } from '../../commands/preparation/check-letter.ts';
import { createOpenText } from '../../commands/preparation/open-text.ts';
import { isAppError } from '../../contract/errors.ts';
import { fontMetrics } from '../../documents/render/font-metrics.ts';
import { defaultLimits } from '../../limits/table.ts';
import { geometryOf } from '../../postal/geometry.ts';
import { bodyText, countPages, layoutText } from '../../postal/text-layout.ts';

const metrics = fontMetrics();
const limits = defaultLimits;
const sheet = geometryOf('DE', 'de_standardbrief');
const caller = { account: 'acct_1', address: '192.0.2.1' };

describe('a text without a visible character', () => {
  it('is refused, whatever it consists of', () => {
    for (const content of ['', ' \n', '\u200b\u200b', '\u00ad', '\u2060\ufeff', '\u200e \u200f']) {
      let error: unknown;
      try {
        checkText(content, metrics, limits);
      } catch (thrown) {
        error = thrown;
      }
      expect(isAppError(error) && error.code, JSON.stringify(content)).to.equal(
        'content_not_printable',
      );
    }
    expect(checkText('\u200b.', metrics, limits)).to.include('.');
  });
});

describe('a text that is set for its page count', () => {
  const opened = (content: string, given = metrics) => {
    const elsewhere: number[] = [];
    const open = createOpenText({
      metrics: given,
      limits,
      async setLongText(text, on, by) {
        expect(by).to.deep.equal(caller);
        elsewhere.push(text.length);
        const checked = checkText(text, metrics, limits);
        await metrics.shaping?.load([checked]);
        return { text: checked, pages: countPages(checked, on, metrics) };
      },
    });
    return { elsewhere, opened: open(content, 'DE', caller) };
  };

  it('is set at once where that takes a few milliseconds', async () => {
    await metrics.shaping?.load(['안녕']);
    for (const content of [
      'A letter.',
      'Sehr geehrte Damen. '.repeat(2_000),
      '안녕 '.repeat(200),
    ]) {
      const { elsewhere, opened: opening } = opened(content);
      const { count } = await opening;
      expect(await count('de_standardbrief', undefined)).to.be.at.least(1);
      expect(elsewhere).to.deep.equal([]);
    }
  });

  it('is set in a thread where others would notice, once for all services that share a body', async () => {
    for (const content of ['မြန်မာဘာသာစကား '.repeat(200), 'Long. '.repeat(20_000)]) {
      const { elsewhere, opened: opening } = opened(content);
      const { text, count } = await opening;
      expect(text).to.equal(checkText(content, metrics, limits));
      expect(await count('de_standardbrief', undefined)).to.equal(countPages(text, sheet, metrics));
      await count('de_einschreiben', undefined);
      expect(elsewhere).to.deep.equal([content.length]);
    }
  });

  it('is set in a thread while its faces are not open, and at once from then on', async () => {
    const { shaping } = metrics;
    if (!shaping) throw new Error('texts are shaped');
    const loaded = new Set<string>();
    const given: typeof metrics = {
      ...metrics,
      shaping: {
        ...shaping,
        isLoaded: (text) => loaded.has(text),
        async load(texts) {
          for (const text of texts) loaded.add(text);
          await shaping.load(texts);
        },
      },
    };
    const content = 'שלום עולם';
    const first = opened(content, given);
    expect(await (await first.opened).count('de_standardbrief', undefined)).to.equal(1);
    expect(first.elsewhere).to.deep.equal([content.length]);
    const second = opened(content, given);
    expect(await (await second.opened).count('de_standardbrief', undefined)).to.equal(1);
    expect(second.elsewhere).to.deep.equal([]);
  });

  it('is refused at once where it is too large, whatever it is written in', async () => {
    const { elsewhere, opened: opening } = opened('မ'.repeat(limits.contentBytes));
    const error = await opening.catch((cause: unknown) => cause);
    expect(isAppError(error) && error.code).to.equal('body_too_large');
    expect(elsewhere).to.deep.equal([]);
  });

  it('is counted up to one page more than the limit, and shaped no further', async () => {
    const paragraph = `${'नमस्ते क्षत्रिय '.repeat(60)}\n\n`;
    const text = paragraph.repeat(100);
    await metrics.shaping?.load([text]);
    let shaped = 0;
    const { shaping } = metrics;
    if (!shaping) throw new Error('the metrics shape nothing');
    const watched = {
      ...metrics,
      shaping: {
        ...shaping,
        advances(line: string) {
          shaped += line.length;
          return shaping.advances(line);
        },
      },
    };
    const all = countPages(text, sheet, watched);
    const shapedForAll = shaped;
    expect(all)
      .to.be.above(12)
      .and.equal(layoutText(text, sheet, metrics).pageCount);
    shaped = 0;
    expect(countPages(text, sheet, watched, { ...bodyText, pagesMax: 3 })).to.equal(4);
    expect(shaped).to.be.below(shapedForAll / 2);
    for (const pagesMax of [all - 1, all, all + 1]) {
      const counted = countPages(text, sheet, metrics, { ...bodyText, pagesMax });
      expect(counted).to.equal(Math.min(all, pagesMax + 1));
    }
  });

  it('is counted up to the limit also in one paragraph, and in many blank lines', () => {
    for (const text of ['word '.repeat(60_000), `a${'\n'.repeat(9_000)}b`, 'x\n\n'.repeat(9_000)]) {
      const all = countPages(text, sheet, metrics);
      for (const pagesMax of [1, 2, all - 1, all, all + 1]) {
        const counted = countPages(text, sheet, metrics, { ...bodyText, pagesMax });
        expect(counted).to.equal(Math.min(all, pagesMax + 1));
      }
    }
  });
});
