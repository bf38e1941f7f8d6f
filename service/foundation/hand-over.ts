import { type HandOverHours, handOverTime } from '../../postal/hand-over.ts';
import type { CountryCode } from '../../postal/types.ts';
import type { Config } from '../config/config.ts';

/** When live letters go to the print house; undefined where they go at any time. */
export const handOverOf = ({ print }: Pick<Config, 'print'>) => {
  if (print.handOver === 'always') return undefined;
  const hours: HandOverHours = { cutOffMinutes: print.cutOffMinutes };
  return (country: CountryCode, from: number): number => handOverTime(country, from, hours);
};
