/**
 * Seconds by which a date in a signature may lie outside the time in which its key was in use, because clocks differ.
 * All verifiers allow the same, so they agree. The stand-alone programs (verify-audit.mjs, the script of the audit
 * page, the clients) repeat the number.
 */
export const keySkewSeconds = 300;
