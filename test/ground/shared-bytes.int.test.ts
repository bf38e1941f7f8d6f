import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { joinShared, ownBytes, wholeBuffers } from '../../ground/shared-bytes.ts';

const module = new URL('../../ground/shared-bytes.ts', import.meta.url).href;

/** Makes 300 documents of 10 MB, one after the other, and prints the most memory that it held. */
const script = `
import { joinShared } from '${module}';
const part = Buffer.alloc(10_000_000, 1);
let most = 0;
for (let n = 0; n < 300; n++) {
  joinShared(part);
  most = Math.max(most, process.memoryUsage().rss);
  await new Promise((resolve) => setImmediate(resolve));
}
console.log(most);`;

describe('bytes that threads share', () => {
  it('are collected like other memory when nobody holds them', async function () {
    this.timeout(180_000);
    const run = promisify(execFile);
    const args = ['--input-type=module', '--eval', script];
    const { stdout } = await run(process.execPath, args);
    expect(Number(stdout)).to.be.within(10_000_000, 1_000_000_000);
  });

  it('are the parts one after the other, and shared where they are many', () => {
    const small = joinShared(Buffer.from('ab'), Buffer.from('c'));
    const large = joinShared(Buffer.alloc(100_000, 1), Buffer.alloc(100_000, 2));
    expect(small.toString()).to.equal('abc');
    expect(small.buffer).to.be.instanceOf(ArrayBuffer);
    expect(large.buffer).to.be.instanceOf(SharedArrayBuffer);
    expect([large[99_999], large[100_000], large.length]).to.deep.equal([1, 2, 200_000]);
    expect(ownBytes(large).buffer).to.be.instanceOf(ArrayBuffer);
    expect(ownBytes(large)).to.deep.equal(new Uint8Array(large));
  });

  it('are not handed over, and neither is memory that holds other bytes too', () => {
    const whole = new Uint8Array(8);
    const part = new Uint8Array(new ArrayBuffer(16), 4, 8);
    const shared = joinShared(Buffer.alloc(100_000));
    expect(wholeBuffers([whole, part, shared, whole])).to.deep.equal([whole.buffer]);
    expect(wholeBuffers({ whole, list: [part], name: 'x' })).to.deep.equal([whole.buffer]);
  });
});
