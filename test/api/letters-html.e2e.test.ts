import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { PNG } from 'pngjs';
import type { Finding } from '../../postal/preflight-findings.ts';
import {
  expectProblem,
  type Letter,
  letterTo,
  type PageOf,
  recipientIn,
  useService,
} from '../support/client.ts';
import { blobFiles, printedLetter, textOf } from '../support/printed-letters.ts';

type Quoted = {
  quote_id: string;
  pages: number;
  total: number;
  warnings: { pointer: string; code: string; detail: string }[];
  findings: Finding[];
};

const paragraphs = (count: number): string =>
  Array.from({ length: count }, (_, n) => `<p>Absatz ${n}: Größe, naïve, 5 €.</p>`).join('');

const dotOf = (width: number, height: number): string => {
  const image = new PNG({ width, height });
  image.data.fill(90);
  return `data:image/png;base64,${PNG.sync.write(image).toString('base64')}`;
};

describe('HTML letters over HTTP', function () {
  this.timeout(180_000);
  const api = useService();
  type Client = Awaited<ReturnType<typeof api.register>>;
  let client: Client;
  beforeEach(async () => {
    client = await api.register();
  });
  const printed = async (letterId: string) => {
    await client.advance(letterId);
    return printedLetter(api.service().dataDir, letterId);
  };

  it('are priced and printed with the same pages, our address on the first', async () => {
    const html = `<h1>Mahnung</h1>${paragraphs(80)}`;
    const sent = await client.send({ content: html });
    expect(sent.pages).to.be.within(3, 6);
    expect(sent.sheets).to.equal(Math.ceil(sent.pages / 2));
    const priced = await client.post<Quoted>('/api/quote', {
      to_country: 'DE',
      intent: 'transactional',
      pages: sent.pages,
    });
    expect(sent.price.total).to.equal(priced.body.total);
    const { pdf, pages, ticket } = await printed(sent.letter_id);
    expect([pages, ticket.pages]).to.deep.equal([sent.pages, sent.pages]);
    expect(textOf(pdf, 1)).to.contain('Anna Müller').and.contain('Mahnung').and.contain('5 €');
    expect(textOf(pdf, pages)).to.contain('Absatz 79');
    const letter = await client.letter(sent.letter_id);
    expect(letter.content).to.equal(html);
    expect(letter.documents[0]).to.include({
      format: 'html',
      pages: sent.pages,
      cover_page: false,
      address_placement: null,
    });
  });

  it('are known by any first tag, a comment or a doctype; the answers say what content was taken for', async () => {
    for (const start of [
      '<section>',
      '<x-foo>',
      '<br>',
      '<!-- x -->',
      '<!DOCTYPE html>',
      '\uFEFF<b>',
    ]) {
      const body = letterTo('DE', { content: `${start}Guten Tag` });
      const quoted = await client.post<Quoted>('/api/quote', body);
      expect(quoted.body, start).to.include({ content_type: 'html' });
      expect(await client.send(body), start).to.include({ content_type: 'html' });
    }
    const sent = await client.send({ content: '<section>Guten Tag</section>' });
    const { pdf } = await printed(sent.letter_id);
    expect(textOf(pdf, 1)).to.contain('Guten Tag').and.not.contain('section');
    expect(await client.letter(sent.letter_id)).to.include({ content_type: 'html' });
  });

  it('are what content_type says, whatever they begin with', async () => {
    const content = 'Guten Tag, <b>Anna</b>';
    const html = await client.send({ content, content_type: 'html' });
    expect(html).to.include({ content_type: 'html' });
    const codes = ({ warnings }: { warnings: { code: string }[] }) => warnings.map((w) => w.code);
    expect(codes(html)).not.to.include('markup_in_text');
    expect(textOf((await printed(html.letter_id)).pdf, 1)).to.contain('Guten Tag, Anna');
    const text = await client.send({ content: `<p>${content}`, content_type: 'text', draft: true });
    expect(text).to.include({ content_type: 'text' });
    expect(codes(text)).to.include('markup_in_text');
    const sent = await client.post<Letter>('/api/send', { letter_id: text.letter_id });
    expect(codes(sent.body)).to.include('markup_in_text');
    expect(textOf((await printed(text.letter_id)).pdf, 1)).to.contain('<p>Guten Tag, <b>');
    const quoted = await client.post<Quoted>('/api/quote', { to_country: 'DE', content });
    expect(quoted.body).to.include({ content_type: 'text' });
    expect(codes(quoted.body)).to.include('markup_in_text');
  });

  it('have no content_type where there is no content, or one that is not known', async () => {
    for (const body of [
      { to_country: 'DE', pages: 1, content_type: 'text' },
      { to_country: 'DE', document_url: 'https://example.com/a.pdf', content_type: 'html' },
      { to_country: 'DE', content: 'x', content_type: 'text/html' },
    ]) {
      const answer = await client.post('/api/quote', body);
      expectProblem(answer, 422, 'validation_failed', '/content_type');
    }
    const { body } = await client.post('/api/quote', { to_country: 'DE', pages: 1 });
    expect(body).to.include({ content_type: null });
  });

  it('lose their scripts, and the answer says so', async () => {
    const html = '<p onclick="x()">Guten Tag</p><script>document.write("böse")</script>';
    const sent = await client.send({ content: html });
    const removed = sent.warnings.filter(({ code }) => code === 'html_removed');
    expect(removed.map(({ detail }) => detail).join('\n'))
      .to.contain('script')
      .and.contain('onclick');
    const { pdf } = await printed(sent.letter_id);
    expect(textOf(pdf, 1)).to.contain('Guten Tag').and.not.contain('böse');
  });

  it('are quoted as they are sent', async () => {
    const body = letterTo('FR', { content: paragraphs(60) });
    const quoted = await client.post<Quoted>('/api/quote', body);
    expect(quoted.status, quoted.text).to.equal(200);
    expect(quoted.body.findings).to.deep.equal([]);
    const sent = await client.post<Letter>('/api/send', {
      ...body,
      quote_id: quoted.body.quote_id,
    });
    expect(sent.status, sent.text).to.equal(201);
    expect(sent.body.pages).to.equal(quoted.body.pages);
    expect(sent.body.price.total).to.equal(quoted.body.total);
    const bare = {
      to_country: 'FR',
      content: '<p>x</p><iframe src="https://example.com"></iframe>',
    };
    const { body: without } = await client.post<Quoted>('/api/quote', bare);
    expect(without.pages).to.equal(1);
    expect(without.warnings.map(({ code }) => code)).to.include('html_removed');
  });

  it('that show nothing, or what we cannot print, are refused and cost nothing', async () => {
    const hostile = [
      '<p></p>',
      '<p>𓀀</p>',
      '<p><img src="data:image/png;base64,AAAA"></p>',
      '<html><head><script>document.write("x")</script></head></html>',
    ];
    for (const content of hostile) {
      const answer = await client.post('/api/send', letterTo('DE', { content }));
      expectProblem(answer, 422, 'content_not_printable');
    }
    const long = letterTo('DE', { content: '<p style="break-after:page">x</p>'.repeat(100) });
    expectProblem(await client.post('/api/send', long), 422, 'too_many_pages');
    expect((await client.balance()).available).to.equal(100);
    expect((await client.get<PageOf<Letter>>('/api/letters')).body.data).to.deep.equal([]);
  });

  const overflowing = {
    right: '<table class="wide"><tr><td><div style="width:250mm">x</div></td></tr></table>',
    bottom: '<div style="height:400mm;overflow:hidden">x</div>',
    left: '<p>x</p><p id="gone" style="margin-left:-60mm">nach links</p>',
    top: '<p style="margin-top:-50mm">nach oben</p><p>x</p>',
  };

  it('that would be cut off or shrunk are refused, naming the element and the millimetres', async () => {
    const named = { right: 'td', bottom: 'div', left: 'p#gone', top: 'p' };
    const ways = { right: 'smaller', bottom: 'smaller', left: 'move it', top: 'move it' };
    for (const [side, content] of Object.entries(overflowing)) {
      const { errors = [] } = expectProblem(
        await client.post('/api/send', letterTo('DE', { content })),
        422,
        'content_not_printable',
        '/content',
      );
      expect(
        errors.map(({ code }) => code),
        side,
      ).to.deep.equal(['content_overflows']);
      expect(errors[0]?.detail).to.match(/ \d+\.\d mm /);
      expect(errors[0]?.detail, side).to.contain(`${named[side as keyof typeof named]} reaches`);
      expect(errors[0]?.detail, side).to.contain(ways[side as keyof typeof ways]);
    }
    const [{ detail = '' } = {}] = expectProblem(
      await client.post('/api/send', letterTo('DE', { content: overflowing.right })),
      422,
      'content_not_printable',
    ).errors ?? [{}];
    // 250 mm on a text area of 165, with the padding of the cell.
    expect(Number(/(\d+\.\d) mm/.exec(detail)?.[1])).to.be.within(85, 90);
  });

  it('that hide text behind the edge of a box are refused as well', async () => {
    const row = '<table style="width:250mm"><tr><td>a<td align="right">Betrag</table>';
    for (const content of [
      `<style>html,body{overflow-x:hidden}</style>${row}`,
      `<div style="overflow-x:auto">${row}</div>`,
      '<p style="width:50mm;overflow:hidden;white-space:nowrap">Betrag und Frist und Konto und Bank</p>',
      `<div style="height:20mm;overflow:hidden">${paragraphs(5)}</div>`,
    ]) {
      const answer = await client.post('/api/send', letterTo('DE', { content }));
      const { errors } = expectProblem(answer, 422, 'content_not_printable', '/content');
      expect(errors?.[0]?.code, content).to.equal('content_overflows');
      expect(errors?.[0]?.detail).to.match(/ \d+\.\d mm beyond the box/);
    }
  });

  it('that move a line of text off the page, or a box cuts it, are refused as well', async () => {
    const seen = '<p>Sichtbar.</p>';
    for (const [lost, where] of [
      ['<p style="text-indent:-9999px">Betrag</p>', 'beyond the left edge'],
      ['<p style="text-indent:-18pt">Betrag</p>', 'beyond the left edge'],
      ['<p style="margin-left:-5mm">Betrag</p>', 'beyond the left edge'],
      [`<img src="${dotOf(40, 40)}" style="margin-left:-5mm">`, 'beyond the left edge'],
      ['<ol style="padding-left:0"><li>Frist</li></ol>', 'the number of li reaches'],
      [
        '<p style="margin-left:-5mm;padding-left:5mm;border:1px solid">Kasten</p>',
        'p reaches 5.0 mm beyond the left edge',
      ],
      ['<div style="margin-left:-5mm;background:#dde;height:9mm"></div>', 'div reaches 5.0 mm'],
      ['<hr style="margin-left:-5mm">', 'hr reaches 5.0 mm'],
      ['<p style="position:fixed;right:-200mm">Betrag</p>', 'beyond the right edge'],
      [
        '<p style="position:fixed;right:-10mm;width:40mm">Betrag und Frist und Konto und Betrag und Frist</p>',
        'beyond',
      ],
      [`<div style="position:fixed;top:0">${paragraphs(40)}</div>`, 'beyond the end of the page'],
      [`<body style="position:fixed">${paragraphs(40)}</body>`, 'beyond the end of the page'],
      [`<div style="position:fixed;bottom:0">${paragraphs(40)}</div>`, 'above the top'],
      [
        `<div style="position:fixed;top:150mm;overflow:hidden">${paragraphs(9)}</div>`,
        'beyond the end of the page',
      ],
      [
        '<style>.sum{width:30mm;overflow:hidden;white-space:nowrap}.sum::after{content:" Betrag";padding-left:40mm}</style><p class="sum">Summe</p>',
        'beyond the box',
      ],
      [
        '<style>.due{height:5mm;overflow:hidden}.due::before{content:"Betrag";display:block}</style><div class="due">Frist</div>',
        'beyond the box',
      ],
      [`<p style="contain:strict;height:3mm">${'Betrag '.repeat(60)}</p>`, 'beyond the box'],
      [`<p style="contain:paint;height:3mm">${'Betrag '.repeat(60)}</p>`, 'beyond the box'],
      [
        '<div style="overflow:hidden"><p style="margin-left:-30mm">Betrag und Frist</p></div>',
        'beyond',
      ],
    ] as const) {
      for (const autoFix of [false, true]) {
        const body = letterTo('DE', { content: seen + lost, auto_fix: autoFix });
        const answer = await client.post('/api/send', body);
        expect(answer.status, lost).to.equal(422);
        const { errors } = expectProblem(answer, 422, 'content_not_printable', '/content');
        expect(errors?.[0]?.code, lost).to.equal('content_overflows');
        expect(errors?.map(({ detail }) => detail).join(' '), lost).to.contain(where);
      }
    }
  });

  it('that are a little too wide are shrunk with auto_fix, and the answer says so', async () => {
    const content =
      '<div style="width:190mm">Guten Tag <span style="float:right">RAND</span></div>';
    const refused = await client.post('/api/send', letterTo('DE', { content }));
    expect(expectProblem(refused, 422, 'content_not_printable').detail).to.contain('auto_fix');
    const sent = await client.send({ content, auto_fix: true, draft: true });
    const fixes = sent.warnings.filter(({ code }) => code === 'document_fixed');
    expect(fixes.map(({ detail }) => detail)).to.deep.equal(['shrunk to 86 %']);
    const again = await client.post<Letter>('/api/send', { letter_id: sent.letter_id });
    expect(again.status, again.text).to.equal(201);
    expect(again.body.warnings).to.deep.include.members(fixes);
    expect(textOf((await printed(sent.letter_id)).pdf, 1)).to.contain('RAND');
    const much = letterTo('DE', { content: overflowing.right, auto_fix: true });
    expectProblem(await client.post('/api/send', much), 422, 'content_not_printable');
  });

  it('are shrunk for another country with auto_fix only, and the answer says so', async () => {
    // It fits a page to the US. A page to Germany is narrower.
    const content = '<div style="width:174mm;border:1px solid black">A box of fixed width.</div>';
    const moved = (letterId: string, country: 'US' | 'DE' | 'FR') =>
      client.patch<Letter>(`/api/letters/${letterId}`, recipientIn(country));
    const fixesIn = ({ warnings }: Pick<Letter, 'warnings'>) =>
      warnings.filter(({ code }) => code === 'document_fixed').map(({ detail }) => detail);
    for (const draft of [false, true]) {
      const sent = await client.send(letterTo('US', { content, draft }));
      const refused = await moved(sent.letter_id, 'DE');
      const { errors, detail } = expectProblem(
        refused,
        422,
        'content_not_printable',
        '/to_country',
      );
      expect(errors?.[0]?.code).to.equal('content_overflows');
      expect(detail).to.include('cancel it and send a new letter');
    }
    const fixed = await client.send({ content, auto_fix: true });
    expect(fixesIn(fixed)).to.deep.equal(['shrunk to 94 %']);
    const inFrance = await moved(fixed.letter_id, 'FR');
    expect(inFrance.status, inFrance.text).to.equal(200);
    expect(fixesIn(inFrance.body)).to.deep.equal(['shrunk to 97 %']);
    const inTheUs = await moved(fixed.letter_id, 'US');
    expect(inTheUs.status, inTheUs.text).to.equal(200);
    expect(fixesIn(inTheUs.body)).to.deep.equal([]);
  });

  it('that leave no ink are refused', async () => {
    for (const content of [
      '<p style="color:#fff">weiß</p>',
      '<p style="color:transparent">durchsichtig</p>',
      '<div style="opacity:0"><p>durchsichtig</p></div>',
      '<p style="-webkit-text-fill-color:white">weiß</p>',
      '<p style="clip-path:inset(100%)">beschnitten</p>',
      '<p style="transform:scale(0)">klein</p>',
      '<p style="text-indent:-999mm">daneben</p>',
      '<p style="position:absolute;left:-999mm">daneben</p>',
      '<p style="font-size:0">nichts</p>',
      '<div style="height:0;overflow:hidden">nichts</div>',
      '<p>verdeckt</p><div style="position:absolute;inset:-50mm;background:#fff"></div>',
      '<p style="color:#fefefe;background:#fff">fast weiß</p>',
      '<style>body{mask-image:linear-gradient(transparent,transparent)}</style><p>maskiert</p>',
      '<style>p{content-visibility:hidden}</style><p>versteckt</p>',
    ]) {
      const answer = await client.post('/api/send', letterTo('DE', { content }));
      const { errors } = expectProblem(answer, 422, 'content_not_printable', '/content');
      expect(errors?.[0]?.code, content).to.be.oneOf(['content_empty', 'content_overflows']);
    }
    const second = '<p>x</p><p style="break-before:page;color:#fff">weiß</p>';
    const { warnings, pages } = await client.send({ content: second });
    expect(pages).to.equal(2);
    expect(warnings.map(({ code }) => code)).to.include('empty_page');
    const onBlack = '<p style="background:#000;color:#fff">weiß auf schwarz</p>';
    expect((await client.send({ content: onBlack })).pages).to.equal(1);
  });

  const seen = '<p>Dieser Satz ist zu sehen.</p>';
  const sentence = 'Der Betrag wird am Ersten des Monats fällig.';
  const covering = (style: string) =>
    `${seen}<div style="position:relative"><p>${sentence}</p><div style="position:absolute;inset:0;${style}"></div></div>`;
  const found = async (content: string) => {
    const { body, text } = await client.post<Quoted>('/api/quote', { to_country: 'DE', content });
    expect(body.warnings, `${content} ${text}`).to.be.an('array');
    return body;
  };

  it('name text among other text that nobody can see on paper', async () => {
    for (const style of [
      'color:#fff',
      'color:#fefefe',
      'color:rgba(0,0,0,.01)',
      'color:transparent',
      'opacity:.01',
      'opacity:0',
      'clip-path:inset(50%)',
      'clip-path:circle(0)',
      'mask-image:linear-gradient(transparent,transparent)',
      'color:#fff;mix-blend-mode:multiply',
      '-webkit-text-fill-color:transparent',
      'color:#000;background:#000',
      'color:#ccc;background:#cdcdcd',
    ]) {
      const { findings, warnings } = await found(`${seen}<p style="${style}">${sentence}</p>`);
      expect(
        warnings.map(({ code }) => code),
        style,
      ).to.include('hidden_text');
      const [finding] = findings.filter(({ code }) => code === 'hidden_text');
      expect(finding, style).to.include({ severity: 'warning', page: 1 });
      expect(finding?.box_mm?.width, style).to.be.greaterThan(30);
    }
    for (const cover of ['background:#fff', 'background:#000']) {
      const { warnings } = await found(covering(cover));
      expect(
        warnings.map(({ code }) => code),
        cover,
      ).to.include('hidden_text');
    }
    const tiny = await found(`${seen}<p style="font-size:.1px">${sentence}</p>`);
    expect(tiny.warnings).to.not.be.empty;
    const second = `${seen}<p style="break-before:page">Zweite Seite</p><p style="opacity:0">${sentence}</p>`;
    const [there] = (await found(second)).findings;
    expect(there).to.include({ code: 'hidden_text', page: 2 });
  });

  it('name none of what can be read', async () => {
    for (const content of [
      `<p style="color:#999;font-size:7pt">${sentence}</p>`,
      `<p style="color:#bbb;font-size:8pt">${sentence}</p>`,
      `<p style="background:#123;color:#fff">${sentence}</p>`,
      `<p style="background:#999;color:#fff;font-size:7pt">${sentence}</p>`,
      `<p style="color:transparent;-webkit-text-fill-color:#000">${sentence}</p>`,
      `<p style="color:transparent;-webkit-text-stroke:1px #000">${sentence}</p>`,
      `<p style="color:transparent;text-shadow:0 0 0 #000">${sentence}</p>`,
      `<h1 style="background:linear-gradient(red,blue);-webkit-background-clip:text;color:transparent">${sentence}</h1>`,
      `<div style="opacity:.6">${sentence}</div>`,
      `<div style="clip-path:polygon(0 0,100% 0,100% 100%,0 90%)"><p>${sentence}</p></div>`,
      '<p>Unterschrift: ____________________ …………… ---- ....</p>',
      `<p style="font-size:3pt">${sentence}</p>`,
      '<p style="line-height:1">gjpqy gjpqy<br>äöü ÄÖÜ i l . , - – •<br>漢字 العربية 😀 א</p>',
      `<p style="transform:rotate(90deg);width:40mm;margin:20mm 0">${sentence}</p>`,
      `${seen}<p style="display:none">${sentence}</p><p style="visibility:hidden">${sentence}</p>`,
      `${seen}<div style="position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)">${sentence}</div>`,
      `${seen}<span style="position:absolute;width:1px;height:1px;overflow:hidden;white-space:nowrap">${sentence}</span>`,
      `${seen}<div style="max-height:0;overflow:hidden;opacity:0">${sentence}</div>`,
    ]) {
      const { warnings } = await found(content);
      expect(
        warnings.map(({ code }) => code),
        content,
      ).to.not.include('hidden_text');
    }
  });

  it('are refused where all of their text is hidden, unless they are pictures', async () => {
    const onPaper = 'top:0;left:0;width:100%;background:#000;color:#000';
    for (const place of ['static', 'absolute', 'fixed']) {
      const hidden = `<div style="position:${place};${onPaper}">${sentence}</div>`;
      const refused = await client.post('/api/quote', { to_country: 'DE', content: hidden });
      const { errors } = expectProblem(refused, 422, 'content_not_printable', '/content');
      expect(errors?.[0]?.code, place).to.equal('content_empty');
    }
    const scan = `<div style="position:relative"><img src="${dotOf(400, 400)}"><p style="position:absolute;top:0;color:transparent">${sentence}</p></div>`;
    await found(scan);
  });

  it('have their margins, headings, wide pages and clipped boxes as they like within the page', async () => {
    for (const content of [
      '<style>@page{margin:5mm}</style><div style="width:190mm">breit</div>',
      '<h1 style="margin:-1mm 0 0">Titel</h1><p>x</p>',
      '<div style="overflow:hidden"><div style="width:500mm">x</div></div>',
      `<p style="width:100%">${'Wort '.repeat(500)}</p>`,
      '<div style="height:500mm">über zwei Seiten</div>',
      '<p>x</p><p style="position:absolute;width:1px;height:1px;overflow:hidden">für Vorleser</p>',
      '<p style="text-indent:10mm">Eingezogen.</p><p style="text-indent:-5mm;padding-left:5mm">Ausgerückt.</p>',
      '<p style="margin-left:-3mm;padding-left:3mm">Im Rand ist nur der Rahmen.</p>',
      '<p style="margin-left:-3mm;padding-left:3mm;background:#fff;border-right:1px solid">Nichts ist links davon zu sehen.</p>',
      '<div style="overflow:hidden"><p style="margin-left:-3mm;padding-left:3mm;background:#dde">Der Kasten schneidet ab.</p></div>',
      '<style>body{background:#eef;margin-left:-3mm;padding-left:3mm}</style><p style="border:1px solid">im Textbereich</p>',
      '<ol><li>Frist</li></ol><ol style="padding-left:1em"><li>Frist</li></ol><ul style="padding:0"><li>Punkt</li></ul>',
      '<ol style="padding:0;list-style-position:inside"><li>Frist</li></ol><ol style="padding:0;list-style:none"><li>Frist</li></ol>',
      '<p style="text-align:right">am Rand<span style="position:absolute;width:1px;height:1px;overflow:hidden;white-space:nowrap">nur für Vorleser, in einer Zeile</span></p>',
      '<p style="position:fixed;bottom:0;right:0">unten</p><p>x</p>',
      `<div style="transform:none;rotate:0deg;position:relative"><div style="transform:translate(1px)"><div style="position:fixed;top:0">${paragraphs(40)}</div></div></div>`,
      '<style>.card{height:5mm;overflow:hidden}.card::after{content:"•";display:block}</style><div class="card">Karte</div>',
      '<style>.card{overflow:hidden}.card::after{content:" und Betrag"}</style><div class="card">Karte</div>',
      `<style>body{height:100vh;overflow:auto}</style>${paragraphs(60)}`,
      '<div style="overflow:hidden;border-radius:2mm;border:1px solid;line-height:1">Karte</div>',
    ]) {
      const answer = await client.post('/api/quote', { to_country: 'DE', content });
      expect(answer.status, `${content} ${answer.text}`).to.equal(200);
    }
  });

  it('name their smallest type where it is hard to read', async () => {
    const content = '<p>Groß</p><p style="font-size:4pt">klein</p>';
    const { body } = await client.post<Quoted>('/api/quote', { to_country: 'DE', content });
    expect(body.findings).to.have.length(1);
    expect(body.findings[0]).to.include({ code: 'small_type', severity: 'warning' });
    expect(body.warnings.find(({ code }) => code === 'small_type')?.detail).to.contain('4.0 pt');
  });

  it('name type that is small because it was scaled or zoomed', async () => {
    for (const style of [
      'zoom:.3',
      'transform:scale(.3)',
      'scale:.3',
      'transform:rotate(3deg) scale(.3)',
    ]) {
      const content = `<p>Groß</p><div style="${style};width:20mm;font-size:10pt"><p>klein</p></div>`;
      const { body } = await client.post<Quoted>('/api/quote', { to_country: 'DE', content });
      expect(body.warnings.find(({ code }) => code === 'small_type')?.detail, style).to.contain(
        '3.0 pt',
      );
    }
  });

  it('name images that are wider than what they stand in, and say to what they were shrunk', async () => {
    const image = (more: string) => `<p>x</p><img src="${dotOf(800, 40)}" ${more}>`;
    const warnings = async (content: string) => {
      const { body, text } = await client.post<Quoted>('/api/quote', { to_country: 'DE', content });
      expect(body.warnings, text).to.be.an('array');
      return body.warnings.filter(({ code }) => code === 'image_shrunk');
    };
    for (const more of ['id="plan"', 'id="plan" width="900"', 'id="plan" style="width:300mm"']) {
      const [warning] = await warnings(image(more));
      expect(warning?.detail, more).to.match(
        /^img#plan is \d+\.\d mm wide and was shrunk to 1\d\d\.\d mm/,
      );
    }
    const boxed = `<div style="width:50mm">${image('')}</div>`;
    expect((await warnings(boxed))[0]?.detail).to.match(/shrunk to (49.9|50.0|50.1) mm/);
    for (const more of ['width="100"', 'style="width:100%"', 'style="max-width:80mm"']) {
      expect(await warnings(image(more)), more).to.deep.equal([]);
    }
    const sent = await client.send({ content: image('') });
    expect(sent.warnings.map(({ code }) => code)).to.include('image_shrunk');
  });

  it('name fixed elements that may lie over the text of other pages', async () => {
    const codes = async (content: string) => {
      const { body } = await client.post<Quoted>('/api/quote', { to_country: 'DE', content });
      const found = body.warnings.filter(({ code }) => code === 'fixed_element');
      return found.map(({ detail }) => detail.slice(0, detail.indexOf(' has position')));
    };
    const footer = '<div class="foot" style="position:fixed;bottom:0"><p>HRB 1</p></div>';
    expect(await codes(footer + paragraphs(40))).to.deep.equal(['div.foot']);
    for (const content of [
      footer + paragraphs(2),
      paragraphs(40),
      `<div style="position:fixed;bottom:0"></div>${paragraphs(40)}`,
      `<div style="transform:rotate(0);height:30mm">${footer}</div>${paragraphs(40)}`,
      `<style>@page{@bottom-center{content:"HRB 1"}}</style>${paragraphs(40)}`,
    ])
      expect(await codes(content), content.slice(0, 80)).to.deep.equal([]);
  });

  it('are kept as drafts, changed and sent', async () => {
    const draft = await client.send({ content: paragraphs(40), draft: true });
    const path = `/api/letters/${draft.letter_id}`;
    const moved = await client.patch<Letter>(path, { to_name: 'Berta Müller' });
    expect(moved.status, moved.text).to.equal(200);
    expect(moved.body.pages).to.equal(draft.pages);
    const sent = await client.post<Letter>('/api/send', { letter_id: draft.letter_id });
    expect(sent.status, sent.text).to.equal(201);
    const { pdf, pages } = await printed(draft.letter_id);
    expect(pages).to.equal(draft.pages);
    expect(textOf(pdf, 1)).to.contain('Berta Müller');
  });

  it('of many bytes lie sealed outside the event, are shown, and are deleted with the letter', async () => {
    const note = 'Vertraulich ';
    const content = `<p>${note.repeat(4_000)}</p>`;
    const before = await blobFiles(api.service().dataDir);
    const draft = await client.send({ content, draft: true });
    const stored = (await blobFiles(api.service().dataDir)).filter((f) => !before.includes(f));
    expect(stored).to.have.length(1);
    expect(await readFile(stored[0] ?? '', 'latin1')).not.to.contain(note);
    expect((await client.letter(draft.letter_id)).content).to.equal(content);
    expect((await client.delete(`/api/letters/${draft.letter_id}`)).status).to.equal(200);
    expect(await blobFiles(api.service().dataDir)).to.deep.equal(before);
    const gone = await client.get(`/api/letters/${draft.letter_id}`);
    expectProblem(gone, 410, 'letter_deleted');
  });

  it('can be looked at page by page', async () => {
    const sent = await client.send({ content: paragraphs(40) });
    const look = (page: number | string, key = client.key) =>
      fetch(`${api.service().url}/api/letters/${sent.letter_id}/preview/${page}.png`, {
        headers: { Authorization: `Bearer ${key}` },
      });
    for (let page = 1; page <= sent.pages; page++) {
      const answer = await look(page);
      expect(answer.status).to.equal(200);
      expect(answer.headers.get('content-type')).to.equal('image/png');
      const { width, height } = PNG.sync.read(Buffer.from(await answer.arrayBuffer()));
      expect(height / width).to.be.closeTo(297 / 210, 0.01);
    }
    expect((await look(sent.pages + 1)).status).to.equal(404);
    expect((await look('x')).status).to.be.oneOf([404, 422]);
    const stranger = await api.register();
    expect((await look(1, stranger.key)).status).to.equal(404);
  });
});
