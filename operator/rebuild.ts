import { recordFirst } from '../infra/postgres/followed-log.ts';
import { rebuild as rebuildProjection } from '../projections/rebuild.ts';
import { projections } from '../service/wings/wings.ts';
import { acceptLog as acceptLogAsItIs } from './accept-log.ts';
import { type Command, exitCodes, pace, UsageError } from './command.ts';
import { defineCommand } from './define-command.ts';

/** @throws UsageError */
const rebuild = (
  [name, ...rest]: string[],
  { acceptLog = false }: { acceptLog?: boolean } = {},
): Command => {
  const names = projections.map((projection) => projection.name);
  if (name === undefined || rest.length > 0) {
    throw new UsageError(`rebuild takes one of ${names.join(', ')}, or all`);
  }
  const chosen = projections.filter((projection) => name === 'all' || projection.name === name);
  if (chosen.length === 0) {
    throw new UsageError(`there is no projection ${name}. Choose ${names.join(', ')}, or all`);
  }
  if (acceptLog && name !== 'all') {
    throw new UsageError('--accept-log needs rebuild all, because all read models follow one log');
  }
  const command: Command = async ({ storage, log }, print) => {
    const { store, rebuildDb: db, readDb } = storage;
    if (acceptLog) await acceptLogAsItIs(storage, print);
    const startMs = performance.now();
    const { events } = await rebuildProjection({ store, db, log }, chosen);
    const rebuilt = chosen.map((projection) => projection.name).join(', ');
    print(`${rebuilt}: ${pace(events, performance.now() - startMs)}`);
    if (acceptLog) await recordFirst(readDb, store);
    return exitCodes.done;
  };
  return Object.assign(command, { anyLog: acceptLog });
};

export const rebuildCommand = defineCommand({
  name: 'rebuild',
  usage: 'PROJECTION|all [--accept-log]',
  summary:
    'Fills a read model again from the log, next to the live one, and switches when it has caught up.',
  help: `Projections: ${projections.map(({ name }) => name).join(', ')}.
--accept-log needs all. It accepts a log that does not fit the database as the truth: the database gives up what it knows of events that are not in the log, including their credentials and their entries in the log of credentials. The service must be stopped.`,
  examples: ['rebuild all'],
  options: { 'accept-log': 'flag' },
  read: (positionals, { 'accept-log': acceptLog = false }) => rebuild(positionals, { acceptLog }),
});
