import { expect } from 'chai';
import fc from 'fast-check';
import { cleanStylesheet } from '../../../documents/render/css-cleaner.ts';
import { sanitizeLetterHtml } from '../../../documents/render/html-sanitizer.ts';

const clean = (html: string): string => sanitizeLetterHtml(html).html;
const cleanCss = (css: string): string =>
  cleanStylesheet(css, {
    pageMarginsMinMm: { top: 5, right: 5, bottom: 5, left: 5 },
    removed: () => {},
  });
const pixel = 'data:image/png;base64,iVBORw0KGgo=';

/** Ways to run a script or reach out, most of them from OWASP's list for testing of filters. */
const attacks = [
  '<script>evil()</script>',
  '<SCRIPT SRC=http://evil.test/x.js></SCRIPT>',
  '<scr<script>ipt>evil()</scr</script>ipt>',
  '<<script>evil();//<</script>',
  '<script/evil src="http://evil.test"></script>',
  '<img src="javascript:evil()">',
  '<img src=`javascript:evil()`>',
  '<img """><script>evil()</script>">',
  '<img src=x onerror=evil()>',
  '<img src= onmouseover="evil()">',
  '<img/src="x"/onerror=evil()>',
  '<img src="jav&#x09;ascript:evil();">',
  '<img src="&#106;&#97;vascript:evil()">',
  '<img src="data:image/svg+xml;base64,PHN2Zz4=">',
  '<img src="data:text/html,evil">',
  `<img src="${pixel}" srcset="http://evil.test/x 2x">`,
  '<img lowsrc="http://evil.test" dynsrc="http://evil.test">',
  '<svg onload=evil()></svg>',
  '<svg><image href="http://evil.test/x"/></svg>',
  '<math><mi xlink:href="http://evil.test">x</mi></math>',
  '<iframe src="http://evil.test"></iframe>',
  '<iframe srcdoc="<script>evil()</script>"></iframe>',
  '<frameset><frame src="javascript:evil()"></frameset>',
  '<object data="http://evil.test"></object>',
  '<embed src="http://evil.test">',
  '<applet code="http://evil.test"></applet>',
  '<link rel=stylesheet href="http://evil.test/x.css">',
  '<link rel=prefetch href="http://evil.test/">',
  '<meta http-equiv="refresh" content="0;url=http://evil.test">',
  '<base href="http://evil.test/">',
  '<body background="http://evil.test/x" onload=evil()>',
  '<table background="http://evil.test/x"><td background="http://evil.test/y">',
  '<form action="http://evil.test"><input type=image src="http://evil.test/x"></form>',
  '<button formaction="javascript:evil()">x</button>',
  '<video poster="http://evil.test/x"><source src="http://evil.test/y"></video>',
  '<audio src="http://evil.test"></audio>',
  '<a href="http://evil.test" ping="http://evil.test">x</a>',
  '<a href="javascript:evil()">x</a>',
  '<div style="background:url(http://evil.test/x)">x</div>',
  '<div style="background:\\75 rl(http://evil.test/x)">x</div>',
  '<div style="width:expression(evil())">x</div>',
  '<div style="background:image-set(\'http://evil.test/x\' 1x)">x</div>',
  '<style>@import "http://evil.test/x.css";</style>',
  '<style>@\\69mport url(http://evil.test/x.css);</style>',
  '<style>@font-face{font-family:a;src:url(http://evil.test/x.woff)}</style>',
  '<style>p{background:u/**/rl(x);list-style:url("http://evil.test/x")}</style>',
  '<style>p{background:url( "http://evil.test/x" )}</style>',
  '<style>p{--a:"http://evil.test";background:image-set(var(--a) 1x)}</style>',
  '<style>p{background:src("http://evil.test")}</style>',
  '<style><!--</style><script>evil()</script>-->',
  '<style>a{content:"<\\/style><script>evil()</script>"}</style>',
  '<!--[if IE]><script>evil()</script><![endif]-->',
  '<![CDATA[<script>evil()</script>]]>',
  '<?xml-stylesheet href="http://evil.test/x.css"?>',
  '<xmp><script>evil()</script></xmp>',
  '<noscript><p title="</noscript><img src=x onerror=evil()>"></noscript>',
  '<template><img src=x onerror=evil()></template>',
  '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=evil()&gt;">',
];

