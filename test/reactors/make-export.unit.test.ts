/** How an archive is made part by part, with runs that die in between. */
import { expect } from 'chai';
import { createMakeExport, type Export } from '../../reactors/make-export.ts';
import { seeded } from '../support/seeded.ts';

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
 * letter.
 */
const worldOf = (letters: number, letterBytes: number, dies: () => boolean = () => false) => {
  const state = row();
  const parts = new Map<number, string[]>();
  const waiting: string[] = [state.exportId];
  const aborting = new AbortController();
  const make = createMakeExport<Export>({
    clock: () => Date.parse('2026-11-24T10:00:00Z'),
    find: async () => structuredClone(state),
    async lettersAfter(_, after, limit) {
      const first = after === '' ? 0 : Number(after) + 1;
      return Array.from({ length: Math.max(0, Math.min(limit, letters - first)) }, (_, n) => ({
        letterId: `letter-${first + n}`,
        place: `${first + n}`,
      }));
    },
    openArchive() {
      const files: string[] = [];
      let bytes = 0;
      return {
        async add(file, content) {
          files.push(file);
          bytes += content.length;
        },
        bytes: () => bytes,
        end: async () => Buffer.from(files.join('\n')),
      };
    },
    writeAccount: (archive) => archive.add('account.json', '{}'),
    async writeLetter(archive, letterId) {
      if (dies()) throw new Error('the process died');
      await archive.add(letterId, Buffer.alloc(letterBytes));
      return {
        letterId,
        folder: letterId,
        createdAt: '2026-11-24T10:00:00.000Z',
        status: 'draft',
        recipient: 'Anna',
        service: 'de_standardbrief',
        price: '1.63 USD',
        files: [],
      };
    },
    writeIndex: (archive) => archive.add('index.html', ''),
    async storePart(_, part, bytes) {
      parts.set(part, Buffer.from(bytes).toString('utf8').split('\n'));
    },
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
  return { state, parts, runAll };
};

const lettersIn = (parts: Map<number, string[]>): string[] =>
  [...parts.values()].flat().filter((file) => file.startsWith('letter-'));

describe('making an export', () => {
  it('puts every letter of a large account into one part, and the account into the first', async () => {
    const { state, parts, runAll } = worldOf(1_234, 10);
    await runAll(1);
    expect(state).to.include({ state: 'ready', letters: 1_234 });
    expect(parts.size).to.equal(3);
    expect(lettersIn(parts)).to.deep.equal(Array.from({ length: 1_234 }, (_, n) => `letter-${n}`));
    expect([...parts.values()].filter((files) => files.includes('account.json'))).to.have.length(1);
    for (const files of parts.values()) expect(files).to.include('index.html');
  });

  it('closes a part when it is large, whatever the number of letters', async () => {
    const { state, parts, runAll } = worldOf(10, 5 * 1024 * 1024);
    await runAll(1);
    expect(state.state).to.equal('ready');
    expect(parts.size).to.equal(3);
    expect(lettersIn(parts)).to.have.length(10);
  });

  it('loses and repeats no letter, wherever its runs die', async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const random = seeded(seed);
      const { state, parts, runAll } = worldOf(1_100, 1, () => random() < 0.001);
      await runAll(1_000);
      expect(state, `seed ${seed}`).to.include({ state: 'ready', letters: 1_100 });
      expect(new Set(lettersIn(parts)).size, `seed ${seed}`).to.equal(1_100);
      expect(lettersIn(parts), `seed ${seed}`).to.have.length(1_100);
    }
  });

  it('is failed when its last attempt fails, so that another can be asked for', async () => {
    const { state, runAll } = worldOf(3, 1, () => true);
    await runAll(3);
    expect(state.state).to.equal('failed');
  });

  it('makes an archive of an account without letters', async () => {
    const { state, parts, runAll } = worldOf(0, 1);
    await runAll(1);
    expect(state).to.include({ state: 'ready', letters: 0 });
    expect(parts.get(1)).to.include.members(['account.json', 'index.html']);
  });
});
