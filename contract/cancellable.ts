/** The part of a message about a queued letter that answers leave out where the caller cannot cancel. */
export const cancellableClause = (until: string): string =>
  `; it can be cancelled for free until ${until}`;
