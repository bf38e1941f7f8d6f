/**
 * Capabilities: which resource contains which, which ability includes which, and what follows from a
 * token and its proofs. Source: UCAN 0.10.0 §3.2.6 and §5; facts/identity.md §1.5.
 */
import { caveatCovers } from './caveats.ts';
import { UcanError } from './error.ts';
import { countedCidOf } from './spelling.ts';
import type { Capabilities, Caveat, Ucan } from './token.ts';

/** One thing that a token allows, and where that comes from. */
export type Grant = {
  resource: string;
  /** Lower case. */
  ability: string;
  caveat: Caveat;
  /** The token at the root of it. */
  root: { cid: string; iss: string };
  /** Tokens on the way that limit the number of letters; each counts for itself. */
  counters: { cid: string; maxLetters: number }[];
};

const lettersScheme = 'letters://';

export const isLettersResource = (resource: string): boolean => /^letters:/i.test(resource);

/** The resource of everything in an account. */
export const accountResource = (accountId: string): string => `${lettersScheme}${accountId}/`;

const lettersPattern =
  /^letters:\/\/([A-Za-z0-9_-]{1,64})\/((?:[A-Za-z0-9._~-]+\/)*[A-Za-z0-9._~-]*)$/;

/** Account of a `letters://` resource; undefined when it is not one that is well-formed. */
export const accountOf = (resource: string): string | undefined => {
  const [, account, path = ''] = lettersPattern.exec(resource) ?? [];
  const climbs = path.split('/').some((segment) => segment === '.' || segment === '..');
  return climbs ? undefined : account;
};

/**
 * Whether `parent` contains `child`: both are the same, or `parent` ends with `/` and `child` begins with it.
 */
export const resourceCovers = (parent: string, child: string): boolean => {
  if (!isLettersResource(parent) && !isLettersResource(child)) return parent === child;
  if (accountOf(parent) === undefined || accountOf(child) === undefined) return false;
  return parent === child || (parent.endsWith('/') && child.startsWith(parent));
};

/** Abilities are compared whatever their case. `letters/*` includes `letters/send`, `*` everything. */
export const abilityCovers = (parent: string, child: string): boolean => {
  const [held, asked] = [parent.toLowerCase(), child.toLowerCase()];
  if (held === asked || held === '*') return true;
  return held.endsWith('/*') && asked.startsWith(held.slice(0, -1));
};

/** Whether the holder of `grant` may pass this on. */
const grantCovers = (
  grant: Pick<Grant, 'resource' | 'ability' | 'caveat'>,
  asked: { resource: string; ability: string; caveat: Caveat },
): boolean =>
  resourceCovers(grant.resource, asked.resource) &&
  abilityCovers(grant.ability, asked.ability) &&
  caveatCovers(grant.caveat, asked.caveat, isLettersResource(asked.resource));

/** Capabilities as a list, one for each caveat. */
export const entriesOf = (
  cap: Capabilities,
): { resource: string; ability: string; caveat: Caveat }[] =>
  Object.entries(cap).flatMap(([resource, abilities]) =>
    Object.entries(abilities).flatMap(([ability, caveats]) =>
      caveats.map((caveat) => ({ resource, ability: ability.toLowerCase(), caveat })),
    ),
  );

const counterOf = (ucan: Ucan, { max_letters: maxLetters }: Caveat): Grant['counters'] =>
  typeof maxLetters === 'number' ? [{ cid: countedCidOf(ucan), maxLetters }] : [];

const didOf = /^ucan:\/\/(did:[^/]+)\/(\*|[^/]+)$/;

/**
 * The grants that `ucan:…` with `ucan/*` passes on: of all proofs, of one, or of those of an issuer
 * (and scheme). Undefined when the capability is not such a one.
 */
const redelegated = (
  { resource, ability, caveat }: { resource: string; ability: string; caveat: Caveat },
  given: readonly Grant[],
  proofs: readonly Proof[],
): readonly Grant[] | undefined => {
  if (!resource.startsWith('ucan:') || !abilityCovers(ability, 'ucan/*')) return undefined;
  // Nothing says what a caveat on it would mean: it passes on nothing.
  if (Object.keys(caveat).length > 0) return [];
  if (resource === 'ucan:*' || resource === 'ucan:./*') return given;
  const [, did, scheme] = didOf.exec(resource) ?? [];
  return proofs
    .filter(({ ucan }) => resource === `ucan:${ucan.cid}` || did === ucan.payload.iss)
    .flatMap(({ grants }) => grants)
    .filter(
      (grant) => did === undefined || scheme === '*' || grant.resource.startsWith(`${scheme}:`),
    );
};

export type Proof = { ucan: Ucan; grants: Grant[] };

const notGiven = (what: string, cid: string): UcanError =>
  new UcanError('invalid_delegation', what, { cid });

type Entry = { resource: string; ability: string; caveat: Caveat };

/** @throws UcanError invalid_delegation */
const grantFor = (
  entry: Entry,
  ucan: Ucan,
  given: readonly Grant[],
  mayBeRoot: { letters: boolean; others: boolean },
): Grant => {
  const { cid, payload } = ucan;
  const isLetters = isLettersResource(entry.resource);
  if (isLetters && accountOf(entry.resource) === undefined) {
    throw notGiven(
      'A letters:// resource is letters://<account_id>/, with the / at its end, or a path behind it without . and .. in it.',
      cid,
    );
  }
  const counters = counterOf(ucan, entry.caveat);
  const parent = given.find((grant) => grantCovers(grant, entry));
  if (parent) return { ...entry, root: parent.root, counters: [...parent.counters, ...counters] };
  if (!mayBeRoot.others) {
    throw notGiven('A capability is wider than what the proofs give its issuer.', cid);
  }
  if (isLetters && !mayBeRoot.letters) {
    throw notGiven('Only the service can be the root of a letters:// capability.', cid);
  }
  return { ...entry, root: { cid, iss: payload.iss }, counters };
};

/**
 * The grants of a token, derived from those of its proofs. A grant that arrives on several ways counts once.
 * @param isOwner whether the token may be the root of `letters://` capabilities
 * @throws UcanError invalid_delegation for a capability that nothing gives its issuer
 */
export const grantsOf = (ucan: Ucan, proofs: readonly Proof[], isOwner: boolean): Grant[] => {
  const given = [...new Set(proofs.flatMap(({ grants }) => grants))];
  const mayBeRoot = { letters: isOwner, others: proofs.length === 0 };
  const grants = new Set<Grant>();
  for (const entry of entriesOf(ucan.payload.cap)) {
    const passedOn = redelegated(entry, given, proofs) ?? [grantFor(entry, ucan, given, mayBeRoot)];
    for (const grant of passedOn) grants.add(grant);
  }
  return [...grants];
};
