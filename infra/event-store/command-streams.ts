import type { CommandStreams } from '../../commands/handling/fold.ts';
import type { Db } from '../../ground/db.ts';

/** CHOICE: how long a command cannot change another stream. Callers repeat requests within hours. */
const keptDays = 30;

/** The claims of commands on the one stream that each changes, for a store that does not tell of ids it knows. */
export const createCommandStreams = (db: Db): CommandStreams => ({
  async claim(commandId, stream) {
    const { rows } = await db.query<{ stream: string }>(
      `insert into commands.streams as claimed (command_id, stream) values ($1, $2)
       on conflict (command_id) do update set stream = claimed.stream returning stream`,
      [commandId, stream],
    );
    return rows[0]?.stream ?? stream;
  },
});

/** Returns how many rows were removed. */
export const sweepCommandStreams = async (db: Db): Promise<number> => {
  const { rowCount } = await db.query(
    'delete from commands.streams where claimed_at < clock_timestamp() - make_interval(days => $1)',
    [keptDays],
  );
  return rowCount ?? 0;
};
