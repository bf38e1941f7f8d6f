/** The zip of a bundle. It runs in a thread. */
import { zipSync } from 'fflate';
import type { BundleFiles } from './audit-bundle.ts';

/** Of the files in a zip: always the same, so that the same files make the same zip. */
const mtime = new Date(1980, 0, 1);

/** Packs files in their order. */
export const packBundle = (files: BundleFiles): Uint8Array<ArrayBuffer> => {
  const entries = [...files].map(([name, parts]) => [name, Buffer.from(parts.join(''))]);
  return zipSync(Object.fromEntries(entries), { mtime, level: 6 });
};
