import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { pino } from 'pino';
import { PNG } from 'pngjs';
import { AppError } from '../../../contract/errors.ts';
import { type Chromium, startChromium } from '../../../documents/render/chromium.ts';
import { prepareChromium } from '../../../documents/render/chromium-binary.ts';
import { sandboxHere } from '../../../documents/render/chromium-sandbox.ts';
import {
  createHtmlRenderer,
  type HtmlLetter,
  type HtmlRenderer,
} from '../../../documents/render/html-letter.ts';
import type { Turn } from '../../../limits/turn.ts';
import { createWorkerPool } from '../../../limits/worker-pool.ts';
import { geometryOf } from '../../../postal/geometry.ts';
import type { Box } from '../../../postal/types.ts';
import { withMachineMemory } from '../../support/machine-memory.ts';
import { requirePoppler } from '../../support/poppler.ts';
import { seeded } from '../../support/seeded.ts';
import { skip } from '../../support/skip.ts';

const executablePath = process.env.CHROMIUM_PATH;
const log = pino({ level: 'silent' });

const letter: HtmlLetter = {
  html: '<p>Dear Sir</p>',
  from: ['Weiß & Söhne GmbH', 'Königsallee 12', '40212 Düsseldorf'],
  to: ['Dr. Anja Müller', 'Bürgerstraße 7a', '50667 Köln'],
  date: '3. März 2026',
  createdAt: new Date('2026-03-03T10:00:00Z'),
  sheet: geometryOf('DE', 'de_standardbrief'),
};

const textOf = (pdf: Buffer, ...options: string[]): string =>
  execFileSync('pdftotext', [...options, '-layout', '-', '-'], { input: pdf }).toString('utf8');

const textIn = (pdf: Buffer, box: Box): string =>
  textOf(
    pdf,
    ...Object.entries({ x: box.x, y: box.y, W: box.width, H: box.height }).flatMap(([name, mm]) => [
      `-${name}`,
      String(Math.round((mm * 72) / 25.4)),
    ]),
    ...['-l', '1'],
  );

/** The colours that a box of the first page shows, at 72 dots per inch. */
function coloursIn(pdf: Buffer, box: Box): Set<string> {
  const png = PNG.sync.read(
    execFileSync('pdftoppm', ['-r', '72', '-f', '1', '-singlefile', '-png', '-'], { input: pdf }),
  );
  const dots = (mm: number) => Math.round((mm * 72) / 25.4);
  const colours = new Set<string>();
  for (let y = dots(box.y); y < dots(box.y + box.height); y++) {
    for (let x = dots(box.x); x < dots(box.x + box.width); x++) {
      const at = (y * png.width + x) * 4;
      colours.add(png.data.subarray(at, at + 3).toString('hex'));
    }
  }
  return colours;
}

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (reason: unknown) => reason,
  );

async function errorOf(work: Promise<unknown>): Promise<AppError> {
  const error = await failureOf(work);
  if (error instanceof AppError) return error;
  throw new Error(`expected an AppError, got ${String(error)}`);
}

const codeOf = async (work: Promise<unknown>): Promise<string | undefined> =>
  (await errorOf(work)).errors?.[0]?.code;

const caller: Turn = { standing: 'confirmed', account: 'acct_1' };

/** Takes the layout more than ten seconds. */
const slowHtml =
  '<div style="display:grid;grid-template:repeat(100000,1px)/repeat(100000,1px)">x</div>';

