/** Answers to the print house. */
import type { Static } from 'typebox';
import { Type } from '../ground/type.ts';
import { LetterId } from './common.ts';

export const TakenReport = Type.Named('TakenReport', {
  job_id: LetterId,
  changed: Type.Boolean({ description: 'Whether the report changed anything.' }),
});

export const presentTakenReport = (
  jobId: string,
  changed: boolean,
): Static<typeof TakenReport> => ({ job_id: jobId, changed });
