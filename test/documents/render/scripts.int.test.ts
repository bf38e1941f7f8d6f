import { execFileSync, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import fc from 'fast-check';
import { baseMetrics, fontMetrics, loadedShaper } from '../../../documents/render/font-metrics.ts';
import { renderTextLetter } from '../../../documents/render/text-letter.ts';
import { fitSender, textWidthMm } from '../../../postal/address-block.ts';
import { shapedText } from '../../../postal/line-breaker.ts';
import { findUnprintable } from '../../../postal/printable-text.ts';
import { bodyText, countPages, layoutText } from '../../../postal/text-layout.ts';
import { requirePoppler } from '../../support/poppler.ts';
import { dinSheet } from './sheets.ts';

const openAtOnce = fileURLToPath(new URL('./open-faces-at-once.ts', import.meta.url));
const metrics = fontMetrics();
const load = (...texts: string[]) => metrics.shaping?.load(texts);
const bodyMm = dinSheet.page.width - dinSheet.margins.left - dinSheet.margins.right;

const samples = {
  Arabic:
    'السلام عليكم ورحمة الله وبركاته، هذا نص طويل بما يكفي لينكسر على سطرين (مع أقواس) و 12345.',
  Hebrew: 'כל בני האדם נולדו בני חורין ושווים בערכם ובזכויותיהם, 123, Latin.',
  Chinese:
    '人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。'.repeat(
      3,
    ),
  Japanese:
    'すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。「引用」。'.repeat(
      2,
    ),
  Korean: '모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.',
  Devanagari: 'सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है।',
  Bengali: 'সমস্ত মানুষ স্বাধীনভাবে সমান মর্যাদা এবং অধিকার নিয়ে জন্মগ্রহণ করে।',
  Tamil: 'மனிதப் பிறிவியினர் சகலரும் சுதந்திரமாகவே பிறக்கின்றனர்.',
  Thai: 'มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิต่างมีเหตุผลและมโนธรรมและควรปฏิบัติต่อกันด้วยเจตนารมณ์',
  Khmer: 'មនុស្សទាំងអស់ កើតមកមានសេរីភាព និងសមភាព ក្នុងផ្នែកសេចក្ដីថ្លៃថ្នូរ',
  Burmese: 'လူတိုင်းသည် တူညီ လွတ်လပ်သော ဂုဏ်သိက္ခာဖြင့် မွေးဖွားလာသူများ ဖြစ်သည်။',
  Georgian: 'ყველა ადამიანი იბადება თავისუფალი და თანასწორი.',
  Armenian: 'Բոլոր մարդիկ ծնվում են ազատ ու հավասար։',
  Amharic: 'የሰው ልጅ ሁሉ ሲወለድ ነጻና በክብርና በመብትም እኩልነት ያለው ነው።',
  Inuktitut: 'ᐃᓄᓕᒫᑦ ᐊᓂᖅᑎᕆᔪᓕᒫᑦ ᐃᓅᓚᐅᕐᒪᑕ ᐃᓱᒪᕐᓱᕐᖢᑎᒃ',
  Tibetan: 'འགྲོ་བ་མིའི་རིགས་རྒྱུད་ཡོངས་ལ་སྐྱེས་ཙམ་ཉིད་ནས་ཆེ་མཐོངས་དང་།',
  Tifinagh: 'ⴰⵔ ⴷ ⵜⵜⵍⴰⵍⴰⵏ ⵎⵉⴷⴷⵏ ⴳⴰⵏ ⵉⵍⴻⵍⵍⵉⵜⵏ ⵎⴳⴰⴷⴷⴰⵏ.',
  'N’Ko': 'ߡߐ߱ ߓߍ߯ ߘߊߞߊ߬ߙߊ߬ ߡߊ߲߬ߞߊߙߊ߲߫ ߠߋ߬.',
  Yi: 'ꊿꂷꃅꄿꐨꐥ，ꌅꅍꀂꏽꐯꒈꃅꐥꌐ。',
  Mongolian: 'ᠬᠦᠮᠦᠨ ᠪᠦᠷ ᠲᠥᠷᠥᠵᠦ ᠮᠡᠨᠳᠡᠯᠡᠬᠦ ᠡᠷᠬᠡ ᠴᠢᠯᠥᠭᠡ.',
  'rare Japanese names': '𠮷田さんと𠮷野さん、𠀋。',
  emoji: 'Hello 😀 👍🏽 👨‍👩‍👧 ❤️ 🇩🇪 1️⃣ ☎ → ✓',
};

const letter = {
  from: ['Bob Sender', '1 Street', 'London'],
  to: ['Anna', 'Lindenstraße 5', '10969 Berlin'],
  date: '3 March 2026',
  createdAt: new Date('2026-03-03T10:00:00Z'),
  sheet: dinSheet,
};

const glyphIds = async (text: string, rtl = false): Promise<number[]> => {
  await load(text);
  return loadedShaper()
    .shapeLine(text, rtl, baseMetrics())
    .flatMap((run) => ('clusters' in run ? run.clusters : []))
    .flatMap(({ glyphs }) => glyphs.map(({ id }) => id));
};

describe('scripts of the world', () => {
  for (const [script, sample] of Object.entries(samples)) {
    it(`breaks ${script} inside of the margins and loses none of it`, async () => {
      const text = `${sample} ${sample}\n${sample}`;
      expect(findUnprintable(text, metrics)).to.deep.equal([]);
      await load(text);
      const { pages, pageCount } = layoutText(text, dinSheet, metrics);
      expect(pageCount).to.equal(countPages(text, dinSheet, metrics));
      const lines = pages.flatMap((page) => page.lines);
      for (const line of lines) {
        const widthMm = textWidthMm(line.text, bodyText.fontSizePt, metrics);
        expect(widthMm, line.text).to.be.at.most(bodyMm + 0.1);
        expect(line.xMm).to.be.at.least(dinSheet.margins.left - 0.1);
        expect(line.xMm + widthMm).to.be.at.most(dinSheet.margins.left + bodyMm + 0.1);
      }
      const printed = lines.map((line) => line.text).join('');
      expect(printed.replaceAll(/\s/g, '')).to.equal(shapedText(text).replaceAll(/\s/g, ''));
    });
  }

  /** As a reader sees the line from left to right. */
  const drawn = async (text: string, rtl = false): Promise<string> => {
    await load(text);
    return loadedShaper()
      .shapeLine(text, rtl, baseMetrics())
      .map((run) => (run.face ? run.clusters.map((cluster) => cluster.text).join('') : run.text))
      .join('');
  };

  it('puts emoji and letters of other planes where their direction wants them', async () => {
    expect(await drawn('שלום 😀!', true)).to.equal('!😀 םולש');
    expect(await drawn('שלום 😀 12', true)).to.equal('12 😀 םולש');
    expect(await drawn('Hi 😀 you')).to.equal('Hi 😀 you');
    expect(await drawn('𞤀𞤁 a', true)).to.equal('a 𞤁𞤀');
    expect(await drawn('𠮷a')).to.equal('𠮷a');
  });

  it('keeps the parts of a sender’s line in order, each in its own direction', async () => {
    const lines = ['שלום 😀', '12 Main St', 'NEW YORK NY 10118'];
    await load(...lines);
    const [line = ''] = fitSender(lines, dinSheet, metrics)?.lines ?? [];
    expect(metrics.shaping?.runsRightToLeft(line)).to.equal(false);
    expect(await drawn(line)).to.equal('😀 םולש · 12 Main St · NEW YORK NY 10118');
    const plain = fitSender(['Bob', '12 Main St'], dinSheet, metrics)?.lines ?? [];
    expect(plain).to.deep.equal(['Bob · 12 Main St']);
  });

  it('breaks Chinese and Thai, which have no spaces, near the end of the line', async () => {
    for (const text of [samples.Chinese, samples.Thai]) {
      await load(text);
      const [first] = layoutText(text, dinSheet, metrics).pages[0]?.lines ?? [];
      expect(textWidthMm(first?.text ?? '', bodyText.fontSizePt, metrics)).to.be.above(
        bodyMm * 0.85,
      );
    }
  });

  it('never begins a line with a mark that closes', async () => {
    await load(samples.Chinese, samples.Japanese);
    const text = `${samples.Chinese}\n${samples.Japanese}`;
    for (const indent of ['', '字', '字字', '字字字']) {
      const { pages } = layoutText(indent + text, dinSheet, metrics);
      for (const line of pages.flatMap((page) => page.lines)) {
        expect(line.text).to.not.match(/^[、。，」]/);
      }
    }
  });

  it('aligns columns between tabs in other scripts, from the right where they run from there', async () => {
    const text = '書籍\t2\t€ 5\nBook 😀\t10\t€ 12\n\nספר\t2\nשלום\t10';
    await load(text);
    const lines = layoutText(text, dinSheet, metrics).pages[0]?.lines ?? [];
    const stopMm = textWidthMm('00000000', bodyText.fontSizePt, metrics);
    const right = dinSheet.page.width - dinSheet.margins.right;
    const stops = lines.map(({ text: part, xMm, rtl }) => {
      const widthMm = textWidthMm(part, bodyText.fontSizePt, metrics);
      const fromStart = rtl ? right - xMm - widthMm : xMm - dinSheet.margins.left;
      return [part, Math.abs(Math.round((fromStart / stopMm) * 1000) / 1000)];
    });
    expect(stops).to.deep.equal([
      ['書籍', 0],
      ['2', 1],
      ['€ 5', 2],
      ['Book 😀', 0],
      ['10', 1],
      ['€ 12', 2],
      ['ספר', 0],
      ['2', 1],
      ['שלום', 0],
      ['10', 1],
    ]);
  });

  it('joins Arabic letters and makes conjuncts of Devanagari', async () => {
    const [alone] = await glyphIds('ع', true);
    expect(await glyphIds('ععع', true))
      .to.have.length(3)
      .and.not.include(alone);
    const apart = [...(await glyphIds('क')), ...(await glyphIds('ष'))];
    expect(await glyphIds('क्ष')).to.not.include.members(apart);
  });

  it('sets from right to left, numbers and foreign words from left to right', async () => {
    const text = 'שלום 123 abc';
    await load(text);
    const runs = loadedShaper().shapeLine(text, true, baseMetrics());
    const shown = runs.map((run) =>
      run.face === undefined ? run.text : run.clusters.map((cluster) => cluster.text).join(''),
    );
    expect(shown.join('').replaceAll(/ +/g, ' ')).to.equal('abc 123 םולש');
    const [line] = layoutText(text, dinSheet, metrics).pages[0]?.lines ?? [];
    expect(line).to.include({ rtl: true });
  });

  it('makes the same bytes of the same letter, and one emoji of a joined sequence', async () => {
    const content = Object.values(samples).join('\n\n');
    const [first, second] = [
      await renderTextLetter({ ...letter, content }),
      await renderTextLetter({ ...letter, content }),
    ];
    expect(first.equals(second)).to.equal(true);
    expect(await glyphIds('👨‍👩‍👧')).to.have.length(1);
  });

  it('sets each paragraph in the direction of its own first letter, and looks for that once', async () => {
    const { shaping } = metrics;
    if (!shaping) throw new Error('no shaping');
    let asked = 0;
    const counting = {
      ...metrics,
      shaping: {
        ...shaping,
        runsRightToLeft(paragraph: string) {
          asked++;
          return shaping.runsRightToLeft(paragraph);
        },
      },
    };
    const paragraphs = ['שלום עולם '.repeat(60), 'hello '.repeat(90), 'a', 'שלום', 'x שלום'];
    const content = paragraphs.join('\n');
    await load(content);
    const lines = layoutText(content, dinSheet, counting).pages.flatMap((page) => page.lines);
    expect(lines.length).to.be.greaterThan(paragraphs.length + 5);
    for (const { text, rtl } of lines) expect(rtl, text).to.equal(/^[שע]/.test(text));
    expect(asked).to.equal(paragraphs.length);
  });

  it('counts the pages that it prints, whatever scripts are mixed', async () => {
    await load(...Object.values(samples));
    const pieces = fc.constantFrom(...Object.values(samples), 'plain text ', '\n', '\n\n', ' ');
    await fc.assert(
      fc.asyncProperty(fc.array(pieces, { maxLength: 40 }), async (parts) => {
        const content = `x${parts.join('')}`;
        const { pageCount } = layoutText(content, dinSheet, metrics);
        expect(pageCount).to.equal(countPages(content, dinSheet, metrics));
      }),
      { numRuns: 30 },
    );
  });

  it('counts a paragraph as long as a text may be in seconds, not in minutes', async function () {
    this.timeout(180_000);
    for (const character of ['平', 'ก']) {
      const text = character.repeat(166_000);
      await load(text);
      expect(countPages(text, dinSheet, metrics)).to.be.greaterThan(20);
    }
  });

  it('opens faces at once as one by one, while the decoder is still starting', () => {
    // A process of its own: only in a new one does the decoder start.
    const run = spawnSync(process.execPath, [openAtOnce], { encoding: 'utf8' });
    expect(run.stderr).to.equal('');
    expect(JSON.parse(run.stdout)).to.deep.equal([]);
  });

  it('prints names of other scripts in the window, readable for poppler', async function () {
    requirePoppler(this);
    const to = ['李小龍 & 김민준', 'שרה כהן', 'Lindenstraße 5', '10969 Berlin'];
    const pdf = await renderTextLetter({ ...letter, to, content: samples.Japanese });
    const text = execFileSync('pdftotext', ['-layout', '-', '-'], { input: pdf }).toString('utf8');
    for (const part of ['李小龍 & 김민준', 'שרה כהן', 'すべての人間は']) {
      expect(text).to.include(part);
    }
  });
});
