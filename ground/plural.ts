/** `1 letter`, `2 letters`: a number with its noun. @param plural where it is not the noun with an s */
export const numberOf = (count: number | bigint, noun: string, plural = `${noun}s`): string =>
  `${count} ${Number(count) === 1 ? noun : plural}`;

/** As `numberOf`, by the rule of French: 0 is singular as well. */
export const frenchNumberOf = (count: number | bigint, noun: string, plural = `${noun}s`): string =>
  `${count} ${count < 2 ? noun : plural}`;

/** An entry of a table of words that needs a number. */
export const counted =
  (noun: string, plural?: string) =>
  (count: number): string =>
    numberOf(count, noun, plural);

/** @see counted */
export const countedInFrench =
  (noun: string, plural?: string) =>
  (count: number): string =>
    frenchNumberOf(count, noun, plural);
