import { expect } from 'chai';
import { cleanDeclarations, cleanStylesheet } from '../../../documents/render/css-cleaner.ts';
import { cpuMs, leastOf } from '../../support/least-of.ts';

const edges = { top: 5, right: 5, bottom: 5, left: 5 };

function cleaned(css: string): { css: string; removed: string[] } {
  const removed: string[] = [];
  const rules = { pageMarginsMinMm: edges, removed: (what: string) => removed.push(what) };
  return { css: cleanStylesheet(css, rules), removed };
}

const many = (text: string, times: number, separator = ','): string =>
  Array.from({ length: times }, () => text).join(separator);

describe('CSS that would keep the browser busy', () => {
  for (const css of [
    'p{filter:blur(900px)}',
    'p{FILT\\45R : blur(900px)}',
    'p{-webkit-filter:grayscale(1)}',
    'p{backdrop-filter:blur(3px)}',
    'p{box-shadow:0 0 5000px red}',
    'p{box-shadow:0 0 1e9px red}',
    'p{box-shadow:0 0 calc(1px * 9999) red}',
    'p{box-shadow:var(--big)}',
    'p{box-shadow:0 0 99vw red}',
    `p{text-shadow:${many('0 0 2px red', 9)}}`,
    `p{background:${many('conic-gradient(red,blue)', 9)}}`,
    `p{background-image:linear-gradient(${many('red', 99)})}`,
    'p{background-image:linear-gradient(var(--stops))}',
    'p{--g:linear-gradient(red,blue);color:red}',
    '@media print{@supports (display:grid){p{filter:blur(1px)}}}',
    'p{color:red;& b{filter:blur(1px)}}',
  ]) {
    it(`takes out the declaration of ${css.slice(0, 60)}`, () => {
      const { css: clean, removed } = cleaned(css);
      expect(clean).to.not.match(/filter\s*:|shadow\s*:|gradient/i);
      expect(removed).to.have.length(1);
    });
  }

  for (const selector of [
    'p:has(b)',
    'p:not(:h\\61s(b))',
    'p:nth-child(2n of .a)',
    'p:nth-last-child(1 OF .a)',
    many('p', 13, ' '),
    many('p', 13, '>'),
    'p ~ b ~ i',
    'p:is(a ~ b ~ i)',
  ]) {
    it(`lets a rule for ${selector.slice(0, 30)} match nothing`, () => {
      const { css, removed } = cleaned(`${selector}{color:red}b{color:blue}`);
      expect(css).to.equal(':not(*){color:red}b{color:blue}');
      expect(removed).to.have.length(1);
    });
  }

  it('keeps the other selectors of a list', () => {
    expect(cleaned('a,p:has(b),i{color:red}').css).to.equal('a,i{color:red}');
  });

  it('says nothing about what letters are made of', () => {
    const css = [
      'p{box-shadow:0 1px 3px rgba(0,0,0,.3),inset 0 0 .5em #0003;color:red}',
      'h1{text-shadow:none;background:linear-gradient(to right,red 0%,blue 50%,rgb(1,2,3))}',
      'table tr:nth-child(2n+1) > td + td{border:1px solid #ccc}',
      '.a .b .c ul li a:not(.x):first-child::before{content:"of { ; }"}',
      '@media print{.filter{color:red}}',
      'a[href~="x"]{color:red}',
      ':root{--wide:10mm;--thin:calc(var(--wide)/4)}',
    ].join('');
    expect(cleaned(css)).to.deep.equal({ css, removed: [] });
  });

  it('cleans style attributes likewise', () => {
    const removed: string[] = [];
    const rules = { pageMarginsMinMm: edges, removed: (what: string) => removed.push(what) };
    expect(cleanDeclarations('color:red;filter:blur(9px);margin:0', rules)).to.equal(
      'color:red;;margin:0',
    );
    expect(removed).to.have.length(1);
  });

  it('takes time in proportion to its length', async () => {
    for (const piece of [
      '(',
      ':is(',
      '/**/',
      ' ',
      '{',
      'a,',
      'a{b:(',
      '~',
      '<',
      ';',
      'gradient(',
    ]) {
      const css = `p{box-shadow:0 0 ${piece.repeat(60_000)}`;
      const clean = (): void => {
        cleaned(css);
        cleaned(piece.repeat(60_000));
      };
      expect(await leastOf(3_000, () => cpuMs(clean)), piece).to.be.below(3_000);
    }
  });
});
