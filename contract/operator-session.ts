/** A person who is signed in to the operator's console. The session gives no rights in the API. */

/** An auditor sees histories and what proves them, and changes nothing. */
export type OperatorRights = 'operator' | 'auditor';

export type OperatorSession = {
  /** SHA-256 of the token in the cookie, base64url. */
  id: string;
  /** A keyed digest of the person, or `link`: a one-time link of the command line. */
  operator: string;
  rights: OperatorRights;
  /** The language that was chosen at sign-in. */
  language: string | undefined;
};
