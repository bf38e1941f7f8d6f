import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { PrintPartner } from '../../reactors/print-partner.ts';

const sync = async (path: string): Promise<void> => {
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
};

/** There as a whole under its name, and on disk, or not at all. */
const writeAtomically = async (folder: string, name: string, bytes: Buffer | string) => {
  const draft = join(folder, `.${name}.${process.pid}.draft`);
  const handle = await open(draft, 'w', 0o600);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(draft, join(folder, name));
};

/**
 * A print partner that watches a folder: `<job_id>.pdf`, then `<job_id>.json`, the job ticket. Whoever
 * sees the ticket finds the PDF complete. The same job again writes the same files.
 */
export const createHotfolder = (name: string, folder: string): PrintPartner => ({
  name,
  async submit({ ticket, pdf }) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeAtomically(folder, `${ticket.job_id}.pdf`, pdf);
    await writeAtomically(folder, `${ticket.job_id}.json`, `${JSON.stringify(ticket, null, 2)}\n`);
    await sync(folder);
  },
  async forget(jobId) {
    for (const ending of ['json', 'pdf']) {
      await rm(join(folder, `${jobId}.${ending}`), { force: true });
    }
  },
});
