/** Which temporary places of drills the next drill removes. */
import { mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import { processSpace } from '../../infra/host/process-space.ts';
import { inDrillFolder } from '../../operator/restore/drill-folder.ts';

describe('the folder of a drill', () => {
  let within = '';
  const prefix = 'letters-restore-drill-';
  /** No process has it: ids end at 4194304. */
  const nobody = 99_999_999;
  beforeEach(async () => {
    within = await mkdtemp(join(tmpdir(), 'letters-test-drills-'));
  });
  afterEach(() => rm(within, { recursive: true, force: true }));

  const make = async (name: string, minutesAgo = 0): Promise<string> => {
    const folder = join(within, `${prefix}${name}`);
    await mkdir(folder);
    const at = new Date(Date.now() - minutesAgo * 60_000);
    await utimes(folder, at, at);
    return basename(folder);
  };
  const left = async (): Promise<string[]> => {
    await inDrillFolder(within, () => Promise.resolve());
    return (await readdir(within)).toSorted();
  };

  it('is removed when its process is gone, and kept while that runs', async () => {
    await make(`${nobody}-${processSpace()}-abc`);
    await make(`${nobody}-abcdef`);
    await make(`${process.pid}-${processSpace()}-abc`);
    const running = await make(`${process.ppid}-${processSpace()}-abc`, 100);
    expect(await left()).to.deep.equal([running]);
  });

  it('of another container is kept while that shows that it goes on, whatever processes have its id here', async () => {
    const running = await make(`${nobody}-0123456789ab77-abc`, 5);
    const sameId = await make(`${process.pid}-0123456789ab77-abc`);
    await make(`${process.ppid}-0123456789ab77-abc`, 20);
    expect(await left()).to.deep.equal([running, sameId].toSorted());
  });
});
