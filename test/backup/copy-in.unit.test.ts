import { expect } from 'chai';
import { chunksOf } from '../../infra/postgres/copy-in.ts';

describe('rows that are copied into a table', () => {
  for (const text of ['', 'abc', 'ab🙂cd', '🙂🙂🙂', 'abc🙂', 'a🙂']) {
    it(`are split between characters: ${JSON.stringify(text)}`, () => {
      for (const length of [1, 2, 3, 4]) {
        const chunks = [...chunksOf(text, length)];
        const bytes = Buffer.concat(chunks.map((chunk) => Buffer.from(chunk)));
        expect(bytes.toString(), `by ${length}`).to.equal(text);
        for (const chunk of chunks) expect(chunk.length).to.be.within(1, length + 1);
      }
    });
  }
});