describe('HTML letter', function () {
  this.timeout(180_000);
  let renderer: HtmlRenderer;
  const workers = createWorkerPool({});
  const render = (html: string, more: Partial<HtmlLetter> = {}) =>
    renderer.render({ ...letter, html, ...more });

  before(async function () {
    renderer = createHtmlRenderer({ log, workers, executablePath, pool: 1 });
    if (await renderer.warmUp()) return;
    skip(this, 'no Chromium starts here');
  });

  after(() => Promise.all([renderer.close(), workers.close()]));

  it('prints accents, currencies and bold text as text', async function () {
    requirePoppler(this);
    const accents = 'ÄÖÜß éèêëçœ ñ ğışİ čšžřů őű ąęłńśźż ãõ å ø æ þð € £ “” – … ’ „ « »';
    const { pdf } = await render(`<p>${accents}</p><b>Größe £ 5</b>`);
    expect(textOf(pdf).replace(/\s+/g, ' ')).to.include(accents).and.include('Größe £ 5');
  });

  it('sets recipient and sender where they belong on every sheet, and the body below', async function () {
    requirePoppler(this);
    for (const sheet of [
      geometryOf('DE', 'de_standardbrief'),
      geometryOf('FR', 'fr_lettre_verte'),
      geometryOf('US', 'us_first_class'),
    ]) {
      const { pdf } = await render('<p>Dear Sir</p>', { sheet });
      const shown = textIn(pdf, sheet.window);
      for (const line of letter.to) expect(shown).to.include(line);
      expect(shown).to.not.match(/Dear|März/);
      const above = { x: 0, y: 0, width: sheet.page.width, height: sheet.bodyTop };
      expect(textIn(pdf, above)).to.include('Söhne').and.not.include('Dear');
      expect(textIn(pdf, { ...above, y: sheet.bodyTop, height: 30 })).to.match(/März[\s\S]*Dear/);
    }
  });

  it('honours page breaks and counts the pages', async function () {
    requirePoppler(this);
    const { pdf, pages } = await render(
      '<p>one</p><p style="break-before:page">two</p><p style="page-break-before:always">three</p>',
    );
    expect(pages).to.equal(3);
    const first = textOf(pdf).split('\f').slice(0, 3);
    expect(first.map((page) => /one|two|three/.exec(page)?.[0])).to.deep.equal([
      'one',
      'two',
      'three',
    ]);
  });

  it('prints details that are open, and nothing that is hidden', async function () {
    requirePoppler(this);
    const { pdf } = await render(
      '<p>a</p><p hidden>INTERN</p><table><thead hidden><tr><th>INTERN<tbody><tr><td>b</table>' +
        '<details open><summary>c</summary>OPEN</details><details><summary>d</summary>CLOSED</details>',
    );
    expect(textOf(pdf))
      .to.include('OPEN')
      .and.not.match(/INTERN|CLOSED/);
  });

  it('honours print CSS and forces the size of the sheet', async function () {
    requirePoppler(this);
    const css =
      '@page{size:A5 landscape}@media print{.screen{display:none}.break{break-after:page}}';
    const { pdf, pages } = await render(
      `<style>${css}</style><p class=break>a</p><p class=screen>hidden</p><p>b</p>`,
      { sheet: geometryOf('US', 'us_first_class') },
    );
    expect(pages).to.equal(2);
    expect(pdf.toString('latin1').match(/\/MediaBox \[ ?0 0 612 792 ?\]/g)).to.have.length(2);
    expect(textOf(pdf)).to.not.include('hidden');
  });

  it('says which margin boxes have more text than their margin has room for', async () => {
    const words = (count: number): string => 'Wort '.repeat(count).trim();
    const namesIn = async (rules: string): Promise<string[]> => {
      const { measured } = await render(`<style>${rules}</style><p>Dear Sir</p>`);
      expect(measured.overflows.every(({ side }) => side === 'margin')).to.equal(true);
      return measured.overflows.map(({ element }) => element);
    };
    for (const fitting of [
      '@bottom-center{content:"Seite " counter(page) " von " counter(pages)}',
      `@bottom-center{content:"${words(25)}";font-size:8pt}`,
      '@bottom-left{content:"GmbH \\"A\\""}@bottom-center{content:"2"}@bottom-right{content:"Az. 1"}',
      '@left-middle{content:"Az. 1"}',
      'margin:5mm;@bottom-center{content:counter(page)}',
      '@bottom-center{content:""}',
    ]) {
      expect(await namesIn(`@page{${fitting}}`), fitting).to.deep.equal([]);
    }
    for (const [box, rule] of [
      ['@bottom-center', `@bottom-center{content:"${words(300)}"}`],
      ['@bottom-center', `@bottom-center{content:"${words(100)}";overflow:hidden;height:5mm}`],
      ['@bottom-center', `@bottom-center{content:"${words(60)}";white-space:nowrap}`],
      ['@bottom-left', `@bottom-left{content:"${words(80)}"}@bottom-right{content:"Az. 1"}`],
      ['@left-bottom', `margin-left:30mm;@left-bottom{content:"${words(600)}"}`],
      [
        '@bottom-right',
        '@bottom-right{content:"Donaudampfschifffahrtsgesellschaft";font-size:60pt}',
      ],
    ] as const) {
      expect(await namesIn(`@page{${rule}}`), rule.slice(0, 60)).to.deep.equal([box]);
    }
    const long = (count: number) => `@page{@bottom-center{content:"${words(count)}"}}`;
    for (const later of [
      '@page{@bottom-center{font-size:4pt}}',
      '@page{margin-bottom:70mm}',
      '@page{@bottom-center{content:none}}',
    ]) {
      expect(await namesIn(long(100) + later), later).to.deep.equal([]);
    }
    const onFirst = `${long(1)}@page :first{@bottom-center{font-size:90pt}}`;
    expect(await namesIn(onFirst)).to.deep.equal(['@bottom-center']);
    const upper = `{@top-left{content:"${words(300)}"}}`;
    const pageMore = '</style><p style="break-after:page">1</p><style>';
    for (const [selector, pages] of Object.entries({ '': 2, ':left': 2, ':right': 3, other: 2 })) {
      const namesOn = (count: number) =>
        namesIn(`@page ${selector}${upper}${pageMore.repeat(count - 1)}`);
      expect(await namesOn(pages - 1), selector).to.deep.equal([]);
      expect(await namesOn(pages), selector).to.deep.equal(['@top-left']);
    }
    const fromRight = 'html{direction:rtl}';
    const lower = `{@bottom-center{content:"${words(300)}"}}`;
    for (const [side, names] of Object.entries({ left: ['@bottom-center'], right: [] }))
      expect(await namesIn(`${fromRight}@page :${side}${lower}`), side).to.deep.equal(names);
    for (const [selector, pages] of Object.entries({ ':left': 3, ':right': 2 })) {
      const namesOn = (count: number) =>
        namesIn(`${fromRight}@page ${selector}${upper}${pageMore.repeat(count - 1)}`);
      expect(await namesOn(pages - 1), selector).to.deep.equal([]);
      expect(await namesOn(pages), selector).to.deep.equal(['@top-left']);
    }
    expect(await namesIn(`${long(300)}@page :first{@bottom-center{content:"1"}}`)).to.deep.equal(
      [],
    );
    const hostile = '@page{@bottom-center{content:"A"}}margin-box,*{font-size:1pt;display:none}';
    expect(await namesIn(hostile)).to.deep.equal([]);
  });

  it('breaks long words instead of cutting them off', async function () {
    requirePoppler(this);
    const word = 'Donaudampfschifffahrt'.repeat(20);
    for (const html of [`<p>${word}</p>`, `<table><tr><td>${word}</td><td>1</td></tr></table>`]) {
      const { pdf } = await render(html);
      const body = { ...letter.sheet.page, x: 0, y: letter.sheet.bodyTop + 9 };
      expect(textIn(pdf, body).replace(/\s+/g, '').replace(/1$/, '').length).to.be.at.least(400);
    }
  });

  it('makes the same bytes of the same letter, whatever was printed between', async () => {
    const html = '<h1>Größe</h1><table border=1><tr><td>1</td></tr></table>';
    const first = await render(html, { watermark: 'TEST' });
    await render('<p style="font-weight:900">other</p>');
    // The one thing that would stay in the document. The sanitiser takes it out.
    await render('<meta name="color-scheme" content="dark"><p>other</p>');
    expect((await render(html, { watermark: 'TEST' })).pdf.equals(first.pdf)).to.equal(true);
    expect(first.pdf.toString('latin1')).to.include('(D:20260303100000Z)').and.not.include('Skia');
  });

  it('prints what fades in or moves as if it stood still', async () => {
    const of = (style: string) =>
      renderer.render({ ...letter, html: `<p style="${style}">Dear Sir</p>${moves}` });
    const moves = '<style>@keyframes in{from{opacity:0;margin-left:5cm}}</style>';
    const still = await of('color:#123');
    const moving = await of('color:#123;animation:in 60s;transition:all 60s');
    expect(moving.pdf.equals(still.pdf)).to.equal(true);
  });

  it('keeps window and sender clear of hostile CSS', async function () {
    requirePoppler(this);
    const { window } = letter.sheet;
    for (const css of [
      'position:fixed;top:-200mm;left:-100mm;width:500mm;height:900mm',
      'position:absolute;top:-150mm;width:300mm;height:400mm',
      'margin-top:-150mm;height:300mm',
      'transform:translateY(-100mm) scale(9);height:100mm',
      'box-shadow:0 0 0 300mm red;height:10mm',
      'outline:300mm solid red;height:1mm',
    ]) {
      const { pdf } = await render(`<div style="${css};background:red">FAKE</div>`);
      expect([...coloursIn(pdf, window)].filter((colour) => colour.startsWith('ff00'))).to.be.empty;
      expect(textIn(pdf, window)).to.include('Müller').and.not.include('FAKE');
    }
    const named =
      '<style>@page{margin:0}@page :first{margin:0;@top-left{content:"FAKE"}}@page x:first{margin-top:0;@top-center{content:"FAKE"}}body{page:x}</style><p>Dear</p>';
    const { pdf } = await render(named);
    expect(textIn(pdf, { x: 0, y: 0, width: 210, height: 98 })).to.not.match(/FAKE|Dear/);
  });

  it('refuses a letter that shows nothing, and what cannot be printed', async () => {
    for (const html of [
      '',
      '<p> &nbsp; </p>',
      '<p style="display:none">x</p>',
      '<script>1</script>',
    ]) {
      expect(await codeOf(render(html)), html).to.equal('content_empty');
    }
    for (const [html, removed] of [
      ['<script>1</script>', 'element script'],
      ['<img src="https://example.com/a.png">', 'image that is not PNG, JPEG, GIF or WebP data'],
    ] as const) {
      const { message } = await errorOf(render(html));
      expect(message, html).to.include(removed).and.include('Send images as data URIs');
    }
    expect(await codeOf(render('<img src="data:image/png;base64,AAAA">'))).to.equal(
      'image_unreadable',
    );
    expect(await errorOf(render('<p>Hi 𓀀</p>'))).to.include({ code: 'content_not_printable' });
    expect(await errorOf(render('<p>x</p>', { to: ['M'.repeat(90)] }))).to.include({
      code: 'address_invalid',
    });
  });

  it('refuses images whose data is cut off, which would be printed with a part missing', async () => {
    const { pdf } = await render('<p>Hi</p>');
    const picture = (kind: string) =>
      execFileSync('pdftoppm', [`-${kind}`, '-r', '40', '-singlefile', '-'], { input: pdf });
    const webp = (bytes: number) =>
      Buffer.concat([Buffer.from('RIFF\x08\0\0\0WEBP'), Buffer.alloc(bytes)]);
    const shown = (kind: string, bytes: Buffer) => {
      const uri = `data:image/${kind};base64,${bytes.toString('base64')}`;
      return [
        `<p>x</p><img src="${uri}">`,
        `<p style="background:url(${uri})">x</p>`,
        `<style>p{background:url("${uri}")}</style><p>x</p>`,
      ];
    };
    for (const kind of ['png', 'jpeg']) {
      const bytes = picture(kind);
      for (const html of shown(kind, bytes)) {
        expect(await failureOf(render(html)), kind).to.equal(undefined);
      }
      for (const html of shown(kind, bytes.subarray(0, bytes.length / 2))) {
        expect(await codeOf(render(html)), kind).to.equal('image_unreadable');
        // It was accepted before that was checked.
        expect(await failureOf(render(html, { pagesPaid: 1 })), kind).to.equal(undefined);
      }
    }
    const [, background = ''] = shown('webp', webp(3));
    expect(await codeOf(render(background))).to.equal('image_unreadable');
    const [, whole = ''] = shown('webp', webp(4));
    expect(await failureOf(render(whole))).to.equal(undefined);
    const { message } = await errorOf(
      render('<p style="background:url(data:image/gif;base64,AAAA)">x'),
    );
    expect(message).to.include('1 image of the HTML is cut off or damaged.');
  });

  it('takes characters that our fonts lack only where it is set in a font of its own', async () => {
    const file = fileURLToPath(
      import.meta.resolve('@expo-google-fonts/noto-sans/400Regular/NotoSans_400Regular.ttf'),
    );
    const font = `data:font/ttf;base64,${readFileSync(file).toString('base64')}`;
    const html = (source: string, family: string) =>
      `<style>@font-face{font-family:own;src:url(${source})}p{font-family:${family}}</style><p>Hi 𓀀</p>`;
    expect(await failureOf(render(html(font, 'own')))).to.equal(undefined);
    for (const lacking of [html(font, 'other'), html('data:font/woff2;base64,AAAA', 'own')]) {
      expect(await codeOf(render(lacking))).to.equal('character_no_glyph');
      // It was accepted before that was checked.
      expect(await failureOf(render(lacking, { pagesPaid: 1 }))).to.equal(undefined);
    }
  });

  it('has as many pages as were paid for, although the limit was lowered since', async () => {
    const lowered = createHtmlRenderer({ log, workers, executablePath, pool: 1, pagesMax: 1 });
    try {
      const html = '<p style="break-after:page">One</p><p>Two</p>';
      const two = { ...letter, html };
      expect((await lowered.render({ ...two, pagesPaid: 2 })).pages).to.equal(2);
      expect(await errorOf(lowered.render(two))).to.include({ code: 'too_many_pages' });
    } finally {
      await lowered.close();
    }
  });

  it('refuses huge letters in bounded time', async () => {
    const rows = (count: number) => `<table>${'<tr><td>x</td></tr>'.repeat(count)}</table>`;
    expect(await codeOf(render(rows(100_000)))).to.equal('html_too_complex');
    expect(await errorOf(render(rows(5000)))).to.include({ code: 'too_many_pages' });
    for (const html of [rows(20_000), '<div style="height:99999999mm">x</div>']) {
      const { code } = await errorOf(render(html, { turn: caller }));
      expect(code).to.be.oneOf(['too_many_pages', 'content_not_printable']);
    }
    expect((await render('<p>next</p>')).pages).to.equal(1);
  });

  it('starts another browser when one was killed', async () => {
    const [pid] = renderer.stats().browserPids;
    if (!pid) throw new Error('no browser runs');
    const printing = Promise.all([render('<p>one</p>'), render('<p>two</p>')]);
    process.kill(pid, 'SIGKILL');
    expect((await printing).map(({ pages }) => pages)).to.deep.equal([1, 1]);
    expect(renderer.stats().browserPids).to.not.include(pid);
  });

  it('gives up on a letter of a caller that takes too long, prints the next, and lets the service try again', async () => {
    const hasty = createHtmlRenderer({ log, workers, executablePath, pool: 1, timeoutMs: 400 });
    try {
      await hasty.warmUp();
      const slow = { ...letter, html: slowHtml };
      expect(await codeOf(hasty.render({ ...slow, turn: caller }))).to.equal('render_timeout');
      expect(await failureOf(hasty.render(slow)))
        .to.be.instanceOf(Error)
        .and.not.instanceOf(AppError);
      const patient = await retried(() => hasty.render(letter));
      expect(patient.pages).to.equal(1);
    } finally {
      await hasty.close();
    }
  });

  it('kills a browser that takes too much memory', async () => {
    const small = createHtmlRenderer({
      log,
      workers,
      executablePath,
      pool: 1,
      memoryBytesMax: 1024 ** 2,
    });
    try {
      const slow = { ...letter, html: slowHtml };
      expect(await codeOf(small.render({ ...slow, turn: caller }))).to.equal('render_memory');
      expect(await failureOf(small.render(slow)))
        .to.be.instanceOf(Error)
        .and.not.instanceOf(AppError);
    } finally {
      await small.close();
    }
  });

  it('starts fewer browsers on a small machine, and allows each of them less memory', async () => {
    const small = await withMachineMemory(1024 ** 3, () =>
      createHtmlRenderer({ log, workers, executablePath }),
    );
    try {
      expect((await small.render(letter)).pages).to.equal(1);
      const picture = new PNG({ width: 9_000, height: 9_000, colorType: 0 });
      const data = PNG.sync.write(picture, { colorType: 0, filterType: 0 }).toString('base64');
      const html = `<p>A picture:</p><img width="300" src="data:image/png;base64,${data}">`;
      const refused = small.render({ ...letter, html, turn: caller });
      expect(await codeOf(refused)).to.equal('render_memory');
      expect((await render(html)).pages).to.equal(1);
      await small.warmUp();
      expect(small.stats().browserPids).to.have.length(1);
    } finally {
      await small.close();
    }
  });

  it('answers overloaded with Retry-After when too many letters wait', async () => {
    const busy = createHtmlRenderer({ log, workers, executablePath, pool: 1, queue: 1 });
    try {
      await busy.warmUp();
      const outcomes = await Promise.allSettled(
        Array.from({ length: 20 }, () => busy.render(letter)),
      );
      const refusals = outcomes.flatMap((o) => (o.status === 'rejected' ? [o.reason] : []));
      expect(refusals.length).to.be.within(3, 18);
      for (const refusal of refusals) {
        expect(refusal).to.include({ code: 'overloaded', status: 503 });
        expect(refusal.headers).to.deep.equal({ 'Retry-After': '1' });
      }
    } finally {
      await busy.close();
    }
  });

  it('says so when the browser does not start, and when it is closed', async () => {
    const broken = createHtmlRenderer({ log, workers, executablePath: process.execPath, pool: 1 });
    expect(await broken.warmUp()).to.equal(false);
    const refusal = await errorOf(broken.render(letter));
    expect(refusal).to.include({ code: 'html_unavailable', status: 503 });
    expect(refusal).to.have.deep.property('headers', { 'Retry-After': '60' });
    await broken.close();
    expect(await errorOf(broken.render(letter))).to.include({ code: 'overloaded' });
  });
});

