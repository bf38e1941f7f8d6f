import { expect } from 'chai';
import { baseMetrics } from '../../../documents/render/font-metrics.ts';
import { fontAdvances } from '../../../documents/render/fonts.ts';

describe('the table of widths', () => {
  it('has the width of every glyph that the font can print, and no other', () => {
    const { unitsPerEm, advances } = fontAdvances();
    const metrics = baseMetrics();
    expect(metrics.unitsPerEm).to.equal(unitsPerEm);
    for (let codePoint = 0; codePoint <= 0x1ffff; codePoint++) {
      const [inTable, inFont] = [metrics.advance(codePoint), advances.get(codePoint)];
      if (inTable !== inFont) expect.fail(`U+${codePoint.toString(16)}: ${inTable}, not ${inFont}`);
    }
  });
});
