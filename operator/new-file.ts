import { writeFile } from 'node:fs/promises';
import { Refused } from './command.ts';

/** Writes a new file that only its owner can read. @throws Refused when it is there, or cannot be made */
export const writeNewFile = async (file: string, content: Uint8Array): Promise<void> => {
  await writeFile(file, content, { flag: 'wx', mode: 0o600 }).catch(
    ({ code }: NodeJS.ErrnoException) => {
      throw new Refused(
        code === 'EEXIST'
          ? `${file} already exists.`
          : `${file} cannot be written (${code}). Name a new file in a folder that is there.`,
      );
    },
  );
};
