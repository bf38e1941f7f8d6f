/**
 * Which attempt may publish a job: one for each job, durable before anything is published, the same for
 * every process. So a job whose files are gone is known to be taken, not to be missing. The mark also records when the
 * pages were set, because the job itself can no longer be read once the print house has it.
 */

import { createBatchLoader } from '../../ground/batch-loader.ts';
import type { Db } from '../../ground/db.ts';

/** Nobody may publish the job any more. */
export const over = 'over';

export type HandOverMarks = {
  /** The mark of a job: the id of an attempt, or `over`. Absent: it was never published. */
  of(jobId: string): Promise<string | undefined>;
  /**
   * Marks a job for an attempt, unless it is marked already. Returns the mark that counts. `datedAt`: when the pages of
   * the attempt were set, RFC 3339.
   */
  claim(jobId: string, attempt: string, datedAt?: string): Promise<string>;
  /** Marks a job for a new attempt. To be called only if the last attempt certainly failed. */
  renew(jobId: string, attempt: string, datedAt: string): Promise<void>;
  /** When the pages of the marked attempt were set. Absent: unknown. */
  datedAt(jobId: string): Promise<string | undefined>;
  /** Marks a job as `over`, whatever stood there. */
  end(jobId: string): Promise<void>;
  /** Forgets the mark of a job, which may then be published again. */
  forget(jobId: string): Promise<void>;
  /** Forgets the marks of jobs that were over before `before` (epoch ms). */
  prune(before: number): Promise<void>;
};

const select =
  'select job_id, mark, dated_at from print.hand_overs where partner = $1 and job_id = any($2)';
const insert = `
insert into print.hand_overs (partner, job_id, mark, dated_at)
select $1, job_id, mark, dated_at from unnest($2::uuid[], $3::text[], $4::timestamptz[]) as t (job_id, mark, dated_at)
order by job_id
on conflict do nothing
returning job_id, mark, dated_at`;

type Row = { job_id: string; mark: string; dated_at: Date | null };
const byJob = (rows: Row[]): Map<string, Row> => new Map(rows.map((row) => [row.job_id, row]));
const maxBatch = 200;

/** Marks in Postgres, written and read many at a time. */
export const createHandOverMarks = (db: Db, partner: string): HandOverMarks => {
  const read = async (jobIds: string[]): Promise<Map<string, Row>> => {
    const { rows } = await db.query<Row>(select, [partner, jobIds]);
    return byJob(rows);
  };
  const claim = createBatchLoader({
    maxBatch,
    async load(claims: { jobId: string; attempt: string; datedAt: string | undefined }[]) {
      const jobIds = claims.map(({ jobId }) => jobId);
      const attempts = claims.map(({ attempt }) => attempt);
      const dates = claims.map(({ datedAt = null }) => datedAt);
      const { rows } = await db.query<Row>(insert, [partner, jobIds, attempts, dates]);
      // If a mark existed before, the caller gets that one.
      const marks = rows.length < claims.length ? await read(jobIds) : byJob(rows);
      return jobIds.map((jobId) => marks.get(jobId)?.mark ?? over);
    },
  });
  const rowOf = createBatchLoader({
    maxBatch,
    async load(jobIds: string[]) {
      const marks = await read(jobIds);
      return jobIds.map((jobId) => marks.get(jobId));
    },
  });
  return {
    of: async (jobId) => (await rowOf(jobId))?.mark,
    claim: (jobId, attempt, datedAt) => claim({ jobId, attempt, datedAt }),
    async renew(jobId, attempt, datedAt) {
      await db.query(
        `insert into print.hand_overs (partner, job_id, mark, dated_at) values ($1, $2, $3, $4)
         on conflict (partner, job_id) do update set mark = $3, dated_at = $4, marked_at = now()`,
        [partner, jobId, attempt, datedAt],
      );
    },
    datedAt: async (jobId) => (await rowOf(jobId))?.dated_at?.toISOString(),
    async end(jobId) {
      await db.query(
        `insert into print.hand_overs (partner, job_id, mark) values ($1, $2, $3)
         on conflict (partner, job_id) do update set mark = $3, marked_at = now()`,
        [partner, jobId, over],
      );
    },
    async forget(jobId) {
      await db.query('delete from print.hand_overs where partner = $1 and job_id = $2', [
        partner,
        jobId,
      ]);
    },
    async prune(before) {
      await db.query(
        'delete from print.hand_overs where partner = $1 and mark = $2 and marked_at < $3',
        [partner, over, new Date(before).toISOString()],
      );
    },
  };
};
