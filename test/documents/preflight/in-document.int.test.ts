import { expect } from 'chai';
import fc from 'fast-check';

import { finalLetter } from '../../../documents/render/final-letter.ts';
import { expectedAddress } from '../../../postal/address-match.ts';
import { geometryOf } from '../../../postal/geometry.ts';
import type { Finding } from '../../../postal/preflight-findings.ts';
import type { Address } from '../../../postal/types.ts';
import {
  americanSheet,
  black,
  body,
  type Doc,
  drawPdf,
  frenchSheet,
  germanSheet,
  type Preflight,
  pt,
  request,
  startPreflight,
  textAt,
} from './samples.ts';

const anna: Address = {
  name: 'Anna Müller',
  line1: 'Lindenstraße 5',
  city: 'Berlin',
  postalCode: '10969',
  country: 'DE',
};
const lines = [anna.name, anna.line1, `${anna.postalCode} ${anna.city}`];

/** Sets lines 5 mm apart. */
const setLines = (doc: Doc, texts: string[], x: number, y: number, sizePt = 10): void =>
  texts.forEach((text, row) => void textAt(doc, text, x, y + 5 * row, sizePt));

const withAddress =
  (texts = lines, x = 26, y = 64) =>
  (doc: Doc): void => {
    textAt(doc, 'M. Absender · Weg 1 · 80331 München', 26, 58, 7);
    setLines(doc, texts, x, y);
    body(doc);
  };

