import { emptyRoot, nodeHash } from '../../identity/merkle.ts';

/** Whether the proof shows that the second tree begins with the first (RFC 9162 §2.1.4.2). */
export const verifyConsistency = (
  first: number,
  second: number,
  firstRoot: Uint8Array,
  secondRoot: Uint8Array,
  proof: readonly Uint8Array[],
): boolean => {
  if (!Number.isSafeInteger(first) || !Number.isSafeInteger(second)) return false;
  if (first < 0 || first > second) return false;
  const same = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;
  if (first === second) return proof.length === 0 && same(firstRoot, secondRoot);
  if (first === 0) return proof.length === 0 && same(firstRoot, emptyRoot);
  const isPowerOfTwo = 2 ** Math.round(Math.log2(first)) === first;
  const [start, ...rest] = isPowerOfTwo ? [firstRoot, ...proof] : proof;
  if (start === undefined) return false;
  let at = first - 1;
  let last = second - 1;
  while (at % 2 === 1) {
    at = Math.floor(at / 2);
    last = Math.floor(last / 2);
  }
  let ofFirst: Uint8Array = start;
  let ofSecond: Uint8Array = start;
  for (const sibling of rest) {
    if (last === 0) return false;
    if (at % 2 === 1 || at === last) {
      ofFirst = nodeHash(sibling, ofFirst);
      ofSecond = nodeHash(sibling, ofSecond);
      while (at % 2 === 0 && at !== 0) {
        at = Math.floor(at / 2);
        last = Math.floor(last / 2);
      }
    } else {
      ofSecond = nodeHash(ofSecond, sibling);
    }
    at = Math.floor(at / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 && same(ofFirst, firstRoot) && same(ofSecond, secondRoot);
};
