import { uploadBytes } from '../../../http/body-rules.ts';
import {
  defaultLimits,
  type Limits,
  limitNames,
  limitRow,
  settingOf,
} from '../../../limits/table.ts';
import { ConfigError, integer } from '../config-parsers.ts';
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

const limitsOf = (set: Record<string, number | undefined>): Limits => {
  const limits = { ...defaultLimits };
  for (const { limit, name } of ours) limits[limit] = set[name] ?? limits[limit];
  return limits;
};

/**
 * A caller gets half of the memory for bodies while nobody else sends one. A larger body would be refused each time.
 * @throws ConfigError
 */
const assertRoomForUploads = (limits: Limits, takesPayments: boolean): void => {
  const least = 2 * uploadBytes(limits);
  const totals = [
    'bodyBytesInProgress',
    // Only payers send letters without a key.
    ...(takesPayments ? (['publicBodyBytesInProgress'] as const) : []),
  ] as const;
  const small = totals.find((name) => limits[name] < least);
  if (small === undefined) return;
  throw new ConfigError(
    `${settingOf(small)} must be at least ${least}, because a caller gets half of it, and a letter takes LIMIT_DOCUMENT_BYTES in base64 and LIMIT_BODY_BYTES; it is ${limits[small]}`,
  );
};

export const limits = group({
  settings,
  prefixes: ['LIMIT_'],
  check: (set, { X402_PAY_TO: payTo }) => assertRoomForUploads(limitsOf(set), payTo !== undefined),
  read: (set) => ({ limits: limitsOf(set) }),
});
