/** Exports of all data of an account. */

import { AppError } from '../contract/errors.ts';
import { type AnyOperation, operation } from '../contract/operation.ts';
import { keyReused } from '../contract/refusals.ts';
import type { Clock } from '../ground/clock.ts';
import { dayMs } from '../ground/day.ts';
import { Type } from '../ground/type.ts';
import { Export, presentExport } from '../presenters/export.ts';

type Row = Omit<Parameters<typeof presentExport>[0], 'state'> & {
  accountId: string;
  requestHash: string;
  state: 'making' | 'ready' | 'failed' | 'removed';
};

type ExportPorts = {
  clock: Clock;
  /** Adds the job that makes it, too. */
  begin(
    wanted: { exportId: string; accountId: string; requestHash: string; documents: boolean },
    at: { now: Date; givenUpAt: Date },
  ): Promise<{ row: Row; isNew: boolean } | { other: string }>;
  /** Adds its job again, with all attempts. */
  enqueue(exportId: string): Promise<void>;
};

/** An export that is not made by then never will be. */
const madeWithinMs = 3 * dayMs;

export const exportOperation = (ports: ExportPorts): AnyOperation =>
  operation({
    name: 'create_export',
    method: 'POST',
    path: '/api/exports',
    tag: 'Account',
    summary: 'Export all data of the account',
    description:
      'The archive is made in the background: GET /api/exports/{id} shows when it is ready, and returns it. It contains a page to read, letters as JSON, text and PDF, the statement, settings, logos, and signed events that can be verified offline. One export is made at a time. A new archive replaces the one before, and each is removed after seven days. A letter or logo that is erased can no longer be read in any archive. Also possible while the account is closing.',
    access: 'full',
    permit: { about: 'account' },
    idempotent: true,
    whileBlocked: true,
    whileFrozen: 'account',
    input: {
      body: Type.NamedExact('CreateExport', {
        documents: Type.Optional(
          Type.Boolean({
            description:
              'With the letters as PDF, as they are printed and as they were sent. Default: true.',
          }),
        ),
      }),
    },
    responses: { 202: { description: 'The export is being made', schema: Export } },
    errors: ['export_in_progress', 'conflict'],
    examples: [{ summary: 'Everything', body: {} }],
    async handle({ body, caller, command }) {
      const { commandId: exportId, requestHash } = command;
      const { accountId } = caller;
      const now = ports.clock();
      const at = { now: new Date(now), givenUpAt: new Date(now + madeWithinMs) };
      const documents = body.documents ?? true;
      const begun = await ports.begin({ exportId, accountId, requestHash, documents }, at);
      if ('other' in begun) {
        throw new AppError(
          'export_in_progress',
          `Another export of the account is being made: ${begun.other}. Wait until it is ready.`,
          { extra: { export_id: begun.other } },
        );
      }
      const { row, isNew } = begun;
      if (row.requestHash !== requestHash || row.accountId !== accountId) throw keyReused();
      if (!isNew && row.state === 'making') await ports.enqueue(exportId);
      const shown = { ...row, state: 'making' as const, letters: 0, partBytes: [] };
      return { body: presentExport(shown), replayed: !isNew };
    },
  });
