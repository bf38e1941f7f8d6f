import { createHash } from 'node:crypto';
import { RFC9162 } from '@transmute/rfc9162';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  consistencyRanges,
  emptyRoot,
  inclusionRanges,
  leafHash,
  type Range,
  verifyInclusion,
} from '../../identity/merkle.ts';
import {
  appendLeaves,
  parseTilePath,
  rangeRoot,
  type TileId,
  tilePath,
  tilesOfRanges,
  tileWidth,
  widthAt,
} from '../../identity/tiles.ts';
import { verifyConsistency } from '../support/verify-consistency.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** The tree of Certificate Transparency's reference tests. */
const entries = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
].map((text) => Buffer.from(text, 'hex'));

/** A log in memory, kept in tiles. */
const createTree = () => {
  const tiles = new Map<string, Buffer>();
  let size = 0;
  const at = ({ level, index }: TileId) => tiles.get(`${level}/${index}`);
  const rootOf = (range: Range): Buffer => {
    const given = new Set(tilesOfRanges([range]).map(({ level, index }) => `${level}/${index}`));
    // Only the hashes that were reported as needed are there.
    return rangeRoot(range, ({ level, index }) =>
      given.has(`${level}/${index}`) ? at({ level, index }) : undefined,
    );
  };
  return {
    tiles,
    append(leaves: Buffer[]): void {
      for (const { level, index, hashes } of appendLeaves(size, at, leaves).values()) {
        tiles.set(`${level}/${index}`, hashes);
      }
      size += leaves.length;
    },
    root: (of = size): Buffer => rootOf([0, of]),
    inclusion: (index: number, of = size) => inclusionRanges(index, of).map(rootOf),
    consistency: (first: number, second = size) => consistencyRanges(first, second).map(rootOf),
  };
};

const treeOf = (leaves: Buffer[]) => {
  const tree = createTree();
  tree.append(leaves);
  return tree;
};

const numbered = (count: number): Buffer[] =>
  Array.from({ length: count }, (_, n) => leafHash(`leaf ${n}`));

describe('the hash of a leaf', () => {
  it('is the same of a text and of its bytes, however long and odd', () => {
    for (const character of ['a', 'é', '字', '😀', '\ud83d']) {
      for (const length of [0, 1, 1_400, 5_461, 5_462, 40_000]) {
        const text = character.repeat(length);
        const bytes = Buffer.from(text);
        expect(leafHash(text)).to.deep.equal(leafHash(bytes));
        expect(leafHash(text)).to.deep.equal(
          createHash('sha256').update('\0').update(bytes).digest(),
        );
      }
    }
  });
});

