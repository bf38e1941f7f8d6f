/** How an archive is made part by part, with runs that die in between. */
import { expect } from 'chai';
import { createMakeExport, type Export, type Part } from '../../reactors/make-export.ts';
import { seeded } from '../support/seeded.ts';

type Written = Part & { files: string[] };

const openPart = (): Written => {
  const files: string[] = [];
  let bytes = 0;
  return {
    files,
    bytes: () => bytes,
    piece: async () => ({
      isSealed: true,
      async add(file, content) {
        files.push(file);
        bytes += (content as Uint8Array).length;
      },
      describe: () => undefined,
    }),
  };
};

const row = (): Export => ({
  exportId: 'export-1',
  accountId: 'acct_1',
  documents: true,
  state: 'making',
  after: '',
  letters: 0,
  partBytes: [],
});

/**
 * An account with `letters` letters of `letterBytes` bytes; `dies` says whether a run ends before this
 * letter. A letter has `letterPieces` pieces of this size.
 */
const worldOf = (
  letters: number,
  letterBytes: number,
  dies: () => boolean = () => false,
  accountPieces = 1,
  letterPieces = 1,
) => {
  const state = row();
  const parts = new Map<number, Written>();
  const waiting: string[] = [state.exportId];
  const aborting = new AbortController();
  const make = createMakeExport<Export, Written>({
    clock: () => Date.parse('2026-11-24T10:00:00Z'),
    find: async () => structuredClone(state),
    async lettersAfter(_, after, limit) {
      const first = after === '' ? 0 : Number(after) + 1;
      return Array.from({ length: Math.max(0, Math.min(limit, letters - first)) }, (_, n) => ({
        letterId: `letter-${first + n}`,
        place: `${first + n}`,
      }));
    },
    openPart,
    async writeAccount(part, _, place, isFull) {
      const { add } = await part.piece();
      for (let n = Number(place) + 1; ; n++) {
        await add(`account-${n}`, Buffer.alloc(accountPieces === 1 ? 2 : 5 * 1024 * 1024));
        if (n === accountPieces) return undefined;
        if (isFull()) return `${n}`;
      }
    },
    async writeLetter(part, letterId, _, { from, isFull }) {
      if (dies()) throw new Error('the process died');
      const { add } = await part.piece(letterId);
      let piece = Number(from);
      do {
        await add(
          piece === 0 ? letterId : `more of ${letterId}: ${piece}`,
          Buffer.alloc(letterBytes),
        );
      } while (++piece < letterPieces && !isFull());
      return { rest: piece < letterPieces ? `${piece}` : undefined };
    },
    async storePart(_, part, written) {
      parts.set(part, written);
      return true;
    },
    sizeOf: async (_, part) => parts.get(part)?.bytes(),
    async addPart(of, { bytes, after, letters: more, readyUntil }) {
      if (state.state !== 'making' || of.partBytes.length !== state.partBytes.length) return false;
      state.partBytes.push(BigInt(bytes));
      state.letters += more;
      state.after = after;
      if (readyUntil) state.state = 'ready';
      return true;
    },
    removeOthers: async () => {},
    async fail() {
      state.state = 'failed';
    },
    async enqueue(exportId) {
      waiting.push(exportId);
    },
    pause: async () => {},
  });
  /** Runs jobs until none is left; one that fails runs again. */
  const runAll = async (mostAttempts: number): Promise<void> => {
    for (let exportId = waiting.shift(); exportId !== undefined; exportId = waiting.shift()) {
      for (let attempt = 1; ; attempt++) {
        const lastAttempt = attempt === mostAttempts;
        const failure = await make({ exportId }, { signal: aborting.signal, lastAttempt }).then(
          () => undefined,
          (error: unknown) => error,
        );
        if (failure === undefined || lastAttempt) break;
      }
    }
  };
  const files = (): string[] => [...parts.values()].flatMap((part) => part.files);
  return { state, parts, files, runAll, stop: () => aborting.abort() };
};

const lettersIn = (files: string[]): string[] => files.filter((file) => file.startsWith('letter-'));

