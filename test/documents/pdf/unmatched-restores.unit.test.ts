import { expect } from 'chai';
import { unmatchedRestores } from '../../../documents/pdf/unmatched-restores.ts';

describe('operators that restore a graphics state which was not saved', () => {
  /** The content with a caret for each of them. */
  const marked = (content: string): string => {
    const places = unmatchedRestores(Buffer.from(content, 'latin1'));
    return [...content].map((character, at) => (places.includes(at) ? '^' : character)).join('');
  };

  for (const [content, wanted] of [
    ['q 1 0 0 1 0 0 cm Q', 'q 1 0 0 1 0 0 cm Q'],
    ['Q q Q Q q', '^ q Q ^ q'],
    ['q q Q Q\nQ', 'q q Q Q\n^'],
    ['(a Q \\) Q (Q) Q) Tj Q', '(a Q \\) Q (Q) Q) Tj ^'],
    ['<5120> Tj /Q gs /q Do % Q\nQ', '<5120> Tj /Q gs /q Do % Q\n^'],
    ['/Span <</A (Q)>> BDC Q EMC', '/Span <</A (Q)>> BDC ^ EMC'],
    ['[(Q)-2<51>]TJ Q', '[(Q)-2<51>]TJ ^'],
    ['BI /W 1 /H 1 ID Q EI Q', 'BI /W 1 /H 1 ID Q EI Q'],
    ['Qq QQ (Q', 'Qq QQ (Q'],
    ['', ''],
  ] as const) {
    it(`are found in ${JSON.stringify(content)}`, () => {
      expect(marked(content)).to.equal(wanted);
    });
  }
});
