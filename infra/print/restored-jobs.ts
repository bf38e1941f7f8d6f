/**
 * Jobs that the print house may have taken after the backup that the data was restored from: the database
 * does not know, so the operator says what became of each.
 */
import type { Db } from '../../ground/db.ts';
import type { Doubt, RestoredJobs } from '../../reactors/print-partner.ts';
import { currentGeneration } from '../postgres/log-generations.ts';

type Row = { generation: bigint; printed: boolean; again: boolean };

export const createRestoredJobs = (
  db: Db,
): RestoredJobs & {
  /** What the operator says of a job. */
  decide(jobId: string, printed: boolean): Promise<void>;
  /** Jobs that are to be handed over again, at most `limit`. */
  toHandOver(limit: number): Promise<string[]>;
} => ({
  async doubtOf(jobId, releasedAt): Promise<Doubt> {
    const generation = await currentGeneration(db);
    if (!generation) return 'none';
    const { rows } = await db.query<Row>(
      'select generation, printed, again from print.restored_jobs where job_id = $1',
      [jobId],
    );
    const [decided] = rows;
    if (decided?.printed) return 'printed';
    const isCurrent = decided !== undefined && decided.generation >= generation.number;
    if (isCurrent && decided.again) return 'again';
    if (isCurrent || generation.settled) return 'none';
    return Date.parse(releasedAt) <= generation.began_at.getTime() ? 'undecided' : 'none';
  },
  async handedOver(jobId) {
    await db.query('update print.restored_jobs set again = false where job_id = $1', [jobId]);
  },
  async decide(jobId, printed) {
    const generation = await currentGeneration(db);
    await db.query(
      `insert into print.restored_jobs (job_id, generation, printed, again) values ($1, $2, $3, $4)
       on conflict (job_id) do update set generation = $2, printed = $3, again = $4, decided_at = now()`,
      [jobId, generation?.number ?? 0n, printed, !printed],
    );
  },
  async toHandOver(limit) {
    const { rows } = await db.query<{ job_id: string }>(
      'select job_id from print.restored_jobs where again order by decided_at limit $1',
      [limit],
    );
    return rows.map(({ job_id }) => job_id);
  },
});