const dangerous =
  /<(?:script|svg|math|iframe|frame|object|embed|applet|link|meta|base|form|input|button|video|audio|source|template|noscript)\b|\son\w+\s*=|(?:href|srcset|background|poster|ping|action|data)=|javascript:[^<]*"|@import|expression\(/i;

/** Everything but text: the tags, and the CSS of style elements without its strings. */
const live = (html: string): string => {
  const styles: string[] = [];
  const rest = html.replace(/<style[^>]*>([\s\S]*?)<\/style>/g, (_, css: string) => {
    styles.push(css.replace(/"(?:[^"\\]|\\[\s\S])*"/g, '""'));
    return '';
  });
  return [...styles, ...[...rest.matchAll(/<[^>]*>/g)].map(([tag]) => tag)].join('\n');
};

describe('HTML sanitiser', () => {
  for (const attack of attacks) {
    it(`leaves nothing of ${attack.slice(0, 70)}`, () => {
      const html = clean(`<p>Dear</p>${attack}`);
      expect(html).to.include('Dear');
      expect(live(html)).to.not.match(dangerous);
      expect(live(html)).to.not.include('evil.test');
    });
  }

  it('keeps the structure, classes, styles and data images of a letter', () => {
    const html = `<h1 class="a" style="color:red">Größe &amp; £ €</h1><table><tr><td colspan="2">x</td></tr></table><img src="${pixel}" alt="logo" />`;
    expect(clean(html)).to.equal(html);
  });

  it('keeps JPEG images whose data URI says image/jpg', () => {
    const jpeg = pixel.replace('image/png', 'image/jpg');
    const html = `<p style="background:url(&quot;${jpeg}&quot;)">x</p><img src="${jpeg}" />`;
    const { html: kept, removed } = sanitizeLetterHtml(html);
    expect(kept.split(jpeg)).to.have.length(3);
    expect(removed).to.deep.equal([]);
  });

  it('keeps what says whether an element is shown', () => {
    const { html, removed } = sanitizeLetterHtml(
      '<p hidden>a</p><p hidden="until-found">b</p><p popover>x</p><details open><summary>c</summary>d</details>',
    );
    expect(html).to.equal(
      '<p hidden="hidden">a</p><p hidden="until-found">b</p><p popover="auto">x</p><details open><summary>c</summary>d</details>',
    );
    expect(removed).to.deep.equal([]);
  });

  it('keeps the attributes of body, drops those that load', () => {
    expect(clean('<body style="color:red" background="x">a</body>')).to.equal(
      '<body style="color:red">a</body>',
    );
  });

  it('says what it removed, once each, without the text of the letter', () => {
    const { removed } = sanitizeLetterHtml(
      '<script>a</script><script>b</script><img src="http://secret.test"><p onclick=x>Hi</p>',
    );
    expect(removed).to.have.members([
      'element script',
      'image that is not PNG, JPEG, GIF or WebP data',
      'attribute onclick of p',
    ]);
  });

  it('names a removed image before the many attributes that programs write', () => {
    const attributes = Array.from({ length: 30 }, (_, at) => `data-bs-${at}="x"`).join(' ');
    const { removed } = sanitizeLetterHtml(
      `<p ${attributes}>Hi</p><img src="https://a.test/b.png">`,
    );
    expect(removed).to.have.length(20);
    expect(removed[0]).to.equal('image that is not PNG, JPEG, GIF or WebP data');
  });

  it('says that a page break of Word is not printed', () => {
    const word = '<span><br clear=all style="page-break-before:always"></span>';
    const { html, removed } = sanitizeLetterHtml(`<p>1</p>${word}<p>2</p>`);
    expect(removed[0]).to.contain('page break of br');
    expect(sanitizeLetterHtml(html).removed).to.deep.equal([]);
    const onBlock = '<p style="page-break-before:always">2</p>';
    expect(sanitizeLetterHtml(onBlock)).to.deep.include({ html: onBlock, removed: [] });
  });

  it('finds nothing to remove in its own output', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constantFrom(...attacks), fc.string()), { maxLength: 6 }),
        (parts) => {
          const once = sanitizeLetterHtml(parts.join(''));
          expect(sanitizeLetterHtml(once.html).removed).to.deep.equal([]);
        },
      ),
    );
  });

  it('bounds spans, size, depth and number of elements', () => {
    expect(clean('<table><td colspan="99999999">x</td></table>')).to.include('colspan="1000"');
    for (const [html, code] of [
      ['x'.repeat(3 * 1024 * 1024), 'html_too_large'],
      ['<div>'.repeat(100_000), 'html_too_deep'],
      ['<br>'.repeat(150_000), 'html_too_complex'],
    ] as const) {
      expect(() => sanitizeLetterHtml(html))
        .to.throw()
        .that.includes({ code: 'content_not_printable' })
        .and.has.nested.property('errors[0].code', code);
    }
  });
});

