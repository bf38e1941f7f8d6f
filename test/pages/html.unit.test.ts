import { expect } from 'chai';
import fc from 'fast-check';
import { html, markup } from '../../pages/html.ts';

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (letter) => entities[letter] ?? '');

describe('HTML', () => {
  it('escapes short and long texts of any characters alike', () => {
    const texts = fc.string({
      unit: fc.constantFrom('a', '&', '<', '>', '"', "'", 'é', '漢', '😀'),
    });
    fc.assert(
      fc.property(texts, fc.constantFrom(1, 2_000), (text, times) => {
        const long = text.repeat(times);
        expect(markup(html`<p>${long}</p>`)).to.equal(`<p>${escaped(long)}</p>`);
      }),
      { numRuns: 200 },
    );
  });

  it('keeps markup of its own as it is, in lists as well', () => {
    const items = ['<', '>'].map((text) => html`<li>${text}</li>`);
    expect(markup(html`<ul>${items}</ul>`)).to.equal('<ul><li>&lt;</li>\n<li>&gt;</li></ul>');
  });
});
