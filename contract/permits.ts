/**
 * Permits: what a UCAN lets its bearer do, as it travels from authentication to the handlers, and what an
 * operation needs of one.
 */
import type { Scope } from './scopes.ts';

/** The caveats of `letters/…` abilities. The list is closed: with any other key the use is refused. */
export type LetterCaveat = {
  letter_id?: string;
  countries?: string[];
  services?: string[];
  intents?: string[];
  /** Of one letter, in the smallest unit of `currency`: cents. */
  max_total_minor?: number;
  currency?: string;
  /** Letters that may be sent with the token altogether. */
  max_letters?: number;
};

/** One thing that is allowed. */
export type Permit = {
  /** `letters://<account>/` or a part of it. */
  resource: string;
  /** Lower case: `letters/send`. */
  ability: string;
  caveat: LetterCaveat;
  /** Tokens that limit the number of letters; each counts for itself, the root first. */
  counters: { cid: string; maxLetters: number }[];
};

/** The token that a caller showed. It and its proofs are secrets: never logged. */
export type CallerUcan = {
  cid: string;
  /** Of the token and all its proofs. */
  cids: string[];
  /** The token and all its proofs, encoded; the token first. */
  tokens: string[];
  audience: string;
  /** Epoch ms; undefined: never. */
  expiresAtMs: number | undefined;
  /** It is meant for the service itself, and so counts for one write. */
  invocation: boolean;
  /** At least one must fit. Permits that do not fit the operation are removed before its handler runs. */
  permits: Permit[];
};

/** Facts about a letter that a judgement needs. */
export type PermitSubject = {
  letterId?: string;
  country?: string;
  service?: string;
  intent?: string;
  /** Micro-USD, with commission; before it is known, what it is at least. */
  totalMicro?: bigint;
};

export type CaveatName = keyof LetterCaveat;

const refuses = (allowed: string[] | undefined, value: string | undefined): boolean =>
  allowed !== undefined && value !== undefined && !allowed.includes(value);

/** The caveats about a letter that it does not meet, as far as it is known. */
export const caveatsNotMet = (caveat: LetterCaveat, letter: PermitSubject): CaveatName[] => {
  const { letter_id: letterId, max_total_minor: maxTotal } = caveat;
  const given = letter.letterId?.toLowerCase();
  const notMet: CaveatName[] = [];
  if (letterId !== undefined && given !== undefined && letterId.toLowerCase() !== given) {
    notMet.push('letter_id');
  }
  if (refuses(caveat.countries, letter.country)) notMet.push('countries');
  if (refuses(caveat.services, letter.service)) notMet.push('services');
  if (refuses(caveat.intents, letter.intent)) notMet.push('intents');
  const { totalMicro } = letter;
  if (maxTotal !== undefined && totalMicro !== undefined) {
    if (totalMicro > BigInt(maxTotal) * 10_000n) notMet.push('max_total_minor');
  }
  return notMet;
};

/** Whether a caveat allows the letter, as far as that is known. */
export const caveatAllows = (caveat: LetterCaveat, letter: PermitSubject): boolean =>
  caveatsNotMet(caveat, letter).length === 0;

/** Caveats honoured by handlers that check the letter they find or make (`assertPermitted`). */
export const letterCaveats = ['letter_id', 'countries', 'services', 'intents'] as const;
/** Caveats honoured by handlers that also check the price of the letter. */
export const totalCaveats = ['max_total_minor', 'currency'] as const;

/** Parts of an account that a UCAN can cover, apart from its letters: `letters://<account>/wallet`. */
export const accountParts = ['wallet', 'settings', 'keys'] as const;

/** Which UCANs open an operation. */
export type OperationPermit =
  | {
      /**
       * The part of the account that it is about. `letter-in-…`: the letter that the path or the body
       * names; all of the account where none is named.
       */
      about: 'account' | (typeof accountParts)[number] | 'letter-in-path' | 'letter-in-body';
      /** The caveats that it honours; a permit with any other does not open it. */
      honours?: readonly CaveatName[];
      /** Needed instead of what its access needs. */
      needs?: Scope;
    }
  /** Its handler judges the whole token. */
  | { judgesItself: true }
  /** No UCAN opens it; the sentence says why, and what does. */
  | { refused: string };
