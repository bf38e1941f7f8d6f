import { expect } from 'chai';
import fc from 'fast-check';
import { markupWarnings, sniffContentType } from '../../commands/preparation/content-type.ts';
import { cpuMs, leastOf } from '../support/least-of.ts';

const html = [
  '<x-foo>Hallo</x-foo>',
  '<section>Hallo</section>',
  '<br>Hallo',
  '<br/>Hallo',
  '<BR />Hallo',
  '<b>Hallo</b>',
  '<center>Hallo',
  '<svg:rect width="1"/>',
  '<my_tag.v2 a=1>x</my_tag.v2>',
  '<p\nclass="a > b">Hallo</p>',
  '</p>Hallo',
  '<!-- a comment -->Hallo',
  '<!--unclosed',
  '<!DOCTYPE html><p>Hallo',
  '<!doctype html>\nHallo',
  '<?xml version="1.0"?><html></html>',
  '<![CDATA[x]]>',
  '\uFEFF<p>Hallo</p>',
  ' \n\t<p>Hallo</p>',
  '\u200b<p>Hallo</p>',
  '\uFEFF\r\n <!doctype html>Hallo',
  '<my-straße>Hallo</my-straße>',
  '<svg xmlns="x"><text>a</text></svg>',
];

const text = [
  'Hallo <b>Anna</b>',
  'Dear Anna,',
  '<3 Anna',
  '< p >Hallo',
  '<',
  '<>',
  '<p',
  '<p class="x"',
  '<https://example.com/a> is the page',
  '<anna@example.com> wrote:',
  '<<p>>',
  '<- see above',
  '<!',
  '1 < 2 > 0',
  '',
];

describe('what content is', () => {
  it('is HTML when it begins with any tag, a comment, a doctype or a declaration', () => {
    for (const content of html) expect(sniffContentType(content), content).to.equal('html');
  });

  it('is text when it begins with anything else, an address in angle brackets among it', () => {
    for (const content of text) expect(sniffContentType(content), content).to.equal('text');
  });

  it('is HTML under every tag name that HTML or a custom element can have', () => {
    const name = fc.stringMatching(/^[A-Za-z][A-Za-z0-9._-]{0,20}$/);
    const rest = fc.constantFrom('>', '/>', ' />', ' id="x">', '\n>');
    fc.assert(
      fc.property(name, rest, fc.string(), (tag, end, after) => {
        expect(sniffContentType(`<${tag}${end}${after}`)).to.equal('html');
      }),
    );
  });

  it('takes no time for content that is made to cost some', async () => {
    const read = (): void => {
      for (const content of [
        '<a '.repeat(160_000),
        ' '.repeat(500_000),
        `&${'a'.repeat(500_000)}`,
      ]) {
        sniffContentType(content);
        markupWarnings(content);
      }
    };
    expect(await leastOf(500, () => cpuMs(read))).to.be.below(500);
  });
});

describe('text that holds markup', () => {
  const about = (content: string) => markupWarnings(content).map(({ detail }) => detail);

  it('is said to be printed as it stands, with what was found first', () => {
    const [warning, ...more] = markupWarnings('Hallo <b>Anna</b>');
    expect(more).to.deep.equal([]);
    expect(warning).to.include({ pointer: '/content', code: 'markup_in_text' });
    expect(warning?.detail).to.contain('<b>').and.contain('content_type');
  });

  it('is found as tag, end tag, comment, doctype and entity', () => {
    for (const [content, found] of [
      ['x </p>', '</p>'],
      ['x <!-- y --> z', '<!--'],
      ['x <!DOCTYPE html>', '<!DOCTYPE'],
      ['AT&amp;T', '&amp;'],
      ['a&nbsp;b', '&nbsp;'],
      ['a&#39;b', '&#39;'],
      ['a&#x27;b', '&#x27;'],
      ['x <a href="https://example.com/?a=b">', '<a>'],
    ] as const) {
      expect(about(content).join(), content).to.contain(found);
    }
  });

  it('is a file that was sent as text too', () => {
    const pdf = Buffer.from('%PDF-1.7\n%âãÏÓ\n1 0 obj').toString('base64');
    const docx = Buffer.from('PK\u0003\u0004'.padEnd(60, 'word/document.xml')).toString('base64');
    for (const content of [
      pdf,
      `data:application/pdf;base64,${pdf}`,
      docx,
      '{\\rtf1\\ansi Hallo}',
    ]) {
      const [warning, ...more] = markupWarnings(content);
      expect(more, content).to.deep.equal([]);
      expect(warning, content).to.include({ pointer: '/content', code: 'markup_in_text' });
      expect(warning?.detail, content).to.contain('Send a PDF as document');
    }
    expect(markupWarnings('Anbei eine PDF-Datei, deren Daten mit JVBERi0 beginnen.')).to.deep.equal(
      [],
    );
  });

  it('is not suspected in sums, addresses and ampersands', () => {
    for (const content of [
      '1 < 2 and 3 > 2',
      'a<b',
      'Smith & Sons; Co.',
      'see <https://example.com>',
      'write to <anna@example.com>',
      'I <3 you >',
      'R&D; and more',
    ]) {
      expect(about(content), content).to.deep.equal([]);
    }
  });
});

describe('text that holds Markdown', () => {
  const codes = (content: string) => markupWarnings(content).map(({ code }) => code);

  it('is said to be printed with its signs, and what to send instead', () => {
    for (const [content, found] of [
      ['This is **very important** to us.', '**very important**'],
      ['Please pay *now*, Anna.', '*now*'],
      ['Dear Anna,\n\n## Your contract\n\nends.', '## Your contract'],
      ['# Invoice 42\n\nDear Anna', '# Invoice 42'],
      ['See [our terms](https://example.com/terms).', '[our terms](https://example.com/terms)'],
      ['This is __final__.', '__final__'],
      ['```\nx = 1\n```', '```'],
    ] as const) {
      const [warning, ...more] = markupWarnings(content);
      expect(more).to.deep.equal([]);
      expect(warning).to.include({ pointer: '/content', code: 'markdown_not_interpreted' });
      expect(warning?.detail, content)
        .to.contain(`: ${found} is`)
        .and.contain('content_type "html"');
    }
  });

  it('is not suspected in ordinary letters', () => {
    for (const content of [
      'Price* 12.50\n* plus VAT\n*see page 2',
      '5 * 3 = 15, 2*3*4 and a*b*c',
      'Card **** **** **** 1234',
      '*** Attention ***\n*****\n* * *',
      '- one\n- two\n* three\n1. four',
      'Signature: ____________ Date: ________',
      'file_name_with_parts and __ __',
      '# 4711 of your order\n#42\n# of items: 5',
      'Enclosed [1] (see page 2), [2](3) and [sic](!)',
      'Sehr geehrte Frau Müller,\n\nanbei die Rechnung (Nr. 12/2026) über 12,50 €*.\n\n*inkl. 19 % USt.',
      'Item\tQty\tPrice\nBook\t2\t12.50',
      'a > b, 50 % & more; it cost ~20 ~ 30 `quoted`',
    ]) {
      expect(codes(content), content).to.deep.equal([]);
    }
  });

  it('takes no time to look for', async () => {
    const look = (): void => {
      for (const part of ['[', '[a](', '**a ', '*a', '__a ', '# ', '##', '```', '[a](b:']) {
        markupWarnings(part.repeat(500_000 / part.length));
        markupWarnings(`${part}${'a '.repeat(250_000)}`);
      }
    };
    expect(await leastOf(1_500, () => cpuMs(look))).to.be.below(1_500);
  });
});
