/** Refusals that operators see, at the terminal and in the console. */

/** It was asked for in a wrong way. The message says how it is written. */
export class UsageError extends Error {}

/** It was understood and is not possible. The message says why and what to do. */
export class Refused extends Error {}

/** The identity provider cannot be reached. */
export class ProviderAway extends Refused {}
