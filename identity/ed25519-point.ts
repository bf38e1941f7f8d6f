/**
 * Arithmetic on Ed25519 points that node:crypto does not offer: OpenSSL takes any 32 bytes for a key.
 * Sources: RFC 8032 §5.1.3 (decoding), RFC 7748 §4.1 (the map to Curve25519).
 */

const p = 2n ** 255n - 19n;

const mod = (value: bigint): bigint => {
  const rest = value % p;
  return rest < 0n ? rest + p : rest;
};

const power = (base: bigint, exponent: bigint): bigint => {
  let result = 1n;
  let square = mod(base);
  for (let left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) result = mod(result * square);
    square = mod(square * square);
  }
  return result;
};

const inverse = (value: bigint): bigint => power(value, p - 2n);

/** The curve's d: -121665/121666. */
const d = mod(-121_665n * inverse(121_666n));

const fromLittleEndian = (bytes: Uint8Array): bigint =>
  BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);

const yOf = (bytes: Uint8Array): bigint => fromLittleEndian(bytes) & ((1n << 255n) - 1n);

/** y of two of the points of order 8; the other two have -y. */
const orderEight = 0x5fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n;
/** y of the points whose order divides 8: a signature under such a key fits many messages. */
const smallOrder = new Set([0n, 1n, p - 1n, orderEight, p - orderEight]);

/** Whether 32 bytes are the canonical encoding of a point of the curve that is not of small order. */
export const isEd25519Point = (bytes: Uint8Array): boolean => {
  if (bytes.length !== 32) return false;
  const y = yOf(bytes);
  if (y >= p || smallOrder.has(y)) return false;
  // x² = (y² - 1)/(dy² + 1) is a square where the product is one: Euler's criterion. x = 0 belongs to
  // y = ±1, which are of small order.
  const ySquared = mod(y * y);
  return power((ySquared - 1n) * (d * ySquared + 1n), (p - 1n) / 2n) === 1n;
};

const uOf = (y: bigint): bigint => mod((1n + y) * inverse(mod(1n - y)));

/** u of the points of Curve25519 and its twist whose order divides 8: every agreement gives the same. */
const smallOrderU = new Set([0n, 1n, p - 1n, uOf(orderEight), uOf(p - orderEight)]);

/** Whether 32 bytes are a key of X25519 that agrees on secrets. Source: RFC 7748 §6.1. */
export const isX25519Key = (bytes: Uint8Array): boolean =>
  bytes.length === 32 && !smallOrderU.has(mod(yOf(bytes)));

/** The X25519 key of an Ed25519 point, as did:key derives it for key agreement: u = (1 + y)/(1 - y). */
export const x25519Of = (bytes: Uint8Array): Buffer => {
  const u = uOf(yOf(bytes));
  return Buffer.from(u.toString(16).padStart(64, '0'), 'hex').reverse();
};
