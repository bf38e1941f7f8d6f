import { realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Where a path leads, without links. Its last parts need not exist yet. */
export const realPathOf = async (path: string): Promise<string> => {
  try {
    return await realpath(path);
  } catch (error) {
    const parent = dirname(path);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === path) throw error;
    return join(await realPathOf(parent), basename(path));
  }
};
