const maxChars = 64;

/** Levenshtein distance with swapped neighbours as one step, of two short names. */
const editDistance = (a: string, b: string): number => {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let i = 1; i <= a.length; i += 1) {
    const above = rows[i - 1] ?? [];
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (above[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        best = Math.min(best, (rows[i - 2]?.[j - 2] ?? 0) + 1);
      }
      row[j] = best;
    }
    rows.push(row);
  }
  return rows[a.length]?.[b.length] ?? 0;
};

/** Letter case, hyphens and camel humps are no difference between names. */
const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** Names up to this length are codes: one that differs is another code, not a misspelling. */
const codeChars = 3;

/** The known name that `name` is most likely a misspelling of, if any is near. */
export const nearestName = (name: string, known: readonly string[]): string | undefined => {
  if (name.length > maxChars) return undefined;
  const written = plain(name);
  let nearest: string | undefined;
  let nearestDistance = Math.max(2, Math.floor(written.length / 4)) + 1;
  for (const candidate of known) {
    const distance = editDistance(written, plain(candidate));
    const bound = candidate.length <= codeChars ? 1 : Math.min(nearestDistance, candidate.length);
    if (distance < bound) {
      nearest = candidate;
      nearestDistance = distance;
    }
  }
  return nearest;
};
