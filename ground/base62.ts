const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** The number in the bytes, in its last `length` digits. */
export const toBase62 = (bytes: Buffer, length: number): string => {
  let rest = BigInt(`0x${bytes.toString('hex')}`);
  let text = '';
  for (let digit = 0; digit < length; digit++) {
    text = (base62[Number(rest % 62n)] ?? '') + text;
    rest /= 62n;
  }
  return text;
};
