import { dayOf, isDay } from '../ground/day.ts';
import type { PriceList } from '../postal/pricing.ts';
import { readConfig } from '../service/config/config.ts';
import { priceFileOf } from '../service/config/price-list.ts';
import { bareCommand, exitCodes, Refused, UsageError } from './command.ts';
import { defineCommand } from './define-command.ts';

/** @throws Refused for a day before the first prices */
const fileOf = (prices: PriceList, day: string) => {
  try {
    return priceFileOf(prices, day);
  } catch (error) {
    if (error instanceof RangeError) throw new Refused(`${error.message}.`);
    throw error;
  }
};

/** @throws UsageError */
const prices = (rest: string[], { on }: { on?: string }) => {
  if (rest.length > 0) throw new UsageError('prices takes no arguments');
  const day = on ?? dayOf(Date.now());
  if (!isDay(day)) throw new UsageError(`--on takes a day such as 2027-01-01, got ${day}`);
  return bareCommand(async (env, _log, print) => {
    print(JSON.stringify(fileOf(readConfig(env).prices, day), null, 2));
    return exitCodes.done;
  });
};

export const pricesCommand = defineCommand({
  name: 'prices',
  usage: '[--on DAY]',
  summary: 'Prints the prices of a day, today by default, in the form of the file of PRICE_LIST.',
  help: 'Change what it prints, and set PRICE_LIST to the path of the file. docs/money.md explains the form.',
  examples: ['prices > prices.json', 'prices --on 2027-01-01'],
  options: { on: 'text' },
  read: prices,
});