describe('the Merkle tree', () => {
  it('has the roots of RFC 6962 test vectors', () => {
    const roots: Record<number, string> = {
      0: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      1: '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
      2: 'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
      3: 'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
      5: '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
      7: 'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
      8: '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
    };
    const tree = treeOf(entries.map((entry) => leafHash(entry)));
    for (const [size, root] of Object.entries(roots)) {
      expect(hex(tree.root(Number(size))), size).to.equal(root);
    }
    expect(tree.root(0)).to.deep.equal(emptyRoot);
  });

  it('proves as the vectors do', () => {
    const tree = treeOf(entries.map((entry) => leafHash(entry)));
    const shortened = (proof: Buffer[]) => proof.map((part) => hex(part).slice(0, 16));
    expect(shortened(tree.inclusion(5, 8))).to.deep.equal([
      'bc1a0643b12e4d2d',
      'ca854ea128ed050b',
      'd37ee418976dd957',
    ]);
    expect(shortened(tree.consistency(6, 8))).to.deep.equal([
      '0ebc5d3437fbe2db',
      'ca854ea128ed050b',
      'd37ee418976dd957',
    ]);
  });

  it('agrees with an independent implementation at every size up to 70', async () => {
    const raw = Array.from({ length: 70 }, (_, n) => Buffer.from(`leaf ${n}`));
    const tree = treeOf(raw.map((entry) => leafHash(entry)));
    for (let size = 1; size <= raw.length; size += size < 20 ? 1 : 7) {
      const some = raw.slice(0, size);
      const root = tree.root(size);
      expect(hex(root), `${size}`).to.equal(hex(await RFC9162.treeHead(some)));
      for (const index of new Set([0, size >> 1, size - 1])) {
        const path = await RFC9162.PATH(index, some);
        expect(tree.inclusion(index, size).map(hex)).to.deep.equal(path.map(hex));
        expect(verifyInclusion(leafHash(raw[index] as Buffer), index, size, path, root)).to.equal(
          true,
        );
      }
      for (const first of new Set([1, (size + 1) >> 1, size])) {
        if (first === size) continue;
        const all = await RFC9162.PROOF(first, some);
        // It begins with the first root also where RFC 6962 leaves that out: at powers of two.
        const proof = (first & (first - 1)) === 0 ? all.slice(1) : all;
        expect(tree.consistency(first, size).map(hex), `${first} ${size}`).to.deep.equal(
          proof.map(hex),
        );
        expect(verifyConsistency(first, size, tree.root(first), root, proof)).to.equal(true);
      }
    }
  });

  it('is the same however the leaves were appended, across tiles of three levels', () => {
    const leaves = numbered(tileWidth * tileWidth + 700);
    const whole = treeOf(leaves);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 30_000 }), { maxLength: 8 }), (cuts) => {
        const tree = createTree();
        let at = 0;
        for (const cut of cuts) {
          tree.append(leaves.slice(at, at + cut));
          at = Math.min(leaves.length, at + cut);
        }
        tree.append(leaves.slice(at));
        expect([...tree.tiles.keys()]).to.have.members([...whole.tiles.keys()]);
        for (const [name, hashes] of tree.tiles) {
          expect(hashes.equals(whole.tiles.get(name) as Buffer), name).to.equal(true);
        }
      }),
      { numRuns: 10 },
    );
    for (const [name, hashes] of whole.tiles) {
      const [level = 0, index = 0] = name.split('/').map(Number);
      expect(hashes.length / 32, name).to.equal(widthAt({ level, index }, leaves.length));
    }
    expect(widthAt({ level: 2, index: 0 }, leaves.length)).to.equal(1);
    expect(widthAt({ level: 2, index: 1 }, leaves.length)).to.equal(0);
  });

  it('proves every leaf and every beginning, and nothing else', () => {
    const leaves = numbered(1_500);
    const tree = treeOf(leaves);
    const size = fc.integer({ min: 1, max: leaves.length });
    fc.assert(
      fc.property(size, size, fc.nat(), fc.nat(), (a, b, pick, flip) => {
        const [first, second] = a < b ? [a, b] : [b, a];
        const index = pick % second;
        const leaf = leaves[index] as Buffer;
        const path = tree.inclusion(index, second);
        const root = tree.root(second);
        expect(verifyInclusion(leaf, index, second, path, root)).to.equal(true);
        const proof = tree.consistency(first, second);
        const before = tree.root(first);
        expect(verifyConsistency(first, second, before, root, proof)).to.equal(true);

        const other = leaves[(index + 1) % leaves.length] as Buffer;
        expect(verifyInclusion(other, index, second, path, root)).to.equal(false);
        expect(verifyInclusion(leaf, index, second, [...path, root], root)).to.equal(false);
        if (second > 1) {
          expect(verifyInclusion(leaf, (index + 1) % second, second, path, root)).to.equal(false);
          expect(verifyInclusion(leaf, index, second, path.slice(0, -1), root)).to.equal(false);
        }
        if (first < second) {
          const forged = [...proof];
          const n = flip % forged.length;
          forged[n] = leafHash(forged[n] as Buffer);
          expect(verifyConsistency(first, second, before, root, forged)).to.equal(false);
          expect(verifyConsistency(first, second, root, before, proof)).to.equal(false);
          expect(verifyConsistency(second, first, root, before, proof)).to.equal(false);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('refuses to prove what is not there', () => {
    expect(() => inclusionRanges(8, 8)).to.throw(RangeError);
    expect(() => inclusionRanges(-1, 8)).to.throw(RangeError);
    expect(() => consistencyRanges(9, 8)).to.throw(RangeError);
    expect(verifyInclusion(emptyRoot, 0, 0, [], emptyRoot)).to.equal(false);
    expect(verifyInclusion(emptyRoot, 0.5, 1, [], emptyRoot)).to.equal(false);
    expect(verifyConsistency(0, 5, emptyRoot, leafHash('x'), [])).to.equal(true);
    expect(verifyConsistency(0, 5, leafHash('y'), leafHash('x'), [])).to.equal(false);
  });
});

describe('tile paths', () => {
  it('are written as tlog-tiles has them', () => {
    expect(tilePath({ level: 0, index: 0 })).to.equal('0/000');
    expect(tilePath({ level: 1, index: 1_234_067 })).to.equal('1/x001/x234/067');
    expect(tilePath({ level: 0, index: 1_000 }, 17)).to.equal('0/x001/000.p/17');
  });

  it('are read back, each in one form only', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 63 }),
        fc.integer({ min: 0, max: 1e9 }),
        fc.integer({ min: 1, max: 256 }),
        (level, index, width) => {
          expect(parseTilePath(tilePath({ level, index }, width))).to.deep.equal({
            level,
            index,
            width,
          });
        },
      ),
    );
    for (const wrong of [
      '',
      '0',
      '0/0',
      '0/x000/001',
      '00/001',
      '0/001.p/0',
      '0/001.p/256',
      '0/001.p/257',
      '0/001.p/07',
      '0/1000',
      '0/x001',
      '-1/001',
      '0/001/',
      '0/../001',
    ]) {
      expect(parseTilePath(wrong), wrong).to.equal(undefined);
    }
  });
});
