/**
 * A proof of inclusion that stands by itself: place, audit path and the checkpoint that it leads to.
 * Source: C2SP tlog-proof v1.
 */
export const tlogProof = (index: number, path: readonly Buffer[], note: string): string =>
  [
    'c2sp.org/tlog-proof@v1',
    `index ${index}`,
    ...path.map((hash) => hash.toString('base64')),
    '',
    note,
  ].join('\n');
