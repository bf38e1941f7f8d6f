import { groups } from '../../service/config/config.ts';

/** The settings whose value may stand in a file instead. */
export const secretNames = (): string[] =>
  groups.flatMap(({ settings }) =>
    Object.entries(settings).flatMap(([name, { secret }]) => (secret ? [name] : [])),
  );
