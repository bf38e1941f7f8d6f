/**
 * The Merkle tree of RFC 6962 §2.1 over SHA-256: roots, audit paths, consistency proofs, and their
 * verification. A node is a complete subtree: `level` k, `index` i covers the leaves i·2ᵏ … (i+1)·2ᵏ − 1.
 * Sizes and indexes are integers up to 2⁵³ − 1.
 */
import { hash } from 'node:crypto';

export type Node = { level: number; index: number };

/** Root of the empty tree: SHA-256 of nothing. */
export const emptyRoot: Buffer = hash('sha256', '', 'buffer');

const leafPrefix = Buffer.of(0x00);
const nodePrefix = Buffer.of(0x01);

/** The input of a leaf's hash, reused. In UTF-8 a UTF-16 unit takes 3 bytes at most. */
const leafInput = Buffer.allocUnsafeSlow(16 * 1024);

export const leafHash = (data: string | Uint8Array): Buffer => {
  if (typeof data !== 'string' || 3 * data.length >= leafInput.length) {
    return hash('sha256', Buffer.concat([leafPrefix, Buffer.from(data as string)]), 'buffer');
  }
  leafInput[0] = 0x00;
  return hash('sha256', leafInput.subarray(0, 1 + leafInput.write(data, 1)), 'buffer');
};

/** The input of a node's hash, reused because a proof takes hundreds. */
const nodeInput = Buffer.alloc(65, 0x01);

/** Of two hashes of 32 bytes. */
export const nodeHash = (left: Uint8Array, right: Uint8Array): Buffer => {
  if (left.length !== 32 || right.length !== 32) {
    return hash('sha256', Buffer.concat([nodePrefix, left, right]), 'buffer');
  }
  nodeInput.set(left, 1);
  nodeInput.set(right, 33);
  return hash('sha256', nodeInput, 'buffer');
};

/** Largest power of two that is smaller than `size`; `size` is at least 2. */
const split = (size: number): number => {
  let half = 1;
  while (half * 2 < size) half *= 2;
  return half;
};

/** The complete subtrees that make up the leaves from `from` to before `to`, from the left. */
export const nodesOfRange = (from: number, to: number): Node[] => {
  const nodes: Node[] = [];
  for (let at = from; at < to; ) {
    let level = 0;
    let width = 1;
    while (at % (width * 2) === 0 && at + width * 2 <= to) {
      width *= 2;
      level++;
    }
    nodes.push({ level, index: at / width });
    at += width;
  }
  return nodes;
};

/** The root of a range out of the hashes of its `nodesOfRange`. */
export const foldRange = (hashes: readonly Buffer[]): Buffer =>
  hashes.length === 0 ? emptyRoot : hashes.reduceRight((right, left) => nodeHash(left, right));

/** Leaves from `from` to before `to`, one hash of a proof. */
export type Range = [from: number, to: number];

const assertSizes = (inside: boolean, what: string): void => {
  if (!inside) throw new RangeError(what);
};

/** Ranges whose roots are the audit path of leaf `index`, from the leaf up. @throws RangeError */
export const inclusionRanges = (index: number, size: number): Range[] => {
  assertSizes(index >= 0 && index < size, `leaf ${index} is not in a tree of ${size}`);
  const ranges: Range[] = [];
  let from = 0;
  let to = size;
  while (to - from > 1) {
    const middle = from + split(to - from);
    if (index < middle) {
      ranges.push([middle, to]);
      to = middle;
    } else {
      ranges.push([from, middle]);
      from = middle;
    }
  }
  return ranges.reverse();
};

/** Ranges whose roots prove that the tree of `first` leaves is the beginning of that of `second`. @throws RangeError */
export const consistencyRanges = (first: number, second: number): Range[] => {
  assertSizes(
    first >= 0 && first <= second,
    `a tree of ${first} leaves is not the beginning of one of ${second}`,
  );
  if (first === 0 || first === second) return [];
  const ranges: Range[] = [];
  let from = 0;
  let to = second;
  while (first !== to) {
    const middle = from + split(to - from);
    if (first <= middle) {
      ranges.push([middle, to]);
      to = middle;
    } else {
      ranges.push([from, middle]);
      from = middle;
    }
  }
  // The last subtree is the whole first tree only where that is a power of two.
  if (from > 0) ranges.push([from, to]);
  return ranges.reverse();
};

/** Whether `path` leads from the leaf to the root (RFC 9162 §2.1.3.2). */
export const verifyInclusion = (
  leaf: Uint8Array,
  index: number,
  size: number,
  path: readonly Uint8Array[],
  root: Uint8Array,
): boolean => {
  if (!Number.isSafeInteger(index) || !Number.isSafeInteger(size)) return false;
  if (index < 0 || index >= size) return false;
  let at = index;
  let last = size - 1;
  let computed: Uint8Array = leaf;
  for (const sibling of path) {
    if (last === 0) return false;
    if (at % 2 === 1 || at === last) {
      computed = nodeHash(sibling, computed);
      while (at % 2 === 0 && at !== 0) {
        at = Math.floor(at / 2);
        last = Math.floor(last / 2);
      }
    } else {
      computed = nodeHash(computed, sibling);
    }
    at = Math.floor(at / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 && Buffer.compare(computed, root) === 0;
};
