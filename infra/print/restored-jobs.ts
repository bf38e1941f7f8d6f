/**
 * Jobs that the print house may have taken after the backup that the data was restored from. The database
 * does not know their outcome, so the operator records it.
 */

import { createBatchLoader } from '../../ground/batch-loader.ts';
import type { Db } from '../../ground/db.ts';
import type { Doubt, PrintPartner, RestoredJobs } from '../../reactors/print-partner.ts';
import { currentGeneration } from '../postgres/log-generations.ts';

/** A row per job, in order; none before the first generation, when no data can have been restored. */
const selectDoubts = `
select g.number, g.began_at, g.settled_at is not null as settled, g.earlier_partners,
  r.generation, r.printed, r.again
from (
  select number, began_at, settled_at, earlier_partners
  from reactors.log_generations order by number desc limit 1
) g
cross join unnest($1::uuid[]) with ordinality as asked (job_id, n)
left join print.restored_jobs r on r.job_id = asked.job_id
order by asked.n`;

const maxBatch = 200;

/** `generation`, `printed` and `again` are null where the operator decided nothing. */
type Row = {
  number: bigint;
  began_at: Date;
  settled: boolean;
  earlier_partners: string[] | null;
  generation: bigint | null;
  printed: boolean | null;
  again: boolean | null;
};

/** The print partner of live letters. `recordedAs` tells print houses apart that have the same name. */
export type Serving = { name: string; house?: string; recordedAs: string };

type Asked = {
  jobId: string;
  releasedAt: string;
  partner: Pick<PrintPartner, 'name' | 'remembersJobs'>;
};

/** A letter of the present partner may have been released to an earlier one, whose jobs it does not know. */
const isRemembered = ({ earlier_partners: earlier }: Row, { partner }: Asked, serving: Serving) => {
  if (!partner.remembersJobs || partner.name !== serving.name) return partner.remembersJobs;
  return earlier?.every((one) => one === serving.recordedAs) ?? false;
};

const doubtIn = (row: Row | undefined, asked: Asked, serving: Serving): Doubt => {
  if (!row) return 'none';
  if (row.printed) return 'printed';
  const isCurrent = row.generation !== null && row.generation >= row.number;
  if (isCurrent && row.again) return 'again';
  if (isCurrent || row.settled || isRemembered(row, asked, serving)) return 'none';
  return Date.parse(asked.releasedAt) <= row.began_at.getTime() ? 'undecided' : 'none';
};

/** One statement answers for all letters that are about to be handed over. */
const createDoubtLookUp = (db: Db, serving: Serving) =>
  createBatchLoader({
    maxBatch,
    async load(asked: Asked[]) {
      const { rows } = await db.query<Row>(selectDoubts, [asked.map(({ jobId }) => jobId)]);
      return asked.map((one, n) => doubtIn(rows[n], one, serving));
    },
  });

/** Decisions of a generation hold in the latest one, too: it began, but nothing was restored. */
export const keepDecisions = async (tx: Db, of: { number: bigint }): Promise<void> => {
  await tx.query(
    `update print.restored_jobs set generation = (select max(number) from reactors.log_generations)
     where generation = $1`,
    [of.number],
  );
};

export const createRestoredJobs = (
  db: Db,
  serving: Serving,
): RestoredJobs & {
  /** Records the operator's decision about a job. */
  decide(jobId: string, printed: boolean): Promise<void>;
  /** Jobs that are to be handed over again, at most `limit`: those after a job, or the first ones. */
  toHandOver(limit: number, after?: string): Promise<string[]>;
} => {
  const lookUp = createDoubtLookUp(db, serving);
  return {
    doubtOf: (jobId, releasedAt, partner) => lookUp({ jobId, releasedAt, partner }),
    async handedOver(jobId) {
      await db.query('update print.restored_jobs set again = false where job_id = $1', [jobId]);
    },
    async wasGivenAgain(jobId) {
      const { rows } = await db.query(
        'select 1 from print.restored_jobs where job_id = $1 and not printed',
        [jobId],
      );
      return rows.length > 0;
    },
    async decide(jobId, printed) {
      const generation = await currentGeneration(db);
      await db.query(
        `insert into print.restored_jobs (job_id, generation, printed, again) values ($1, $2, $3, $4)
       on conflict (job_id) do update set generation = $2, printed = $3, again = $4, decided_at = now()`,
        [jobId, generation?.number ?? 0n, printed, !printed],
      );
    },
    async toHandOver(limit, after) {
      const { rows } = await db.query<{ job_id: string }>(
        `select job_id from print.restored_jobs
         where again and generation >= (select max(number) from reactors.log_generations)
           and ($2::uuid is null or job_id > $2)
         order by job_id limit $1`,
        [limit, after ?? null],
      );
      return rows.map(({ job_id }) => job_id);
    },
  };
};
