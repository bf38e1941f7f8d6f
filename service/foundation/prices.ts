import { readFile } from 'node:fs/promises';
import type { Log } from '../../ground/log.ts';
import type { PriceList } from '../../postal/pricing.ts';
import type { Config } from '../config/config.ts';
import { priceListIn } from '../config/price-list.ts';
import { startChores } from './chores.ts';

/** The prices of this installation. They follow the file of `PRICE_LIST`; while that is wrong, they stay as they were. */
export const openPrices = (
  { prices, priceListFile: path }: Pick<Config, 'prices' | 'priceListFile'>,
  log: Log,
  /** CHOICE: how often the file is read. */
  everyMs = 5_000,
): { now(): PriceList; close(): Promise<void> } => {
  let current = prices;
  if (path === undefined) return { now: () => current, close: async () => {} };
  /** The content, or why it could not be read: nothing is said twice. */
  let seen = '';
  const work = async (): Promise<void> => {
    const content = await readFile(path, 'utf8').catch((error: Error) => error);
    if (String(content) === seen) return;
    seen = String(content);
    if (content instanceof Error) throw content;
    const { version, ...list } = priceListIn(content);
    if (version === current.version) return;
    current = { ...list, version, services: prices.services };
    log.info({ prices: version }, 'prices changed');
  };
  const what = 'reading PRICE_LIST, whose prices stay as they were,';
  return { now: () => current, close: startChores([{ what, everyMs, work }], log) };
};
