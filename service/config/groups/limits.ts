import { defaultLimits, limitNames, limitRow, settingOf } from '../../../limits/table.ts';
import { integer } from '../config-parsers.ts';
import { group, plain, type Setting } from '../group.ts';

/** Limits with a name of their own are settings of another group. */
const ours = limitNames.flatMap((limit) => {
  const name = settingOf(limit);
  return name?.startsWith('LIMIT_') ? [{ limit, name }] : [];
});

const settings: Record<string, Setting<number>> = Object.fromEntries(
  ours.map(({ limit, name }) => {
    const { usual, least = 1, most = 2 ** 31 - 1, means } = limitRow(limit);
    return [name, plain(integer(least, most), String(usual), means)];
  }),
);

export const limits = group({
  settings,
  prefixes: ['LIMIT_'],
  read: (set) => {
    const limits = { ...defaultLimits };
    for (const { limit, name } of ours) limits[limit] = set[name] ?? limits[limit];
    return { limits };
  },
});
