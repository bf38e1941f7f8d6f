import { resolve } from 'node:path';
import { numberOf } from '../../../ground/plural.ts';
import { type PriceList, usualPrices } from '../../../postal/pricing.ts';
import { type ServiceId, serviceIds } from '../../../postal/types.ts';
import { integer, listOf, oneOf } from '../config-parsers.ts';
import { group, plain, stated } from '../group.ts';
import { priceList } from '../price-list.ts';

const pricesOf = (
  list: PriceList = usualPrices,
  offered: readonly ServiceId[] = serviceIds,
): PriceList => ({ ...list, services: new Set(serviceIds.filter((id) => offered.includes(id))) });

export const letters = group({
  settings: {
    CANCELLATION_WINDOW_SECONDS: plain(
      integer(0, 86_400),
      '300',
      'how long a letter waits before production',
    ),
    PRICE_LIST: plain(
      priceList,
      'prices of the program',
      'path of a JSON file with your own exchange rates, prices of printing and postage, see [Money](money.md#your-own-prices)',
    ),
    SERVICES: plain(
      listOf(oneOf(...serviceIds)),
      'all',
      'services that letters go by, `de_standardbrief,fr_lettre_verte`; see [Printing](printing.md#services-that-you-offer)',
    ),
    RETENTION_DAYS: plain(
      integer(1, 36_500),
      '1 to 36500: letters are erased this many days after they are finished, see [Personal data](personal-data.md); absent: kept',
    ),
    DRAFT_RETENTION_DAYS: plain(
      integer(0, 36_500),
      '90',
      'drafts that wait for neither an approval nor a payer are cancelled, and their account notified, after this many days without a change; 0: never',
    ),
    ERASURE_JOURNAL: plain(
      (value: string) => resolve(value),
      '`DATA_DIR/erasures.log`',
      'append-only file of erasures, which a restore repeats, see [Backup](backup.md); a different disk is best',
    ),
  },
  read: (set) => ({
    cancellationWindowSeconds: set.CANCELLATION_WINDOW_SECONDS ?? 300,
    prices: pricesOf(set.PRICE_LIST?.prices, set.SERVICES),
    /** The file that they come from; absent: those of the program. */
    priceListFile: set.PRICE_LIST?.path,
    /** Personal data and documents are erased so long after a letter is over; absent: kept. */
    retentionDays: set.RETENTION_DAYS,
    draftRetentionDays: set.DRAFT_RETENTION_DAYS ?? 90,
    /** Absent: a file in `dataDir`. */
    erasureJournal: set.ERASURE_JOURNAL,
  }),
  describe: ({ retentionDays: days, prices }) => [
    `prices: ${prices.version}${prices.version === usualPrices.version ? ', of the program (PRICE_LIST)' : ''}`,
    `services: ${prices.services.size === serviceIds.length ? 'all' : [...prices.services].join(', ')}`,
    stated(
      'retention',
      days,
      `letters are erased ${numberOf(days ?? 0, 'day')} after they are over`,
      'letters are kept (RETENTION_DAYS)',
    ),
  ],
});
