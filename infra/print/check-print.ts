/** Whether the print house can be reached. Nothing is handed over. */
import { stat } from 'node:fs/promises';
import { request } from 'undici';
import { type Check, fail, ok, warn } from '../../ground/check.ts';
import { tryToWrite } from '../host/check-disk.ts';

const timeoutMs = 8_000;

const isFolder = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.isDirectory() ?? false;

/** `folder`: where jobs are written. */
export const checkHotfolder = (folder: string): Check => ({
  name: 'print',
  remedy: `make ${folder} a folder that the service may write to`,
  async run() {
    if (!(await isFolder(folder))) {
      return warn(`${folder} does not exist`, 'start the service once; it makes the folder');
    }
    await tryToWrite(folder);
    return ok(`hotfolder ${folder} can be written to`);
  },
});

/** Any answer below 500 says that the print house is there: its API has no call without a job. */
export const checkHttpPartner = (url: string): Check => ({
  name: 'print',
  remedy: 'correct PRINT_HTTP_URL, or ask the print house',
  async run() {
    const { host } = new URL(url);
    const answer = await request(url, {
      method: 'HEAD',
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      signal: AbortSignal.timeout(timeoutMs),
    });
    await answer.body.dump();
    const { statusCode } = answer;
    if (statusCode < 500) return ok(`${host} answers (${statusCode})`);
    return fail(`${host} answers ${statusCode}`, 'ask the print house');
  },
});
