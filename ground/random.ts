import { randomFillSync } from 'node:crypto';

const pool = Buffer.alloc(8_192);
let used = pool.length;

/** Random bytes, drawn from the system many at a time. The pool forgets what it has given away. */
export const drawRandom = (count: number): Buffer => {
  if (count > pool.length) throw new RangeError(`at most ${pool.length} random bytes at once`);
  if (used + count > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const drawn = Buffer.from(pool.subarray(used, used + count));
  pool.fill(0, used, used + count);
  used += count;
  return drawn;
};