const oneSpace = (text: string): string => text.replace(/ +/g, ' ');

describe('CSS cleaner', () => {
  it('keeps rules, media queries, data images and data fonts', () => {
    const css = `@media (max-width<600px){p{color:red}} a{background:url("${pixel}")}@font-face{font-family:x;src:url("data:font/woff2;base64,AAAA") format("woff2")}`;
    expect(cleanCss(css)).to.equal(css);
  });

  it('leaves no address but data, however it is written', () => {
    const urlName = fc.constantFrom('url(', 'URL(', '\\75rl(', 'u\\72 l(', 'src(', 'image-set(');
    const quote = fc.constantFrom('', '"', "'", ' ', '/**/', '\\\n');
    const around = fc.constantFrom(
      '',
      '{',
      '}',
      ';',
      '"',
      '\\',
      '/*',
      '*/',
      '@page{',
      '@media(',
      '(',
    );
    fc.assert(
      fc.property(urlName, quote, quote, around, around, (name, open, close, before, after) => {
        const css = `p{${before}background:${name}${open}http://evil.test/x${close})${after}}`;
        const cleaned = cleanCss(css);
        // The rest may be inside of a string, where it is text.
        const outside = cleaned.replace(/"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'/g, '');
        expect(outside).to.not.match(/(?:url|src|image-set|\\)\s*\([^)]*evil/i);
        expect(oneSpace(cleanCss(cleaned))).to.equal(oneSpace(cleaned));
      }),
    );
  });

  it('says which text of @page is not printed', () => {
    const removedOf = (css: string) => {
      const removed: string[] = [];
      const pageMarginsMinMm = { top: 5, right: 5, bottom: 5, left: 5 };
      cleanStylesheet(css, { pageMarginsMinMm, removed: (what) => removed.push(what) });
      return removed;
    };
    expect(removedOf('@page{@top-center{content:"Az. 1"}}')).to.deep.equal([
      '@top-center on the first page',
    ]);
    expect(removedOf('@page x:first{@left-middle{content:"Az. 1"}}')).to.deep.equal([
      '@left-middle on the first page',
    ]);
    expect(removedOf('@page{@top-left-corner{content:"Az. 1"}}')).to.deep.equal([
      '@top-left-corner in @page',
    ]);
    expect(
      removedOf(
        '@page{@bottom-center{content:"Az. 1"}}@page:left{@top-center{content:"Az. 1"}}@page:first{@top-center{content:none}}',
      ),
    ).to.deep.equal([]);
  });

  it('keeps of @page the margins, no less than the least ones, and the margin boxes', () => {
    const css =
      '@page{size:A5;margin:1in 2mm!important;@bottom-center{content:counter(page)!important}@top-left-corner{content:"x"}}';
    expect(cleanCss(css)).to.equal(
      '@page {margin-top:25.4mm;margin-right:5mm;margin-bottom:25.4mm;margin-left:5mm;@bottom-center{content:counter(page)}}',
    );
    expect(cleanCss('@page :first{margin-top:50%;margin-left:3cm}')).to.equal(
      '@page  :first{margin-left:30mm;}',
    );
    expect(cleanCss('@page{@bottom-left{color:red!imp\\6frtant}}')).to.not.include('!');
  });

  it('never lets a style element end early', () => {
    expect(cleanCss('a{content:"</style><script>"}')).to.not.match(/<[/!]/);
  });
});