/** On a busy machine an ordinary letter may take long as well. */
async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries === 10) throw error;
    }
  }
}

describe('the browser of HTML letters, without the sanitiser', function () {
  this.timeout(180_000);
  let chromium: Chromium | undefined;
  let server: Server;
  let connections = 0;
  let origin = '';

  before(async function () {
    chromium = await prepareChromium({ executablePath })
      .then((binary) => startChromium(binary))
      .catch(() => undefined);
    if (!chromium) return skip(this, 'no Chromium starts here');
    server = createServer((socket) => {
      connections++;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const bound = server.address();
    if (bound === null || typeof bound === 'string') throw new Error('no port');
    origin = `http://127.0.0.1:${bound.port}`;
  });

  after(async () => {
    await chromium?.kill();
    server?.close();
  });

  const print = (html: string, on = chromium) => {
    if (!on) throw new Error('no browser');
    return on.print({
      html: `<!DOCTYPE html>${html}<p>Dear</p>`,
      page: { width: 210, height: 297 },
      reveal: false,
      margins: letter.sheet.margins,
      pagesMax: 60,
    });
  };

  const tricks = (o: string): string[] => [
    `<img src="${o}/a.png">`,
    `<img srcset="${o}/a.png 1x, ${o}/b.png 2x">`,
    `<picture><source srcset="${o}/a"><img></picture>`,
    `<p style="background:url(${o}/a)">x</p>`,
    `<style>@import "${o}/a.css";p{list-style:url(${o}/b);cursor:url(${o}/c),auto}</style>`,
    `<style>@font-face{font-family:x;src:url(${o}/a.woff)}p{font-family:x}</style>`,
    `<link rel=stylesheet href="${o}/a.css">`,
    ...[
      'prefetch',
      'preload',
      'preconnect',
      'dns-prefetch',
      'prerender',
      'modulepreload',
      'icon',
    ].map((rel) => `<link rel=${rel} href="${o}/a" as=image>`),
    `<link rel=manifest href="${o}/a">`,
    `<base href="${o}/"><img src="a.png">`,
    `<iframe src="${o}/a"></iframe><iframe srcdoc='<img src="${o}/b">'></iframe>`,
    `<object data="${o}/a"></object><embed src="${o}/b">`,
    `<svg><image href="${o}/a"/><use href="${o}/b#c"/></svg>`,
    `<img src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><image href='${o}/a'/></svg>">`,
    `<body background="${o}/a"><table background="${o}/b"><tr><td>x</table>`,
    `<video src="${o}/a" poster="${o}/b" autoplay></video><audio src="${o}/c" preload></audio>`,
    `<input type=image src="${o}/a">`,
    `<script src="${o}/a.js"></script><script>fetch("${o}/b");new WebSocket("${o}/c".replace("http","ws"));new Image().src="${o}/d"</script>`,
    `<script>navigator.serviceWorker.register("${o}/a");navigator.sendBeacon("${o}/b");new RTCPeerConnection({iceServers:[{urls:"stun:${o.slice(7)}"}]}).createDataChannel("x")</script>`,
    `<img src=x onerror="fetch('${o}/a')"><body onload="location='${o}/b'">`,
    `<script type=speculationrules>{"prefetch":[{"source":"list","urls":["${o}/a"]}]}</script>`,
    '<img src="file:///etc/passwd"><iframe src="file:///etc/passwd"></iframe>',
  ];

  it('contacts no server, whatever the HTML tries', async () => {
    for (const trick of tricks(origin)) {
      expect((await print(trick)).text, trick).to.include('Dear');
    }
    // It tries to leave its document, which the next letter is written into.
    await print(`<meta http-equiv=refresh content="0;url=${origin}/a">`);
    expect((await print('<p>next</p>')).text).to.include('next');
    expect(connections).to.equal(0);
  });

  it('prints each letter as if it were its first', async () => {
    const random = seeded(7);
    const odd = [
      '<html dir=rtl lang=ar style="zoom:2;color-scheme:dark"><body style="margin:5cm;writing-mode:vertical-rl">',
      '<style>@property --a{syntax:"<length>";inherits:true;initial-value:3cm}:root{--a:4cm}*{margin-left:var(--a)!important}</style>',
      '<style>@font-face{font-family:"Noto Sans";src:url(data:font/woff2;base64,AAAA)}@page{size:A6 landscape;margin:0}</style>',
      '<style>@counter-style c{system:cyclic;symbols:"x"}@layer a{p{color:red!important}}p{list-style:c;display:list-item}</style>',
      '<base href="https://other.invalid/"><title>x</title><meta name=viewport content="width=99">',
      '<dialog open>d</dialog><div popover>p</div><input autofocus value=v><details open><summary>s</summary>t</details>',
      '<div style="position:fixed;inset:0;overflow:scroll"><p style="height:9000px" id=a>long</p></div><a href="#a" autofocus>a</a>',
      '<iframe srcdoc="<p>inner</p>"></iframe><object data="data:text/html,x"></object><svg><style>p{display:none}</style></svg>',
      '<img src="data:image/png;base64,AAAA"><frameset><frame></frameset>',
    ];
    const probe =
      '<style>p{list-style:c}</style><h1>Größe</h1><p>Text</p><table border=1><tr><td>1</table>';
    const withoutDates = (pdf: Buffer) => pdf.toString('latin1').replace(/\(D:[^)]*\)/g, '');
    const of = async (on?: Chromium) => {
      const { pdf, ...shown } = await print(probe, on);
      return { pdf: withoutDates(pdf), ...shown };
    };
    const fresh = await startChromium(await prepareChromium({ executablePath }));
    const first = await of(fresh).finally(() => fresh.kill());
    for (let n = 0; n < 20; n++) {
      const before = odd.filter(() => random() < 0.4).join('');
      await print(before);
      expect(await of(), before).to.deep.equal(first);
    }
  });

  it('runs no script', async () => {
    const { text } = await print(
      '<p id=a>quiet</p><script>document.getElementById("a").textContent="ran"</script><img src=x onerror="document.body.textContent=\'ran\'"><noscript>no script</noscript>',
    );
    expect(text).to.include('quiet').and.include('no script').and.not.include('ran');
  });

  it('shows no file of the machine', async () => {
    const { text } = await print(
      '<iframe src="file:///etc/passwd"></iframe><object data="/etc/passwd"></object>',
    );
    expect(text).to.not.include('root:');
  });
});

describe('the sandbox of the browser', function () {
  this.timeout(180_000);

  const statusOf = (pid: number): string => readFileSync(`/proc/${pid}/status`, 'utf8');

  const parentOf = (pid: number): number | undefined => {
    try {
      return Number(/^PPid:\s*(\d+)/m.exec(statusOf(pid))?.[1]);
    } catch {
      // It ended since it was listed.
      return undefined;
    }
  };

  /** Of a process and all that it started. */
  const family = (pid: number): number[] =>
    [pid].flatMap((one) => [
      one,
      ...readdirSync('/proc')
        .map(Number)
        .filter((child) => child > 0 && parentOf(child) === one)
        .flatMap(family),
    ]);

  it('is there where the machine allows it, also for root', async function () {
    if (process.platform !== 'linux') skip(this, 'this is not Linux');
    const isThere = (await sandboxHere()) !== 'none';
    const chromium = await startChromium(await prepareChromium({ executablePath }));
    try {
      const commands = family(chromium.pid).map((pid) => ({
        command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' '),
        status: statusOf(pid),
      }));
      const open = commands.filter(({ command }) => command.includes('--no-sandbox'));
      expect(open.length > 0).to.equal(!isThere);
      if (!isThere) return;
      const renderers = commands.filter(({ command }) => command.includes('--type=renderer'));
      expect(renderers).to.not.deep.equal([]);
      for (const { status } of renderers) {
        expect(status, 'system calls are filtered').to.match(/Seccomp:\s*2/);
        expect(status, 'it sees its own processes only').to.match(/NSpid:\s*\d+\s+\d+/);
      }
    } finally {
      await chromium.kill();
    }
  });
});
