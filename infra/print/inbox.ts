import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import type { CommandHandler } from '../../commands/handle.ts';
import { letterAggregate, type ReportProgress, reportProgress } from '../../commands/letter.ts';
import { checkTrackingNumber } from '../../postal/tracking-numbers.ts';
import type { ServiceId } from '../../postal/types.ts';

/** A status file of a hotfolder print house: `{ job_id, status, … }` as JSON. */
type StatusReport = {
  job_id: string;
  status: 'posted' | 'in_transit' | 'delivered' | 'returned' | 'failed';
  tracking_number?: string;
  evidence?: 'carrier_scan' | 'signature' | 'recipient_report';
  reason?: string;
};

const isStatusReport = new Ajv().compile<StatusReport>({
  type: 'object',
  required: ['job_id', 'status'],
  additionalProperties: false,
  properties: {
    job_id: { type: 'string', pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' },
    status: { enum: ['posted', 'in_transit', 'delivered', 'returned', 'failed'] },
    tracking_number: { type: 'string', maxLength: 40 },
    evidence: { enum: ['carrier_scan', 'signature', 'recipient_report'] },
    reason: { type: 'string', pattern: '^[a-z0-9_]{1,64}$' },
  },
  anyOf: [{ properties: { status: { not: { const: 'delivered' } } } }, { required: ['evidence'] }],
});

const reportOf = (report: StatusReport, trackingNumber: string | undefined): ReportProgress => {
  const type = 'ReportProgress' as const;
  const source = 'partner' as const;
  switch (report.status) {
    case 'posted':
    case 'in_transit':
      return { type, source, step: report.status, trackingNumber };
    case 'delivered':
      return { type, source, step: 'delivered', evidence: report.evidence ?? 'carrier_scan' };
    case 'returned':
      return { type, source, step: 'returned', reason: report.reason ?? 'returned_to_sender' };
    case 'failed': {
      const code = report.reason ?? 'print_failure';
      const detail = 'The print house could not produce the letter.';
      return { type, source, step: 'failed', code, stage: 'print', retryable: false, detail };
    }
    default: {
      const unknown: never = report.status;
      return unknown;
    }
  }
};

/**
 * Reads what a hotfolder print house reports. A file is moved to `done` once its report is stored, or
 * to `rejected` beside a text that says why; the same report again changes nothing.
 */
export const createInbox = (options: {
  folder: string;
  handler: CommandHandler;
  log: { warn(fields: object, message: string): void };
}) => {
  const { folder, handler, log } = options;

  const take = async (name: string): Promise<void> => {
    const report: unknown = JSON.parse(await readFile(join(folder, name), 'utf8'));
    if (!isStatusReport(report)) {
      const first = isStatusReport.errors?.[0];
      throw new Error(
        `${first?.instancePath ?? ''} ${first?.message ?? 'is not a status report'}`.trim(),
      );
    }
    const { state } = await handler.load(letterAggregate, report.job_id);
    if (state.status === 'none') throw new Error(`there is no job ${report.job_id}`);
    let number: string | undefined;
    if (report.tracking_number !== undefined) {
      const checked = checkTrackingNumber(state.terms.service as ServiceId, report.tracking_number);
      if (!checked.ok) throw new Error(`tracking_number: ${checked.detail}`);
      number = checked.normalized;
    }
    const command = reportOf(report, number);
    const context = { commandId: randomUUID(), actor: 'partner:hotfolder' };
    await handler.handle(letterAggregate, report.job_id, context, (letter) => [
      ...(number === undefined || command.step === 'posted' || command.step === 'in_transit'
        ? []
        : reportProgress(letter, {
            type: 'ReportProgress',
            source: 'partner',
            step: 'tracking_number',
            trackingNumber: number,
          })),
      ...reportProgress(letter, command),
    ]);
  };

  return {
    /** Takes every report that is there. Returns how many were stored. */
    async poll(): Promise<number> {
      await mkdir(join(folder, 'done'), { recursive: true, mode: 0o700 });
      await mkdir(join(folder, 'rejected'), { recursive: true, mode: 0o700 });
      const names = (await readdir(folder))
        .filter((name) => /^[^.].*\.json$/.test(name))
        .toSorted();
      let stored = 0;
      for (const name of names) {
        try {
          await take(name);
          await rename(join(folder, name), join(folder, 'done', name));
          stored++;
        } catch (error) {
          if (error instanceof Error && error.name === 'StoreUnavailable') throw error;
          const why = error instanceof Error ? error.message : String(error);
          log.warn({ file: name, err: why }, 'a status report was rejected');
          await writeFile(join(folder, 'rejected', `${name}.txt`), `${why}\n`);
          await rename(join(folder, name), join(folder, 'rejected', name));
        }
      }
      return stored;
    },
  };
};