describe('an address that stands in the document', () => {
  let preflight: Preflight;
  before(() => {
    preflight = startPreflight();
  });
  after(() => preflight.close());

  const check = (pdf: Buffer, to: Address = anna, more = {}) =>
    preflight.check(pdf, request({ inDocument: { expected: expectedAddress(to, to) }, ...more }));
  const errorsOf = async (pdf: Buffer, to?: Address, more = {}): Promise<Finding[]> =>
    (await check(pdf, to, more)).findings.filter(({ severity }) => severity === 'error');

  it('is taken where it is that of the request', async () => {
    expect(await errorsOf(await drawPdf(withAddress()))).to.deep.equal([]);
  });

  it('is refused where it is another, and the finding says what stands there and what should', async () => {
    const pdf = await drawPdf(withAddress());
    const [finding, ...more] = await errorsOf(pdf, { ...anna, name: 'Erika Muster', city: 'Köln' });
    expect(more).to.deep.equal([]);
    expect(finding).to.include({ code: 'address_mismatch', page: 1, zone: 'address_field' });
    expect(finding?.hint)
      .to.include('Anna Müller / Lindenstraße 5 / 10969 Berlin')
      .and.include('name "Erika Muster", city "Köln"');
  });

  it('is refused where it stands beside the window, is cut by it, or is a picture', async () => {
    for (const draw of [
      withAddress(lines, 120),
      withAddress(lines, 26, 20),
      withAddress(lines, 15),
      (doc: Doc) => void black(doc, { x: 30, y: 65, width: 40, height: 12 }),
    ]) {
      const codes = (await errorsOf(await drawPdf(draw))).map(({ code }) => code);
      expect(codes).to.include('address_mismatch');
    }
  });

  it('leaves the place of the label of a registered letter free, and the finding says how', async () => {
    for (const service of ['de_einschreiben', 'de_einschreiben_einwurf'] as const) {
      const sheet = geometryOf('DE', service);
      const registered = { sheet, inDocument: { expected: expectedAddress(anna, anna) } };
      const at = (y: number) =>
        drawPdf((doc) => {
          textAt(doc, 'M. Absender · Weg 1 · 80331 München', 26, 50, 7);
          setLines(doc, lines, 26, y);
          body(doc);
        });
      const [finding, ...more] = await errorsOf(await at(64), anna, registered);
      expect(more).to.deep.equal([]);
      expect(finding).to.include({ code: 'ink_in_no_print_zone', zone: 'registered_label' });
      expect(finding?.hint).to.include('down').and.include('"insert_page"');
      expect(await errorsOf(await at(70), anna, registered)).to.deep.equal([]);
      const fixed = await check(await at(64), anna, { ...registered, autoFix: true });
      expect(fixed.fixed).to.equal(undefined);
      const paged = { sheet, inDocument: undefined, insertPage: true, autoFix: true };
      expect((await check(await at(64), anna, paged)).fixed?.coverPage).to.equal(true);
    }
  });

  it('is not moved, so that findings about its page name no fix that moves it', async () => {
    const intoEdge = await drawPdf((doc) => {
      withAddress()(doc);
      black(doc, { x: 1, y: 150, width: 8, height: 8 });
    });
    const letterSized = await drawPdf(withAddress(), { size: [215.9, 279.4] });
    for (const pdf of [intoEdge, letterSized]) {
      for (const { hint } of await errorsOf(pdf))
        expect(hint).to.include('"insert_page" and auto_fix');
      expect((await check(pdf, anna, { autoFix: true })).fixed).to.equal(undefined);
      const paged = { inDocument: undefined, insertPage: true, autoFix: true };
      expect((await check(pdf, anna, paged)).fixed?.coverPage).to.equal(true);
    }
  });

  it('must be seen: white and tiny text is none', async () => {
    const white = await drawPdf((doc) => withAddress()(doc.fillColor('#ffffff')));
    expect((await errorsOf(white)).map(({ code }) => code)).to.include(
      'invisible_text_in_control_zone',
    );
    const tiny = await drawPdf((doc) => setLines(doc, lines, 26, 64, 2));
    expect((await errorsOf(tiny)).map(({ code }) => code)).to.include('tiny_text_in_control_zone');
  });

  it('is taken on a pale pattern', async () => {
    const striped = await drawPdf((doc) => {
      for (let x = 25; x < 100; x += 1) {
        doc.rect(pt(x), pt(63), pt(0.6), pt(22)).fill('#dcdcdc');
      }
      withAddress()(doc.fillColor('#000000'));
    });
    expect(await errorsOf(striped)).to.deep.equal([]);
  });

  it('is taken where an accent is a character of its own, as TeX writes it', async () => {
    const accented = await drawPdf((doc) => {
      withAddress(['Anna Muller', ...lines.slice(1)])(doc);
      const before = doc.fontSize(10).widthOfString('Anna M') / pt(1);
      textAt(doc, '\u00a8', 26.2 + before, 64, 10);
    });
    expect(await errorsOf(accented)).to.deep.equal([]);
  });

  it('is taken where each character is a text of its own and kerned, as Chromium prints it', async () => {
    const kerned = await drawPdf((doc) => {
      const widthOf = (text: string): number => doc.fontSize(10).widthOfString(text) / pt(1);
      for (const [row, line] of ['Anna Müller', 'Lindenstr. 5', '10969 Berlin'].entries()) {
        for (const [at, character] of [...line].entries()) {
          const x = 26 + widthOf(line.slice(0, at + 1)) - widthOf(character);
          if (character !== ' ') textAt(doc, character, x, 64 + 5 * row, 10);
        }
      }
      body(doc);
    });
    expect(await errorsOf(kerned)).to.deep.equal([]);
  });

  /** Another address as shapes, as a scan or an export with outlines has it. */
  const asShapes = (doc: Doc): void => {
    for (let row = 0; row < 3; row++) {
      for (let x = 26; x < 55; x += 1.2) {
        black(doc, { x, y: 64.5 + 5 * row, width: 0.6, height: 3 });
      }
    }
  };
  const unpainted = (doc: Doc): void => {
    doc.addContent('3 Tr');
    setLines(doc, lines, 26, 64);
    doc.addContent('0 Tr');
  };
  const over = { x: 24, y: 60, width: 70, height: 22 };
  const unreadable: Record<string, (doc: Doc) => void> = {
    'unpainted on a black box': (doc) => unpainted(black(doc, over)),
    'unpainted under shapes': (doc) => {
      unpainted(doc);
      asShapes(doc);
    },
    'under a black box': (doc) => {
      setLines(doc, lines, 26, 64);
      black(doc, over);
    },
    'under a white box with shapes on it': (doc) => {
      setLines(doc, lines, 26, 64);
      doc.rect(pt(24), pt(60), pt(70), pt(22)).fill('#ffffff');
      asShapes(doc.fillColor('#000000'));
    },
    'in light grey under shapes': (doc) => {
      setLines(doc.fillColor('#eeeeee'), lines, 26, 64);
      asShapes(doc);
    },
    'in black under shapes': (doc) => {
      setLines(doc, lines, 26, 64);
      asShapes(doc);
    },
    'under another text': (doc) => {
      setLines(doc, lines, 26, 64);
      doc.rect(pt(24), pt(60), pt(70), pt(22)).fill('#ffffff');
      setLines(doc.fillColor('#000000'), ['Otto Other', 'Am Anger 7', '99084 Erfurt'], 26, 65);
    },
    'under a white box that leaves slivers of it': (doc) => {
      setLines(doc, lines, 26, 64);
      for (let row = 0; row < 3; row++) {
        doc.rect(pt(24), pt(60 + 5 * row), pt(70), pt(6.6 - 0.2 * row)).fill('#ffffff');
      }
    },
  };
  for (const [how, draw] of Object.entries(unreadable)) {
    it(`must be readable on paper, and is refused ${how}`, async () => {
      const pdf = await drawPdf((doc) => {
        draw(doc);
        body(doc.fillColor('#000000'));
      });
      const codes = (await errorsOf(pdf)).map(({ code }) => code);
      expect(codes).to.satisfy((found: string[]) =>
        found.some((code) => /^(address_mismatch|invisible_text_in_control_zone)$/.test(code)),
      );
    });
  }

  const readable: Record<string, (doc: Doc) => void> = {
    'in grey': (doc) => setLines(doc.fillColor('#999999'), lines, 26, 64),
    'in white on blue': (doc) => {
      doc.rect(pt(24), pt(60), pt(70), pt(22)).fill('#204080');
      setLines(doc.fillColor('#ffffff'), lines, 26, 64);
    },
    'on a tinted field': (doc) => {
      doc.rect(pt(24), pt(60), pt(70), pt(22)).fill('#dde6f0');
      setLines(doc.fillColor('#000000'), lines, 26, 64);
    },
    underlined: (doc) => {
      setLines(doc, lines, 26, 64);
      for (let row = 0; row < 3; row++)
        black(doc, { x: 26, y: 68 + 5 * row, width: 40, height: 0.3 });
    },
    'in small type': (doc) => setLines(doc, lines, 26, 64, 6),
    'in large type': (doc) => setLines(doc, lines, 26, 64, 13),
    'with the narrow blanks of a condensed font': (doc) =>
      lines.forEach((line, row) => {
        doc.fontSize(10).text(line, pt(26), pt(64 + 5 * row), { wordSpacing: -1.2 });
      }),
    'drawn twice, to be bold': (doc) => {
      setLines(doc, lines, 26, 64);
      setLines(doc, lines, 26.05, 64);
    },
  };
  for (const [how, draw] of Object.entries(readable)) {
    it(`is read ${how}`, async () => {
      const pdf = await drawPdf((doc) => {
        draw(doc);
        body(doc.fillColor('#000000'));
      });
      expect(await errorsOf(pdf)).to.deep.equal([]);
    });
  }

  it('is not moved, covered or put on another page by auto_fix', async () => {
    const pdf = await drawPdf((doc) => {
      withAddress()(doc);
      black(doc, { x: 1, y: 200, width: 20, height: 20 });
    });
    const result = await check(pdf, anna, { autoFix: true });
    expect(result).not.to.have.property('fixed');
    const second = await drawPdf((doc) => {
      withAddress()(doc);
      black(doc.addPage(), { x: 1, y: 200, width: 20, height: 20 });
    });
    const { fixed } = await check(second, anna, { autoFix: true });
    expect(fixed?.changes).to.deep.equal(['page 2: moved 4.0 mm right']);
    expect(await errorsOf(fixed?.pdf ?? Buffer.alloc(0))).to.deep.equal([]);
  });

  it('is printed as it came, however long it is', async () => {
    const to = ['漢字', 'M'.repeat(200)];
    const printed = await finalLetter(await drawPdf(withAddress()), {
      from: to,
      to,
      date: '漢',
      createdAt: new Date(0),
      sheet: germanSheet,
      coverPage: false,
      addressInDocument: true,
      watermark: 'TEST',
    });
    const { findings } = await preflight.check(printed, request());
    expect(findings.map(({ code }) => code)).to.include('ink_in_address_window');
  });

  it('is not judged before it is known', async () => {
    const pdf = await drawPdf(withAddress());
    const { findings } = await preflight.check(
      pdf,
      request({ inDocument: { expected: undefined } }),
    );
    expect(findings).to.deep.equal([]);
  });

  it('may stand at any place of the window of any country', async () => {
    for (const [sheet, country] of [
      [germanSheet, 'DE'],
      [frenchSheet, 'FR'],
      [americanSheet, 'US'],
    ] as const) {
      const { x, y, width, height } = sheet.window;
      await fc.assert(
        fc.asyncProperty(
          fc.double({ min: 0, max: width - 45, noNaN: true }),
          fc.double({ min: 0, max: height - 17, noNaN: true }),
          async (right, down) => {
            const size: [number, number] = [sheet.page.width, sheet.page.height];
            const draw = (doc: Doc) => setLines(doc, lines, x + right, y + down);
            const pdf = await drawPdf(draw, { size });
            expect(await errorsOf(pdf, anna, { sheet, country })).to.deep.equal([]);
          },
        ),
        { numRuns: 8 },
      );
    }
  });
});
