/** The doctor's last findings, for the console. */
import type { CheckResult } from '../../ground/check.ts';
import { type Db, oneRow } from '../../ground/db.ts';

type DoctorRun = { ran_at: Date; results: CheckResult[] };

export const recordDoctorRun = async (
  query: (text: string, values: unknown[]) => Promise<unknown>,
  results: readonly CheckResult[],
  atMs: number,
): Promise<void> => {
  await query(
    `insert into operation.doctor_runs (ran_at, results) values ($1, $2::jsonb)
     on conflict (only_row) do update set ran_at = excluded.ran_at, results = excluded.results`,
    [new Date(atMs).toISOString(), JSON.stringify(results)],
  );
};

export const lastDoctorRun = (db: Db): Promise<DoctorRun | undefined> =>
  oneRow(db, 'select ran_at, results from operation.doctor_runs');
