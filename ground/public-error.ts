/** Why something failed, in one line that operators may keep and read: nothing of a person and no secret. */
import { messageOf } from './message-of.ts';

const longest = 300;

const hidden: [RegExp, string][] = [
  [/[^\s<>"'(),;:]+@[^\s<>"'(),;]+/g, '[address]'],
  [/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@]*@/gi, '$1'],
  [/(\b[a-z][a-z0-9+.-]*:\/\/[^\s?#"'<>]*)[?#][^\s"'<>]*/gi, '$1'],
  // A quote that was cut off lasts to the end.
  [
    /"[^"]*(?:"|$)|“[^”]*(?:”|$)|„[^“”]*(?:[“”]|$)|«[^»]*(?:»|$)|(?<![\p{L}\p{N}])'[^']*(?:'|$)/gu,
    '[…]',
  ],
  [/\+\d[\d ()./-]{6,}\d|\d[\d ()/-]{6,}\d/g, '[number]'],
  [/[\w-]{32,}/g, '[…]'],
];

const codeOf = (error: unknown): string => {
  const code = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  return typeof code === 'string' && /^\w{1,40}$/.test(code) ? code : '';
};

/** Values that messages quote, addresses, numbers and long words are left out. */
export const publicErrorOf = (error: unknown): string => {
  const line = messageOf(error)
    .slice(0, 4 * longest)
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  const text = hidden.reduce((rest, [found, instead]) => rest.replaceAll(found, instead), line);
  const code = codeOf(error);
  return (code === '' || text.includes(code) ? text : `${code}: ${text}`).slice(0, longest);
};
