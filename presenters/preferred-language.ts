import { type Language, languages } from '../postal/stationery.ts';

const isLanguage = (tag: string): tag is Language => (languages as readonly string[]).includes(tag);

/** The language that a reader prefers (RFC 9110 §12.5.4) of those that we have; undefined where none is. */
export const preferredOf = (acceptLanguage: string | undefined): Language | undefined => {
  const wanted = (acceptLanguage ?? '')
    .slice(0, 200)
    .split(',')
    .map((entry) => {
      const [tag = '', ...parameters] = entry.trim().toLowerCase().split(';');
      const quality = parameters.find((parameter) => parameter.trim().startsWith('q='));
      const weight = quality === undefined ? 1 : Number(quality.trim().slice(2));
      return { tag: tag.split('-')[0] ?? '', weight };
    });
  const best = wanted
    .filter(({ tag, weight }) => weight > 0 && isLanguage(tag))
    .toSorted((a, b) => b.weight - a.weight)[0]?.tag;
  return best !== undefined && isLanguage(best) ? best : undefined;
};

/** English where no other is preferred. */
export const preferredLanguage = (acceptLanguage: string | undefined): Language =>
  preferredOf(acceptLanguage) ?? 'en';
