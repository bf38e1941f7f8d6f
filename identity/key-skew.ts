/**
 * How far a date in a signature may lie outside the time in which its key was in use, because clocks differ.
 * Every verifier has the same, so that what one accepts no other refuses: the programs that stand alone
 * (verify-audit.mjs, the script of the audit page, the clients) repeat it.
 */
export const keySkewSeconds = 300;
