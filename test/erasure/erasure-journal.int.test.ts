/** The journal of erasures after a crash, and on a disk that is full. */
import { spawnSync } from 'node:child_process';
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createErasureJournal, erasuresIn, readJournal } from '../../infra/keys/erasure-journal.ts';
import { mergeJournal } from '../../operator/restore/replay-erasures.ts';

const journalModule = new URL('../../infra/keys/erasure-journal.ts', import.meta.url).pathname;
const at = '2026-11-27T10:00:00.000Z';
const line = (subject: string): string => `${JSON.stringify({ at, subject })}\n`;

describe('the journal of erasures', function () {
  this.timeout(180_000);
  let folder = '';
  const path = () => join(folder, 'erasures.log');
  const subjects = async () => erasuresIn(await readJournal(path())).map(({ subject }) => subject);

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'letters-test-journal-'));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  it('has one line for each erasure', async () => {
    const journal = createErasureJournal(path(), () => Date.parse(at));
    await journal.add('letter-1');
    await journal.add('letter-2');
    expect(await readFile(path(), 'utf8')).to.equal(line('letter-1') + line('letter-2'));
  });

  it('says whether a letter was deleted by its sender', async () => {
    const journal = createErasureJournal(path(), () => Date.parse(at));
    await journal.add('letter-1', 'deleted');
    await journal.add('letter-2', 'retention');
    expect(erasuresIn(await readJournal(path()))).to.deep.equal([
      { at, subject: 'letter-1', reason: 'deleted' },
      { at, subject: 'letter-2', reason: 'retention' },
    ]);
  });

  it('keeps the erasure that follows a line that a crash cut off, wherever that was', async () => {
    const before = line('letter-1');
    const cut = line('letter-2');
    for (let length = 0; length < cut.length - 2; length += 1) {
      await writeFile(path(), before + cut.slice(0, length));
      await createErasureJournal(path(), Date.now).add('letter-3');
      expect(await subjects(), `${length}`).to.deep.equal(['letter-1', 'letter-3']);
    }
  });

  it('finds the erasure that an earlier version wrote behind a line that was cut off', async () => {
    await writeFile(
      path(),
      `${line('letter-1').slice(0, 40)}${line('letter-2')}${line('letter-3')}`,
    );
    expect(await subjects()).to.deep.equal(['letter-2', 'letter-3']);
  });

  it('takes the lines of a backup behind a line that was cut off', async () => {
    await writeFile(path(), line('letter-1').slice(0, 40));
    await mergeJournal(path(), line('letter-2') + line('letter-3'));
    await appendFile(path(), line('letter-4'));
    expect(await subjects()).to.deep.equal(['letter-2', 'letter-3', 'letter-4']);
  });

  it('takes a later erasure of the same subject, and its reason, from the journal of a backup', async () => {
    const later = { at: '2026-12-01T00:00:00.000Z', subject: 'letter-1', reason: 'deleted' };
    const other = `${line('letter-1')}${JSON.stringify(later)}\n`;
    await writeFile(path(), line('letter-1'));
    for (let time = 0; time < 2; time += 1) {
      await mergeJournal(path(), other);
      expect(erasuresIn(await readJournal(path()))).to.deep.equal([
        { at, subject: 'letter-1' },
        later,
      ]);
    }
  });

  it('fails when the disk takes only a part of the line, and no key is destroyed then', async () => {
    const script = join(folder, 'fill.ts');
    await writeFile(
      script,
      `import { createErasureJournal, withJournal } from '${journalModule}';
       const destroyed = [];
       const keys = withJournal(
         { erase: async (subject) => void destroyed.push(subject) },
         createErasureJournal('${path()}', Date.now),
       );
       try {
         for (let n = 0; n < 200; n += 1) await keys.erase('letter-' + n);
       } catch (error) {
         console.log(JSON.stringify({ destroyed, failed: error.message }));
       }`,
    );
    // A limit on the size of files stands for a full disk: a write that crosses it is cut.
    const { NODE_COMPILE_CACHE: _, ...env } = process.env;
    const limited = `ulimit -f 1 && exec '${process.execPath}' '${script}'`;
    const { stdout, stderr } = spawnSync('sh', ['-c', limited], { encoding: 'utf8', env });
    const { destroyed, failed } = JSON.parse(stdout || '{}') as Record<string, string>;
    expect(failed, stderr).to.be.a('string');
    expect(destroyed).to.have.length.greaterThan(3);
    expect(await subjects()).to.deep.equal(destroyed);
  });
});
