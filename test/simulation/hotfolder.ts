/** The folder that a print house watches, on a disk in memory, and the real partner that writes there. */
import type { Disk } from '../../infra/print/disk.ts';
import type { HandOverMarks } from '../../infra/print/hand-over-marks.ts';
import { createHotfolder } from '../../infra/print/hotfolder.ts';
import type { PrintPartner } from '../../reactors/print-partner.ts';
import type { Actor } from './actor.ts';
import type { House } from './house.ts';
import type { Link } from './network.ts';

/** A disk that all processes see, in memory. */
export const createMemoryDisk = (): Disk => {
  const files = new Map<string, Buffer | string>();
  const folders = new Set<string>();
  return {
    openFolder: async (path) => void folders.add(path),
    async makeFolder(path) {
      folders.add(path);
    },
    async write(path, bytes) {
      if (files.has(path)) throw new Error(`${path} is there already`);
      files.set(path, bytes);
    },
    async move(from, to) {
      const bytes = files.get(from);
      if (bytes === undefined) return false;
      files.delete(from);
      files.set(to, bytes);
      return true;
    },
    exists: async (path) => files.has(path) || folders.has(path),
    async remove(path) {
      files.delete(path);
    },
    namesIn: async (folder) =>
      [...files.keys()].flatMap((path) => {
        const name = path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : '/';
        return name.includes('/') ? [] : [name];
      }),
    changedAt: async (path) => (files.has(path) ? 0 : undefined),
    deviceOf: async () => 0,
    async sync() {},
  };
};

/** The same object, each of whose methods is a call over the link. */
const remote = <T extends object>(inner: T, link: Link): T =>
  Object.fromEntries(
    Object.entries(inner).map(([name, method]) => [
      name,
      (...args: unknown[]) =>
        link.call(
          () => method(...args),
          () => new Error('the disk or the database is away'),
        ),
    ]),
  ) as T;

const folder = '/outbox';

/** The house's folder, and the real partner that writes there. */
export const hotfolderOver = (ports: {
  name: string;
  disk: Disk;
  marks: HandOverMarks;
  links: { disk: Link; database: Link };
  actor: Actor;
}): PrintPartner =>
  createHotfolder({
    name: ports.name,
    folder: `${folder}-${ports.name}`,
    disk: remote(ports.disk, ports.links.disk),
    marks: remote(ports.marks, ports.links.database),
    clock: ports.actor.clock,
  });

/** Takes the files in the folder of a partner, by moving tickets or by deleting them. */
export const emptyFolder = async (
  { disk, house }: { disk: Disk; house: House },
  name: string,
): Promise<void> => {
  const path = `${folder}-${name}`;
  for (const one of await disk.namesIn(path)) {
    if (!one.endsWith('.json')) continue;
    await disk.remove(`${path}/${one}`);
    house.take(one.slice(0, -'.json'.length));
  }
};
