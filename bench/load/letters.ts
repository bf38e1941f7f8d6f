/**
 * Letters to send: distinct in address and text, made from a seed so that every contestant gets the same.
 * A few thousand are written out beforehand; number `n` is one of them with its house number and file
 * number filled in, which costs the load generator a copy and a few bytes.
 */
import { type Country, countries, openings, sentences } from './addresses.ts';

/** Letters of about 1,200 characters. */
const contentChars = 1_200;
const templates = 2_000;
const houseMark = '####';
const fileMark = '@@@@@@@@';

/** Mulberry32. */
const random = (seed: number) => {
  let state = seed;
  return (below: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
};
type Random = ReturnType<typeof random>;

const pick = <T>(list: readonly T[], next: Random): T => list[next(list.length)] as T;

const address = (from: Country, prefix: 'to' | 'from', house: string, next: Random) => {
  const place = pick(from.places, next);
  return {
    [`${prefix}_name`]: pick(from.names, next),
    [`${prefix}_line1`]: pick(from.streets, next).replace('#', house),
    [`${prefix}_city`]: place.city,
    [`${prefix}_postal_code`]: place.postalCode,
    [`${prefix}_country`]: from.country,
    ...(place.state === undefined ? {} : { [`${prefix}_state`]: place.state }),
  };
};

const content = (next: Random): string => {
  let text = `${pick(openings, next)}\n\nFile ${fileMark}.`;
  for (let count = 1; text.length < contentChars - 40; count++) {
    text += `${count % 4 === 0 ? '\n\n' : ' '}${pick(sentences, next)}`;
  }
  return `${text.slice(0, contentChars)}\n`;
};

const body = (next: Random): string => {
  const to = pick(countries, next);
  return JSON.stringify({
    ...address(to, 'to', houseMark, next),
    ...address(to, 'from', String(1 + next(200)), next),
    service: to.service,
    content: content(next),
  });
};

type Template = { bytes: Buffer; houseAt: number; fileAt: number };

const template = (next: Random): Template => {
  const bytes = Buffer.from(body(next));
  return { bytes, houseAt: bytes.indexOf(houseMark), fileAt: bytes.indexOf(fileMark) };
};

const head = (host: string, key: string, length: number, extra: string): string =>
  `POST /api/send HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n${extra}\r\n`;

/** The whole request for letter `n`, of the account `keys[n % keys.length]`. */
export const sendRequests = (options: {
  host: string;
  keys: string[];
  seed: number;
  idempotencyKeys: boolean;
}): ((n: number) => Buffer) => {
  const next = random(options.seed);
  const made = Array.from({ length: templates }, () => template(next));
  return (n) => {
    const { bytes, houseAt, fileAt } = made[n % templates] as Template;
    const key = options.keys[n % options.keys.length] ?? '';
    const extra = options.idempotencyKeys ? `Idempotency-Key: ${options.seed}-${n}\r\n` : '';
    const start = head(options.host, key, bytes.length, extra);
    const request = Buffer.allocUnsafe(start.length + bytes.length);
    request.write(start, 0, 'latin1');
    bytes.copy(request, start.length);
    const house = 1_000 + (Math.floor(n / templates) % 9_000);
    request.write(String(house), start.length + houseAt, 'latin1');
    request.write(String(n).padStart(fileMark.length, '0'), start.length + fileAt, 'latin1');
    return request;
  };
};

export const getRequest = (host: string, key: string, path: string): Buffer =>
  Buffer.from(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\n\r\n`);
