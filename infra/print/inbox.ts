import { randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import { lstat, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import {
  PartnerReport,
  type ReportPorts,
  takeReport,
} from '../../commands/letters/partner-report.ts';
import { isAppError } from '../../contract/errors.ts';
import { withoutByteOrderMark } from '../../ground/byte-order-mark.ts';
import { lazily } from '../../ground/lazily.ts';
import { fieldErrors } from '../../http/field-errors.ts';

/** Compiled for the first report: most processes read none. */
const checks = lazily({
  report: () => new Ajv({ allErrors: true, verbose: true }).compile<PartnerReport>(PartnerReport),
});

/** A file that is no report, whatever is known of letters. */
class NotAReport extends Error {}

const parse = (text: string): PartnerReport => {
  let report: unknown;
  try {
    report = JSON.parse(withoutByteOrderMark(text));
  } catch {
    throw new NotAReport('is not JSON');
  }
  const { report: isPartnerReport } = checks;
  if (isPartnerReport(report)) return report;
  const wrong = fieldErrors(isPartnerReport.errors ?? [], { prefix: '', top: 'The report' });
  throw new NotAReport(wrong.flatMap(({ detail, hint }) => [detail, hint ?? []].flat()).join(' '));
};

/** A report has some hundred bytes. */
const maxBytes = 65_536;
/** Of a file's name, on the file systems in use. */
const maxNameBytes = 255;

/** Only of a file of our folder: a link may lead anywhere. */
const readReport = async (path: string, stats: Stats): Promise<string> => {
  if (!stats.isFile()) throw new NotAReport('is not a file');
  if (stats.size > maxBytes) throw new NotAReport(`has more than ${maxBytes} bytes`);
  return readFile(path, 'utf8');
};

const isSameFile = (one: Stats, other: Stats): boolean =>
  one.ino === other.ino && one.size === other.size && one.mtimeMs === other.mtimeMs;

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';

/**
 * Gives an earlier file of the same name its time in its name, so that it can be read again after a restore, and before
 * the one that replaces it.
 */
const keepEarlier = async (folder: string, name: string): Promise<void> => {
  const earlier = await lstat(join(folder, name)).catch((error: unknown) => {
    if (isMissing(error)) return undefined;
    throw error;
  });
  const kept = `${name.slice(0, -'.json'.length)}.${Math.round(earlier?.mtimeMs ?? 0)}.json`;
  if (!earlier?.isFile() || Buffer.byteLength(kept) > maxNameBytes) return;
  await rename(join(folder, name), join(folder, kept));
};

/** Whether the file itself is at fault, so that reading it again would not help. */
const isRejection = (error: unknown): error is Error =>
  error instanceof NotAReport || (isAppError(error) && error.status < 500 && error.status !== 409);

/**
 * Reads what a hotfolder print house reports. A file is moved to `done` once its report is stored, or to
 * `rejected` together with a text that says why; the same report again changes nothing. One that cannot be
 * stored now stays and is read again.
 */
export const createInbox = (
  options: Omit<ReportPorts, 'partner'> & {
    folder: string;
    /** Told of each file. */
    counted?: (result: 'stored' | 'rejected') => void;
  },
) => {
  const { folder, log, counted } = options;
  const ports = { ...options, partner: 'hotfolder' };

  /** A file that arrived under the same name meanwhile was not read. It gets a new name. */
  const putAway = async (name: string, place: string, read: Stats): Promise<void> => {
    const path = join(folder, place, name);
    await keepEarlier(join(folder, place), name);
    await rename(join(folder, name), path);
    if (isSameFile(read, await lstat(path))) return;
    await rename(path, join(folder, `${randomUUID()}.json`));
  };

  const take = async (name: string, stats: Stats): Promise<void> => {
    const report = parse(await readReport(join(folder, name), stats));
    const context = { commandId: randomUUID(), actor: 'partner:hotfolder' };
    await takeReport(ports, report, context);
  };

  const reject = async (name: string, why: string, read: Stats): Promise<void> => {
    // The reason quotes the report, which may name a person, so it stays out of the log.
    log.warn({ file: name }, 'a status report was rejected; inbox/rejected says why');
    const beside = `${name}.txt`;
    const fits = Buffer.byteLength(beside) <= maxNameBytes;
    const text = fits ? `${why}\n` : `${name}\n${why}\n`;
    await writeFile(join(folder, 'rejected', fits ? beside : `${randomUUID()}.txt`), text);
    await putAway(name, 'rejected', read);
  };

  /** Stores a report or puts it aside. Returns whether it was stored. */
  const settle = async (name: string): Promise<boolean> => {
    const read = await lstat(join(folder, name));
    try {
      await take(name, read);
    } catch (error) {
      if (!isRejection(error)) throw error;
      await reject(name, error.message, read);
      counted?.('rejected');
      return false;
    }
    await putAway(name, 'done', read);
    counted?.('stored');
    return true;
  };

  return {
    /** Takes every report that is there. Returns how many were stored. @throws store errors */
    async poll(): Promise<number> {
      await mkdir(join(folder, 'done'), { recursive: true, mode: 0o700 });
      await mkdir(join(folder, 'rejected'), { recursive: true, mode: 0o700 });
      const names = (await readdir(folder))
        .filter((name) => /^[^.].*\.json$/.test(name))
        .toSorted();
      let stored = 0;
      let failure: unknown;
      for (const name of names) {
        try {
          if (await settle(name)) stored++;
        } catch (error) {
          // Another process may have been quicker.
          if (!isMissing(error)) failure ??= error;
        }
      }
      if (failure !== undefined) throw failure;
      return stored;
    },
  };
};