describe('making an export', () => {
  it('puts every letter of a large account into one part, and the account into the first', async () => {
    const { state, parts, files, runAll } = worldOf(1_234, 10);
    await runAll(1);
    expect(state).to.include({ state: 'ready', letters: 1_234 });
    expect(parts.size).to.equal(3);
    expect(lettersIn(files())).to.deep.equal(
      Array.from({ length: 1_234 }, (_, n) => `letter-${n}`),
    );
    expect(files().filter((file) => file === 'account-1')).to.have.length(1);
    expect(parts.get(1)?.files).to.include('account-1');
  });

  it('closes a part when it is large, whatever the number of letters', async () => {
    const { state, parts, files, runAll } = worldOf(10, 5 * 1024 * 1024);
    await runAll(1);
    expect(state.state).to.equal('ready');
    expect(parts.size).to.equal(3);
    expect(lettersIn(files())).to.have.length(10);
  });

  it('loses and repeats no letter, wherever its runs die', async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const random = seeded(seed);
      const { state, files, runAll } = worldOf(1_100, 1, () => random() < 0.001);
      await runAll(1_000);
      expect(state, `seed ${seed}`).to.include({ state: 'ready', letters: 1_100 });
      expect(new Set(lettersIn(files())).size, `seed ${seed}`).to.equal(1_100);
      expect(lettersIn(files()), `seed ${seed}`).to.have.length(1_100);
    }
  });

  it('continues a letter with a long history in the next part, and counts it once', async () => {
    const megabyte = 1024 * 1024;
    for (let seed = 1; seed <= 10; seed++) {
      const random = seeded(seed);
      const { state, parts, files, runAll } = worldOf(3, megabyte, () => random() < 0.2, 1, 40);
      await runAll(1_000);
      expect(state, `seed ${seed}`).to.include({ state: 'ready', letters: 3 });
      const pieces = files().filter((file) => file.includes('letter-'));
      const expected = Array.from({ length: 120 }, (_, n) => {
        const [letter, piece] = [Math.floor(n / 40), n % 40];
        return piece === 0 ? `letter-${letter}` : `more of letter-${letter}: ${piece}`;
      });
      expect(pieces, `seed ${seed}`).to.deep.equal(expected);
      expect(parts.size).to.equal(8);
      expect(state.partBytes.every((bytes) => bytes < 17 * megabyte)).to.equal(true);
    }
  });

  it('goes on with a large account in the next part, and then with its letters', async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const random = seeded(seed);
      const { state, parts, files, runAll } = worldOf(3, 1, () => random() < 0.2, 11);
      await runAll(1_000);
      expect(state.state).to.equal('ready');
      const pieces = files().filter((file) => file.startsWith('account-'));
      expect(pieces).to.deep.equal(Array.from({ length: 11 }, (_, n) => `account-${n + 1}`));
      expect(lettersIn(files())).to.have.length(3);
      expect(parts.size).to.equal(3);
    }
  });

  it('writes the account once, also where it fills its part', async () => {
    const { state, parts, runAll } = worldOf(2, 1, () => false, 4);
    await runAll(1);
    expect(state).to.include({ state: 'ready', letters: 2 });
    expect(parts.size).to.equal(2);
    expect(parts.get(2)?.files).to.deep.equal(['letter-0', 'letter-1']);
  });

  it('is failed when its last attempt fails, so that another can be asked for', async () => {
    const { state, runAll } = worldOf(3, 1, () => true);
    await runAll(3);
    expect(state.state).to.equal('failed');
  });

  it('is still being made when the service stops during its last attempt', async () => {
    const { state, runAll, stop } = worldOf(3, 10);
    stop();
    await runAll(1);
    expect(state.state).to.equal('making');
  });

  it('makes an archive of an account without letters', async () => {
    const { state, parts, runAll } = worldOf(0, 1);
    await runAll(1);
    expect(state).to.include({ state: 'ready', letters: 0 });
    expect(parts.get(1)?.files).to.deep.equal(['account-1']);
  });
});
