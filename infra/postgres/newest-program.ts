/**
 * The newest program that has worked on this database. An older one must not work at the same time: it
 * cannot read all events, and would fill read models that have other columns.
 */

import { StartRefused } from '../../contract/start-refused.ts';
import type { Db } from '../../ground/db.ts';

/** A program, by what it writes. */
export type Program = {
  version: string;
  /** Of event types, by their names. */
  events: Readonly<Record<string, number>>;
  readModels: readonly { name: string; version: number }[];
};

type Recorded = { program: string | null; event_versions: Record<string, number> | null };

const difference = (
  what: string,
  name: string,
  written: number,
  known: number | undefined,
): string => {
  const knows = known === undefined ? 'does not know it' : `knows version ${known}`;
  return `${what} ${name} is written in version ${written}, and this program ${knows}`;
};

const newerEvent = ({ events }: Program, recorded: Recorded | undefined): string | undefined => {
  for (const [type, version] of Object.entries(recorded?.event_versions ?? {})) {
    const known = Object.hasOwn(events, type) ? events[type] : undefined;
    if (version > (known ?? 0)) return difference('the event', type, version, known);
  }
  return undefined;
};

const newerReadModel = async (db: Db, { readModels }: Program): Promise<string | undefined> => {
  const { rows } = await db.query<{ name: string; version: number }>(
    'select name, version from read_models.projections',
  );
  const written = new Map(rows.map(({ name, version }) => [name, version]));
  const newer = readModels.find(({ name, version }) => (written.get(name) ?? 0) > version);
  if (!newer) return undefined;
  return difference('the read model', newer.name, written.get(newer.name) ?? 0, newer.version);
};

/** Why this program is too old for the database, as a sentence; undefined when it is not. */
export const whyOutdated = async (db: Db, program: Program): Promise<string | undefined> => {
  const { rows } = await db.query<Recorded>(
    'select program, event_versions from read_models.followed_log',
  );
  const newer = newerEvent(program, rows[0]) ?? (await newerReadModel(db, program));
  if (newer === undefined) return undefined;
  const recorded = rows[0]?.program ?? program.version;
  const needed =
    recorded === program.version ? `a newer build of ${recorded}` : `version ${recorded}`;
  return `This program, version ${program.version}, is older than the database: ${newer}; start ${needed} or a later version.`;
};

/** @throws StartRefused when a newer program has worked on the database */
export const assertNotOutdated = async (db: Db, program: Program): Promise<void> => {
  const why = await whyOutdated(db, program);
  if (why !== undefined) throw new StartRefused(why);
};

/** Writes down what this program writes, unless a newer one has done so. */
export const recordProgram = async (db: Db, { version, events }: Program): Promise<void> => {
  await db.query(
    `update read_models.followed_log as known set program = $1, event_versions = $2::jsonb
     where (program, event_versions) is distinct from ($1, $2::jsonb)
       and not exists (
         select from jsonb_each_text(coalesce(known.event_versions, '{}')) as e
         where e.value::int > coalesce(($2::jsonb ->> e.key)::int, 0))`,
    [version, JSON.stringify(events)],
  );
};
