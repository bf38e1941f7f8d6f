/** h) The bundle of a very long letter: packed, and verified offline by the program that is in it. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LetterEvent } from '../events/letter.ts';
import { packBundle } from '../identity/pack-bundle.ts';
import { auditedEvents, bundlePartsOf, verifierPath } from '../test/support/audit-history.ts';
import { queued, samplePersonal, sampleTerms } from '../test/support/letter-samples.ts';
import { print } from './printed.ts';
import { below, formatTable, megabytes, tenth } from './report.ts';
import type { Outcome } from './scenarios.ts';

const eventCount = 10_000;
const wantedSeconds = 3;

const updated = (): LetterEvent => ({
  type: 'LetterUpdated',
  data: { terms: sampleTerms(), changed: ['reference'] },
  personal: samplePersonal(),
});

const secondsOf = async <T>(work: () => T | Promise<T>): Promise<[T, number]> => {
  const startMs = performance.now();
  const result = await work();
  return [result, (performance.now() - startMs) / 1_000];
};

const verified = (zip: string): boolean => {
  try {
    const out = execFileSync(process.execPath, [verifierPath, zip], { maxBuffer: 64e6, env: {} });
    return out.includes('OK: everything holds.');
  } catch {
    return false;
  }
};

export const runAudits = async (): Promise<Outcome> => {
  const folder = await mkdtemp(join(tmpdir(), 'letters-bench-audit-'));
  try {
    const events = auditedEvents([queued(), ...Array.from({ length: eventCount - 1 }, updated)]);
    const [zip, packSeconds] = await secondsOf(async () => packBundle(await bundlePartsOf(events)));
    const path = join(folder, 'audit.zip');
    await writeFile(path, zip);
    const [holds, verifySeconds] = await secondsOf(() => verified(path));
    print(
      formatTable({
        columns: ['what', 'seconds', 'size'],
        rows: [
          ['make and pack the bundle', tenth(packSeconds), megabytes(zip.length)],
          ['verify-audit.mjs, its start included', tenth(verifySeconds), ''],
        ],
      }),
    );
    return {
      targets: [below('h) verification of 10,000 events', wantedSeconds, verifySeconds, ' s')],
      problems: holds ? [] : ['the bundle of 10,000 events does not verify'],
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
