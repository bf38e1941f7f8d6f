/** Rules that a test breaks on purpose, to see that a run tells. */
export type Broken = {
  /** A lease is everybody's, and a credential goes to wherever the log of credentials ends. */
  fencing?: true;
  /** The house does not know what it has printed: `unknown` is not absence that is proven. */
  unknown?: true;
  /** The house says yes to every recall. */
  recalls?: true;
  /** Each try of a payment has a receipt of its own. */
  receipts?: true;
  /** A request is answered before it is obeyed. */
  answers?: true;
  /** Messages of a lane do not wait for each other. */
  lanes?: true;
};
