/** `1 letter`, `2 letters`: a number with its noun. @param plural where it is not the noun with an s */
export const numberOf = (count: number | bigint, noun: string, plural = `${noun}s`): string =>
  `${count} ${Number(count) === 1 ? noun : plural}`;
