/** Bodies that cost the most to read, of at most `maxBytes` bytes and `maxValues` values. */

export type BodyBounds = { maxBytes: number; maxValues: number };

/** A few members that make a body worth looking at: a valid letter, or nothing. */
type Start = Record<string, unknown>;

const opened = (start: Start): string => {
  const text = JSON.stringify(start).slice(0, -1);
  return text === '{' ? text : `${text},`;
};

const repeated = (piece: string, bytes: number): string =>
  piece.repeat(Math.max(1, Math.floor(bytes / piece.length)));

const names = (count: number): string =>
  Array.from({ length: count }, (_, n) => `"k${n}":1`).join();

const slack = 200;

export const costlyBodies: Record<string, (bounds: BodyBounds, start: Start) => string> = {
  'names that fill it': ({ maxBytes }, start) =>
    `${opened(start)}${names(Math.floor((maxBytes - slack - opened(start).length) / 12))}}`,
  'as many unknown names as it may have': ({ maxBytes, maxValues }, start) => {
    const room = Math.floor((maxBytes - slack - opened(start).length) / 12);
    return `${opened(start)}${names(Math.min(room, maxValues - 60))}}`;
  },
  'numbers that fill it': ({ maxBytes }) => `[${repeated('0,', maxBytes - slack)}0]`,
  'deep lists': ({ maxBytes }) =>
    `${repeated('[', (maxBytes - slack) / 2)}${repeated(']', (maxBytes - slack) / 2)}`,
  'empty objects': ({ maxBytes }) => `[${repeated('{},', maxBytes - slack)}0]`,
  'white space': ({ maxBytes }) => `{${repeated(' ', maxBytes - slack)}}`,
  'a long text': ({ maxBytes }, start) =>
    `${opened(start)}"content":"${repeated('x', maxBytes - slack - opened(start).length)}"}`,
  'a long text of wide characters': ({ maxBytes }, start) =>
    `${opened(start)}"content":"${repeated('漢', (maxBytes - slack - opened(start).length) / 3)}"}`,
  'escaped quotes': ({ maxBytes }, start) =>
    `${opened(start)}"content":"${repeated('\\"', maxBytes - slack - opened(start).length)}"}`,
  'escaped characters': ({ maxBytes }, start) =>
    `${opened(start)}"content":"${repeated('\\u4e2d', maxBytes - slack - opened(start).length)}"}`,
  'a long name': ({ maxBytes }) => `{"${repeated('n', maxBytes - slack)}":1}`,
  'a name twice, at the end': ({ maxBytes }) => `{"a":"${repeated('x', maxBytes - slack)}","a":1}`,
  'a file in base64': ({ maxBytes }, start) =>
    `${opened(start)}"document":"${repeated('AAAA', maxBytes - slack - opened(start).length)}"}`,
  'a file that is not base64': ({ maxBytes }, start) =>
    `${opened(start)}"document":"${repeated('AAA-', maxBytes - slack - opened(start).length)}"}`,
  'a text where it breaks off': ({ maxBytes }) => `{"a":"${repeated('\\\\', maxBytes - slack)}`,
};
