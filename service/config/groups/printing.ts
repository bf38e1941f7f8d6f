/** Where letters are printed, and when they are handed over. */
import { resolve } from 'node:path';
import { usualHandOverHours } from '../../../postal/hand-over.ts';
import {
  baseUrl,
  ConfigError,
  isPrivateOnTheWay,
  matching,
  oneOf,
  orFail,
  text,
  webhookSecret,
} from '../config-parsers.ts';
import { chosen, group, plain, secret } from '../group.ts';

const dayTime = matching(
  /^(?!00:00)([01]\d|2[0-3]):[0-5]\d$/,
  'must be a time of the day from 00:01 to 23:59',
);
const account = matching(
  /^([a-z_][a-z0-9_.-]{0,31}|\d{1,9})$/i,
  'must be a name or a number of this machine',
);
const fileMode = orFail((value) => {
  const mode = /^0?[0-7]{3}$/.test(value) ? Number.parseInt(value, 8) : 0;
  return (mode & 0o600) === 0o600 && (mode & 0o111) === 0 ? mode : undefined;
}, 'must be the rights on a file in octal that lets its owner read and write it and nobody execute it, e.g. 640');

const minutesOf = (time: string): number => {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
};

export const printing = group({
  settings: {
    PRINT_PARTNER: plain(
      oneOf('hotfolder', 'http'),
      '`hotfolder`',
      '`hotfolder`, or `http`: see [Print houses](print-houses.md)',
    ),
    PRINT_HOTFOLDER: plain(
      (value: string) => resolve(value),
      '`DATA_DIR`',
      'folder of `outbox` and `inbox`',
    ),
    PRINT_HOTFOLDER_OWNER: plain(
      account,
      "the service's user",
      'owner of `outbox`, `inbox` and the files in them, a user name or number; needs root',
    ),
    PRINT_HOTFOLDER_GROUP: plain(
      account,
      "the service's group",
      'their group, a name or number; without root, a group of the service',
    ),
    PRINT_HOTFOLDER_MODE: plain(
      fileMode,
      '`600`',
      'file mode, octal; everyone who may read the files gets all rights on the two folders, because taking a job renames it',
    ),
    PRINT_HTTP_URL: plain(
      baseUrl,
      'required with `http`: address where the print house takes jobs; https, or http on this machine',
    ),
    PRINT_HTTP_TOKEN: secret(
      text,
      'required with `http`: bearer token that the print house gave you',
    ),
    PRINT_WEBHOOK_SECRET: secret(
      webhookSecret,
      'required with `http`: `whsec_…`, shared with the print house; signs messages in both directions',
    ),
    PRINT_HANDOVER: plain(
      oneOf('business-hours', 'always'),
      '`business-hours` with `http`, otherwise `always`',
      'when live letters go to the print house: on business days of its country until `PRINT_CUT_OFF`, or at any time',
    ),
    PRINT_CUT_OFF: plain(
      dayTime,
      '`17:30`',
      "local time in the print house's country after which letters wait for the next business day",
    ),
  },
  prefixes: ['PRINT_'],
  onlyWith: [{ name: 'PRINT_HTTP_URL', with: 'PRINT_PARTNER', is: 'http' }],
  needs: [
    chosen('PRINT_PARTNER', 'http', ['PRINT_HTTP_URL', 'PRINT_HTTP_TOKEN', 'PRINT_WEBHOOK_SECRET']),
  ],
  check({ PRINT_HTTP_URL: address }, all) {
    // Letters are personal: they go over TLS, or do not leave the machine.
    if (address === undefined || all.ALLOW_PRIVATE_FETCH || isPrivateOnTheWay(address)) return;
    throw new ConfigError(
      'PRINT_HTTP_URL must be https; http is for this machine only, or with ALLOW_PRIVATE_FETCH=true',
    );
  },
  read: (set) => ({
    print: {
      partner: set.PRINT_PARTNER ?? 'hotfolder',
      /** Absent: a folder in `dataDir`. */
      hotfolder: set.PRINT_HOTFOLDER,
      /** Users who may read the files in it; absent: the service's user alone. */
      access:
        (set.PRINT_HOTFOLDER_OWNER ?? set.PRINT_HOTFOLDER_GROUP ?? set.PRINT_HOTFOLDER_MODE)
          ? {
              owner: set.PRINT_HOTFOLDER_OWNER,
              group: set.PRINT_HOTFOLDER_GROUP,
              mode: set.PRINT_HOTFOLDER_MODE,
            }
          : undefined,
      httpUrl: set.PRINT_HTTP_URL,
      httpToken: set.PRINT_HTTP_TOKEN,
      webhookSecret: set.PRINT_WEBHOOK_SECRET,
      /** A folder takes letters at any time; people at a print house do not. */
      handOver: set.PRINT_HANDOVER ?? (set.PRINT_PARTNER === 'http' ? 'business-hours' : 'always'),
      cutOffMinutes:
        set.PRINT_CUT_OFF === undefined
          ? usualHandOverHours.cutOffMinutes
          : minutesOf(set.PRINT_CUT_OFF),
    },
  }),
  describe: ({ print: { partner, httpUrl } }) => [
    `print partner: ${partner}${partner === 'http' ? ` ${httpUrl}` : ''}`,
  ],
});
