/** Programs on Windows begin text files with a byte order mark, which is not part of their JSON. */
export const withoutByteOrderMark = (text: string): string =>
  text.startsWith('\uFEFF') ? text.slice(1) : text;
