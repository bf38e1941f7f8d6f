import { rebuild as rebuildProjection } from '../projections/rebuild.ts';
import { projections } from '../service/wings.ts';
import { type Command, exitCodes, pace, UsageError } from './command.ts';

/** @throws UsageError */
export const rebuild = ([name, ...rest]: string[]): Command => {
  const names = projections.map((projection) => projection.name);
  if (name === undefined || rest.length > 0) {
    throw new UsageError(`rebuild takes one of ${names.join(', ')}, or all`);
  }
  const chosen = projections.filter((projection) => name === 'all' || projection.name === name);
  if (chosen.length === 0) {
    throw new UsageError(`there is no projection ${name}; there are ${names.join(', ')}, and all`);
  }
  return async ({ storage: { store, projectionDb: db }, log }, print) => {
    const startMs = performance.now();
    const { events } = await rebuildProjection({ store, db, log }, chosen);
    const rebuilt = chosen.map((projection) => projection.name).join(', ');
    print(`${rebuilt}: ${pace(events, performance.now() - startMs)}`);
    return exitCodes.done;
  };
};
