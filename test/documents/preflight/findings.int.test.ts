import { degrees, PDFDocument, PDFName, PDFObjectParser } from '@cantoo/pdf-lib';
import { expect } from 'chai';

import type { Finding } from '../../../postal/preflight-findings.ts';
import {
  americanSheet,
  black,
  body,
  drawPdf,
  frenchSheet,
  goodLetter,
  onePage,
  type Preflight,
  pt,
  rawPdf,
  request,
  startPreflight,
  streamObject,
  textAt,
} from './samples.ts';

describe('what preflight finds in a PDF letter', () => {
  let preflight: Preflight;
  before(() => {
    preflight = startPreflight();
  });
  after(() => preflight.close());

  const findingsOf = async (pdf: Buffer, more = {}): Promise<Finding[]> =>
    (await preflight.check(pdf, request(more))).findings;
  const codesOf = async (pdf: Buffer, more = {}): Promise<string[]> =>
    (await findingsOf(pdf, more)).map(({ code }) => code);

  it('finds nothing in a letter that leaves the zones free, and counts its pages', async () => {
    const pdf = await drawPdf((doc) => body(body(doc).addPage()));
    expect(await preflight.check(pdf, request())).to.deep.equal({ pages: 2, findings: [] });
  });

  it('takes US Letter for the US', async () => {
    const pdf = await drawPdf(body, { size: [215.9, 279.4] });
    expect(await codesOf(pdf, { sheet: americanSheet, country: 'US' })).to.deep.equal([]);
  });

  it('tells an HTML page and an empty file from a PDF', async () => {
    expect(await codesOf(Buffer.from('<!doctype html><p>letter.pdf'))).to.deep.equal(['not_a_pdf']);
    expect(await codesOf(Buffer.alloc(0))).to.deep.equal(['not_a_pdf']);
  });

  it('refuses more bytes than are allowed without opening the document', async () => {
    const pdf = Buffer.concat([await goodLetter(), Buffer.alloc(10 * 1024 * 1024)]);
    const [finding] = await findingsOf(pdf);
    expect(finding).to.include({ code: 'pdf_too_large', page: null });
    expect(finding?.hint).to.contain('the limit is 10485760');
  });

  it('refuses a document that was cut off', async () => {
    const pdf = await goodLetter();
    expect(await codesOf(pdf.subarray(0, pdf.length / 2))).to.deep.equal(['pdf_damaged']);
  });

  it('takes a whole document to which zeros or text were appended', async () => {
    const pdf = await goodLetter();
    for (const appended of [
      Buffer.alloc(3_000),
      Buffer.alloc(100_000, '<p>Sent by mail</p>\r\n'),
    ]) {
      const findings = await findingsOf(Buffer.concat([pdf, appended]));
      expect(findings.filter(({ severity }) => severity === 'error')).to.deep.equal([]);
    }
  });

  it('refuses a document whose last change was cut off', async () => {
    const pdf = await goodLetter();
    const change = Buffer.from(`\n3 0 obj\n<< >>\nstream\n${'0'.repeat(3_000)}`);
    expect(await codesOf(Buffer.concat([pdf, change]))).to.deep.equal(['pdf_damaged']);
  });

  it('warns of a broken cross-reference table that could be rebuilt', async () => {
    const pdf = Buffer.from(
      (await goodLetter()).toString('latin1').replace(/startxref\n\d+/, 'startxref\n7'),
      'latin1',
    );
    const [finding] = await findingsOf(pdf);
    expect(finding).to.include({ code: 'pdf_damaged', severity: 'warning' });
  });

  it('names the page that cannot be read', async () => {
    const pdf = rawPdf([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [3 0 R 9 0 R] /Count 2 >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595.28 841.89] >>',
    ]);
    const findings = await findingsOf(pdf);
    expect(findings.filter(({ severity }) => severity === 'error')).to.have.lengthOf(1);
    expect(findings.find(({ code }) => code === 'pdf_damaged')).to.include({ page: 2 });
  });

  it('refuses documents that need a password', async () => {
    const pdf = await drawPdf(body, { userPassword: 'secret', pdfVersion: '1.7' });
    expect(await codesOf(pdf)).to.deep.equal(['pdf_encrypted']);
  });

  it('refuses documents that open without a password but are encrypted', async () => {
    const pdf = await drawPdf(body, {
      ownerPassword: 'secret',
      permissions: { printing: undefined },
    });
    expect(await codesOf(pdf)).to.deep.equal(['pdf_encrypted']);
  });

  it('refuses JavaScript wherever it hides', async () => {
    const opened = onePage({
      catalogue: '/OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >>',
    });
    const spelt = onePage({ page: '/AA << /O << /S /J#61vaScript /J#53 (1) >> >>' });
    expect(await codesOf(opened)).to.include('pdf_javascript');
    expect(await codesOf(spelt)).to.include('pdf_javascript');
  });

  it('refuses JavaScript in a compressed list of objects', async () => {
    const document = await PDFDocument.load(await goodLetter());
    document.addJavaScript('main', 'app.alert(1)');
    expect(await codesOf(Buffer.from(await document.save()))).to.include('pdf_javascript');
  });

  it('refuses attached files', async () => {
    const document = await PDFDocument.load(await goodLetter());
    await document.attach(Buffer.from('data'), 'data.txt');
    const [finding] = await findingsOf(Buffer.from(await document.save()));
    expect(finding?.code).to.equal('pdf_embedded_files');
    expect(finding?.hint).to.contain('ZUGFeRD').and.contain('print it to a new PDF');
  });

  it('refuses actions that start programs', async () => {
    const pdf = onePage({ catalogue: '/OpenAction << /S /Launch /F (calc.exe) >>' });
    expect(await codesOf(pdf)).to.deep.equal(['pdf_launch_action']);
  });

  it('refuses a document without pages', async () => {
    const pdf = rawPdf([
      '<< /Type /Catalog /Pages 2 0 R >>',
      '<< /Type /Pages /Kids [] /Count 0 >>',
    ]);
    expect(await codesOf(pdf)).to.deep.equal(['no_pages']);
  });

  it('refuses more pages than the service takes', async () => {
    const pdf = await drawPdf((doc) => body(body(doc).addPage()));
    const [finding] = await findingsOf(pdf, { maxPages: 1 });
    expect(finding).to.include({ code: 'too_many_pages', page: null });
    expect(finding?.hint).to.contain('2 pages; at most 1');
    const [behindAddress] = await findingsOf(pdf, { maxPages: 2, insertPage: true });
    expect(behindAddress?.hint).to.contain('2 pages, 3 with its address page; at most 2');
  });

  it('names the sheet that a page should have been', async () => {
    const a5 = await findingsOf(await drawPdf(body, { size: [148, 210] }));
    expect(a5.map(({ code, page }) => [code, page])).to.deep.equal([['page_size', 1]]);
    expect(a5[0]?.hint).to.contain('148 × 210 mm').and.contain('A4 upright (210 × 297 mm)');
    expect(await codesOf(await goodLetter(), { sheet: americanSheet, country: 'US' })).to.include(
      'page_size',
    );
  });

  it('allows a page size that is 2 mm off, no more', async () => {
    expect(await codesOf(await drawPdf(body, { size: [211.8, 295.2] }))).to.deep.equal([]);
    expect(await codesOf(await drawPdf(body, { size: [212.3, 297] }))).to.deep.equal(['page_size']);
  });

  it('tells landscape from upright by what is shown', async () => {
    expect(await codesOf(await drawPdf(body, { size: [297, 210] }))).to.deep.equal([
      'page_landscape',
    ]);
    const turned = await PDFDocument.load(await goodLetter());
    turned.getPage(0).setRotation(degrees(90));
    expect(await codesOf(Buffer.from(await turned.save()))).to.deep.equal(['page_landscape']);
    const upright = await PDFDocument.load(
      await drawPdf((doc) => black(doc, { x: 120, y: 60, width: 20, height: 20 }), {
        size: [297, 210],
      }),
    );
    upright.getPage(0).setRotation(degrees(270));
    expect(await codesOf(Buffer.from(await upright.save()))).to.deep.equal([]);
  });

  it('advises auto_fix for landscape pages only where it can bring them onto the sheet', async () => {
    const landscape = async (width: number, height: number): Promise<Finding | undefined> => {
      const [finding] = await findingsOf(await drawPdf(body, { size: [width, height] }));
      expect(finding?.code).to.equal('page_landscape');
      return finding;
    };
    for (const fit of [await landscape(420, 297), await landscape(210, 148)]) {
      expect(fit?.hint).to.include('auto_fix');
      expect(fit).not.to.have.property('kind');
    }
    // A photo of a telephone, one point for each pixel.
    const photo = await landscape(1411, 1058);
    expect(photo?.hint)
      .to.include('1411 × 1058 mm')
      .and.include('Export it in that size')
      .and.not.include('auto_fix');
    expect(photo?.kind).to.equal('unfit');
    const [poster] = await findingsOf(await drawPdf(body, { size: [594, 841] }));
    expect(poster).to.include({ code: 'page_size', kind: 'unfit' });
  });

  it('names the first page that has another size than page 1', async () => {
    const pdf = await drawPdf((doc) => {
      body(doc);
      body(doc.addPage({ size: [pt(210), pt(297)], margin: 0 }));
      body(doc.addPage({ size: [pt(215.9), pt(279.4)], margin: 0 }));
    });
    const mixed = (await findingsOf(pdf)).find(({ code }) => code === 'mixed_page_sizes');
    expect(mixed?.page).to.equal(3);
    expect(mixed?.hint).to.contain('or send with auto_fix: true');
  });

  it('advises auto_fix for pages of other sizes only where it can fit all of them', async () => {
    const hintOf = async (first: [number, number], second: [number, number], more = {}) => {
      const pdf = await drawPdf(
        (doc) => body(body(doc).addPage({ size: [pt(second[0]), pt(second[1])], margin: 0 })),
        { size: first },
      );
      return (await findingsOf(pdf, more)).find(({ code }) => code === 'mixed_page_sizes')?.hint;
    };
    expect(await hintOf([210, 297], [594, 841])).to.match(/Make all pages the same size\.$/);
    expect(await hintOf([594, 841], [210, 297])).to.match(/Make all pages the same size\.$/);
    const inDocument = { inDocument: { expected: undefined } };
    expect(await hintOf([215.9, 279.4], [210, 297], inDocument)).not.to.contain('auto_fix');
    expect(await hintOf([210, 297], [215.9, 279.4], inDocument)).to.contain('auto_fix');
  });

  it('names the fonts that are not embedded, with the first page that uses each', async () => {
    const pdf = await drawPdf((doc) => body(body(doc).addPage().font('Helvetica')).addPage());
    const fonts = (await findingsOf(pdf)).filter(({ code }) => code === 'font_not_embedded');
    expect(fonts.map(({ page }) => page)).to.deep.equal([2]);
    expect(fonts[0]?.hint).to.contain('Helvetica');
  });

  it('finds a font that does not say which characters it has', async () => {
    const font = (more: string) =>
      `<< /Type /Font /Subtype /TrueType /BaseFont /FooSans /FirstChar 32 /LastChar 126 /Widths [${'600 '.repeat(95)}] /Encoding /WinAnsiEncoding ${more} >>`;
    const zeros = `/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def 1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfrange <20> <7e> [${'<0000>'.repeat(95)}] endbfrange endcmap end end`;
    const pdf = onePage({
      page: '/Resources << /Font << /F 5 0 R >> >>',
      content: streamObject('', Buffer.from('BT /F 12 Tf 100 500 Td (Hello) Tj ET')),
      more: [font('/ToUnicode 6 0 R'), streamObject('', Buffer.from(zeros))],
    });
    expect(await codesOf(pdf)).to.deep.equal(['font_not_embedded']);
  });

  it('finds a font that only a form field uses', async () => {
    const document = await PDFDocument.load(await goodLetter());
    const field = document.getForm().createTextField('name');
    field.setText('Erika');
    field.addToPage(document.getPage(0), { x: 100, y: 100, width: 200, height: 20 });
    expect(await codesOf(Buffer.from(await document.save()))).to.include('font_not_embedded');
  });

  it('names the no-print zone that has ink', async () => {
    const pdf = await drawPdf((doc) => black(doc, { x: 7, y: 284, width: 4, height: 4 }));
    const [finding] = await findingsOf(pdf);
    expect(finding).to.include({ code: 'ink_in_no_print_zone', zone: 'lower_left', page: 1 });
  });

  it('keeps the address field of later pages free to use', async () => {
    const pdf = await drawPdf((doc) =>
      black(body(doc).addPage(), { x: 30, y: 60, width: 40, height: 10 }),
    );
    expect(await codesOf(pdf)).to.deep.equal([]);
  });

  it('looks for the address field on the right in France', async () => {
    const pdf = await drawPdf((doc) => black(doc, { x: 110, y: 50, width: 20, height: 5 }));
    const [finding] = await findingsOf(pdf, { sheet: frenchSheet, country: 'FR' });
    expect(finding).to.include({ code: 'ink_in_address_window', zone: 'address_field' });
  });

  it('sees ink in annotations that are printed', async () => {
    const document = await PDFDocument.load(await goodLetter());
    const field = document.getForm().createTextField('name');
    field.addToPage(document.getPage(0), {
      x: pt(30),
      y: pt(297 - 80),
      width: pt(40),
      height: pt(10),
    });
    expect(await codesOf(Buffer.from(await document.save()))).to.include('ink_in_address_window');
  });

  it('warns of filled fields and annotations that only viewers draw, and of nothing else', async () => {
    const at = `/Type /Annot /F 4 /Rect [80 300 300 320]`;
    const findings = async (annotation: string) => {
      const document = await PDFDocument.load(await drawPdf((doc) => body(body(doc).addPage())));
      const { context } = document;
      const page = document.getPage(1);
      const parsed = PDFObjectParser.forBytes(Buffer.from(annotation), context).parseObject();
      page.node.set(PDFName.of('Annots'), context.obj([context.register(parsed)]));
      return findingsOf(Buffer.from(await document.save({ updateFieldAppearances: false })));
    };
    for (const shown of [
      `<< ${at} /Subtype /Widget /FT /Tx /V (1,250.00 EUR) /DA (/Helv 12 Tf) >>`,
      `<< ${at} /Subtype /Widget /Parent << /FT /Tx /V <feff0041> >> >>`,
      `<< ${at} /Subtype /Widget /FT /Tx /V <feff${'0041'.repeat(200_000)}> >>`,
      `<< ${at} /Subtype /Widget /FT /Ch /V [(red) (blue)] >>`,
      `<< ${at} /Subtype /Widget /FT /Btn /AS /Yes /MK << /CA (4) >> >>`,
      `<< ${at} /Subtype /FreeText /Contents (paid) >>`,
      `<< ${at} /Subtype /Square /C [0 0 0] /AP << >> >>`,
      `<< ${at.replace('/F 4', '')} /Subtype /Widget /FT /Tx /V (1,250.00 EUR) >>`,
    ]) {
      const found = (await findings(shown)).map(({ code, page, severity }) => [
        code,
        page,
        severity,
      ]);
      expect(found, shown).to.deep.equal([['not_printed', 2, 'warning']]);
    }
    for (const other of [
      `<< ${at} /Subtype /Widget /FT /Tx >>`,
      `<< ${at} /Subtype /Widget /FT /Tx /V () >>`,
      `<< ${at.replace('/F 4', '/F 2')} /Subtype /Widget /FT /Tx /V (hidden) >>`,
      `<< ${at.replace('/F 4', '/F 32')} /Subtype /Widget /FT /Tx /V (nowhere) >>`,
      `<< ${at.replace('/F 4', '')} /Subtype /Widget /FT /Tx /V () >>`,
      `<< ${at} /Subtype /Widget /FT /Tx /V <feff00200020> >>`,
      `<< ${at} /Subtype /Widget /FT /Btn /V /Off >>`,
      `<< ${at} /Subtype /Widget /FT /Btn /AS /Off /V /Yes >>`,
      `<< ${at} /Subtype /Link /Border [0 0 1] >>`,
      `<< ${at} /Subtype /Popup /Contents (x) >>`,
      `<< ${at.replace('/F 4', '/F 0')} /Subtype /FreeText /Contents (on screens only) >>`,
      `<< ${at} /Subtype /Square /AS /Off /AP << /N << /On 1 0 R >> >> >>`,
    ]) {
      expect(await findings(other), other).to.deep.equal([]);
    }
  });

  it('warns of fields whose drawing lacks their text where viewers are to draw them anew', async () => {
    const findings = (field: string, drawn: string, redrawn = true) =>
      findingsOf(
        rawPdf([
          `<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [5 0 R] /NeedAppearances ${redrawn} >> >>`,
          '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
          `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595.28 841.89] /Contents 4 0 R /Annots [5 0 R] >>`,
          streamObject('', Buffer.from('100 100 50 50 re f')),
          `<< /Type /Annot /Subtype /Widget /F 4 /Rect [80 300 300 320] ${field} /AP << /N 6 0 R >> >>`,
          streamObject('/Subtype /Form /BBox [0 0 220 20]', Buffer.from(drawn)),
        ]),
      );
    const name = '/FT /Tx /V (M\\374ller \\(Jr.\\))';
    const stale: [string, string][] = [
      [name, '/Tx BMC EMC'],
      [name, '/Tx BMC BT (Schmidt) Tj ET EMC'],
      ['/FT /Tx /V <feff0041007a>', 'BT <0042> Tj ET'],
      ['/FT /Ch /V (DE)', '/Tx BMC EMC'],
    ];
    for (const [field, drawn] of stale) {
      const found = (await findings(field, drawn)).map(({ code, severity }) => [code, severity]);
      expect(found, `${field} ${drawn}`).to.deep.equal([['not_printed', 'warning']]);
      expect(await findings(field, drawn, false), drawn).to.deep.equal([]);
    }
    const current: [string, string][] = [
      [name, '/Tx BMC BT (M\\374ller) Tj 0 -12 Td [(\\(J) 20 (r.\\))] TJ ET EMC'],
      ['/FT /Tx /V <feff0031002020ac>', 'BT <31 20 80> Tj ET'],
      ['/FT /Tx /V (one two)', 'BT <002f0030> Tj <00310032> Tj <00330034> Tj ET'],
      ['/FT /Ch /V (DE)', 'BT (Germany) Tj ET'],
      ['/FT /Tx /V ( )', ''],
      ['/FT /Btn /AS /Off', ''],
    ];
    for (const [field, drawn] of current) {
      expect(await findings(field, drawn), `${field} ${drawn}`).to.deep.equal([]);
    }
  });

  it('refuses pages with marks of a redaction that was not applied', async () => {
    const marks = '<< /Type /Annot /Subtype /Redact /Rect [100 300 200 320] /QuadPoints [] >>';
    const [finding, ...others] = await findingsOf(onePage({ page: `/Annots [${marks}]` }));
    expect(others).to.deep.equal([]);
    expect(finding).to.include({ code: 'not_printed', page: 1, severity: 'error' });
    expect(finding?.hint).to.contain('Apply the redaction');
  });

  it('finds white text and covered text in a control zone, and no other flaw', async () => {
    const white = await drawPdf((doc) =>
      textAt(body(doc).fillColor('#ffffff'), 'notify tag', 30, 70),
    );
    const covered = await drawPdf((doc) => {
      textAt(body(doc), 'notify tag', 30, 70);
      doc.rect(pt(20), pt(60), pt(60), pt(25)).fill('#ffffff');
    });
    for (const pdf of [white, covered]) {
      const findings = await findingsOf(pdf);
      expect(findings.map(({ code, zone }) => [code, zone])).to.deep.equal([
        ['invisible_text_in_control_zone', 'address_field'],
      ]);
    }
  });

  it('finds text without fill and stroke in a control zone', async () => {
    const pdf = await drawPdf((doc) => {
      body(doc).addContent('3 Tr');
      textAt(doc, 'hidden', 30, 70);
    });
    expect(await codesOf(pdf)).to.deep.equal(['invisible_text_in_control_zone']);
  });

  it('leaves invisible text outside of the zones alone', async () => {
    const pdf = await drawPdf((doc) =>
      textAt(body(doc).fillColor('#ffffff'), 'searchable', 30, 200),
    );
    expect(await codesOf(pdf)).to.deep.equal([]);
  });

  it('finds tiny text in a control zone', async () => {
    const pdf = await drawPdf((doc) => textAt(body(doc), 'tiny text', 30, 70, 2));
    expect(await codesOf(pdf)).to.include('tiny_text_in_control_zone');
  });

  it('refuses a document that leaves no ink on any page', async () => {
    const white = await drawPdf((doc) =>
      body(body(doc.fillColor('#ffffff')).addPage().fillColor('#ffffff')),
    );
    const blank = await drawPdf(() => undefined);
    for (const [pdf, more] of [
      [white, {}],
      [blank, {}],
      [blank, { autoFix: true }],
      [blank, { insertPage: true }],
    ] as const) {
      const { findings, fixed } = await preflight.check(pdf, request(more));
      expect(fixed).to.equal(undefined);
      expect(findings.map(({ code, page, severity }) => [code, page, severity])).to.deep.equal([
        ['empty_page', null, 'error'],
      ]);
    }
  });

  it('warns of an empty page and does not refuse it', async () => {
    const pdf = await drawPdf((doc) => body(body(doc).addPage().addPage()));
    const findings = await findingsOf(pdf);
    expect(findings.map(({ code, page, severity }) => [code, page, severity])).to.deep.equal([
      ['empty_page', 2, 'warning'],
    ]);
  });
});
