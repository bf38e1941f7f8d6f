import { recordFirst } from '../infra/postgres/followed-log.ts';
import { rebuild as rebuildProjection } from '../projections/rebuild.ts';
import { projections } from '../service/wings.ts';
import { acceptLog as acceptLogAsItIs } from './accept-log.ts';
import { type Command, exitCodes, pace, UsageError } from './command.ts';

/** @throws UsageError */
export const rebuild = (
  [name, ...rest]: string[],
  { acceptLog = false }: { acceptLog?: boolean } = {},
): Command => {
  const names = projections.map((projection) => projection.name);
  if (name === undefined || rest.length > 0) {
    throw new UsageError(`rebuild takes one of ${names.join(', ')}, or all`);
  }
  const chosen = projections.filter((projection) => name === 'all' || projection.name === name);
  if (chosen.length === 0) {
    throw new UsageError(`there is no projection ${name}; there are ${names.join(', ')}, and all`);
  }
  if (acceptLog && name !== 'all') {
    throw new UsageError('--accept-log goes with rebuild all: every read model is of one log');
  }
  const command: Command = async ({ storage, log }, print) => {
    const { store, projectionDb: db, readDb } = storage;
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
