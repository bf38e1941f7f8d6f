/** Whether a UCAN opens an operation, by what the operation says that it needs (`permit`). */
import { AppError } from '../../contract/errors.ts';
import type { AnyOperation } from '../../contract/operation.ts';
import {
  accountParts,
  type CallerUcan,
  type CaveatName,
  caveatAllows,
  caveatsNotMet,
  type LetterCaveat,
  letterCaveats,
  type OperationPermit,
  type Permit,
  type PermitSubject,
} from '../../contract/permits.ts';
import { abilityNeeded, type Scope, scopeCovers, scopes } from '../../contract/scopes.ts';
import { abilityCovers, accountResource, resourceCovers } from './capability.ts';
import { caveatProblem } from './caveats.ts';

type Input = { params: unknown; body: unknown };
type About = Extract<OperationPermit, { about: unknown }>;

const textIn = (value: unknown, name: string): string | undefined => {
  const found = (value as Record<string, unknown> | undefined)?.[name];
  return typeof found === 'string' ? found.toLowerCase() : undefined;
};

const letterNamed = ({ about }: About, { params, body }: Input): string | undefined => {
  if (about === 'letter-in-path') return textIn(params, 'id') ?? textIn(params, 'letter_id');
  return about === 'letter-in-body' ? textIn(body, 'letter_id') : undefined;
};

const resourceOf = ({ about }: About, accountId: string, letterId: string | undefined): string => {
  const whole = accountResource(accountId);
  if (letterId !== undefined) return `${whole}letter/${letterId}`;
  return whole + (accountParts.find((part) => part === about) ?? '');
};

const notMet = (detail: string): AppError => new AppError('caveat_not_met', detail);

/** The resource with the id of its letter, if it names one, as the service writes ids. */
const withLowerLetter = (resource: string): string =>
  resource.replace(
    /^(letters:\/\/[^/]+\/letter\/)(.+)$/,
    (_, start, id) => start + id.toLowerCase(),
  );

/** Caveats of a permit that the operation does not honour. */
const notHonoured = ({ honours = [] }: About, { caveat }: Permit): string[] =>
  Object.keys(caveat).filter((name) => !honours.includes(name as CaveatName));

/** Why the caveats of a permit close the operation; undefined if it honours all of them. */
const caveatRefusal = (permit: About, one: Permit): string | undefined => {
  const problem = caveatProblem(one.caveat);
  if (problem !== undefined) return problem;
  const names = notHonoured(permit, one);
  return names.length === 0
    ? undefined
    : `This operation cannot honour the caveat ${names.join(', ')} of the UCAN.`;
};

/** Whether `letter_id` is the letter of the operation; without one in the request it is not. */
const isItsLetter = ({ caveat }: Permit, letterId: string | undefined): boolean =>
  caveat.letter_id === undefined || caveat.letter_id.toLowerCase() === letterId;

/**
 * The permits of a UCAN that open an operation. The handler judges the rest of their caveats.
 * @throws AppError scope_insufficient, caveat_not_met
 */
export const permitsFor = (
  { permit, access }: Pick<AnyOperation, 'access'> & { permit: OperationPermit },
  input: Input,
  caller: { accountId: string; ucan: CallerUcan },
): Permit[] => {
  const { permits } = caller.ucan;
  if ('refused' in permit) throw new AppError('scope_insufficient', permit.refused);
  if ('judgesItself' in permit) return permits;
  const scope = permit.needs ?? (access === 'auth' ? 'read' : (access as Scope));
  const needed = abilityNeeded[scope];
  const able = permits.filter(({ ability }) => abilityCovers(ability, needed));
  if (able.length === 0) {
    throw new AppError('scope_insufficient', `This needs a UCAN with the ability ${needed}.`, {
      extra: { required_scope: scope },
    });
  }
  const letterId = letterNamed(permit, input);
  const resource = resourceOf(permit, caller.accountId, letterId);
  const here = able.filter((one) => resourceCovers(withLowerLetter(one.resource), resource));
  if (here.length === 0)
    throw notMet(`The UCAN gives ${needed} only on another part of the account.`);
  const honoured = here.filter((one) => caveatRefusal(permit, one) === undefined);
  if (honoured.length === 0) {
    const [reason] = here.map((one) => caveatRefusal(permit, one));
    throw notMet(`${reason} Use a UCAN without it.`);
  }
  const fitting = honoured.filter((one) => isItsLetter(one, letterId));
  if (fitting.length === 0) throw notMet('The UCAN is for another letter.');
  return fitting;
};

/** The part of a permit that remains when its bearer may only read. */
export const readingPermits = (permit: Permit): Permit[] =>
  abilityCovers(permit.ability, abilityNeeded.read)
    ? [{ ...permit, ability: abilityNeeded.read }]
    : [];

/** The widest scope that permits reach, for operations that are judged by scope alone. */
export const scopeOfPermits = (permits: readonly Pick<Permit, 'ability'>[]): Scope =>
  scopes.find((scope) =>
    permits.some(({ ability }) => abilityCovers(ability, abilityNeeded[scope])),
  ) ?? 'read';

/**
 * Whether a caller has scope full on the whole account. A UCAN may have it on a part, or under a caveat. A wallet is its
 * account, though its scope is send.
 */
export const isFullOnAccount = ({
  accountId,
  scope,
  ucan,
  wallet = false,
}: {
  accountId: string;
  scope: Scope;
  ucan?: CallerUcan;
  wallet?: boolean;
}): boolean => {
  if (!ucan) return wallet || scopeCovers(scope, 'full');
  const whole = accountResource(accountId);
  return ucan.permits.some(
    ({ ability, resource, caveat }) =>
      abilityCovers(ability, abilityNeeded.full) &&
      resourceCovers(resource, whole) &&
      Object.keys(caveat).length === 0,
  );
};

const meaningOf = (caveat: LetterCaveat, name: CaveatName): string =>
  name === 'max_total_minor'
    ? `${name} allows at most ${caveat.max_total_minor} cents`
    : `${name} allows only ${[caveat[name]].flat().join(', ')}`;

const forbidden = (permits: readonly Permit[], namesOf: (caveat: LetterCaveat) => CaveatName[]) => {
  const alternatives = permits.map(({ caveat }) =>
    namesOf(caveat)
      .map((name) => meaningOf(caveat, name))
      .join(' and '),
  );
  return notMet(
    `The caveats of the UCAN do not allow this letter: ${[...new Set(alternatives)].join('; or ')}.`,
  );
};

/** Names the caveats that the letter of a request does not meet. */
export const letterForbidden = (permits: readonly Permit[], letter: PermitSubject): AppError =>
  forbidden(permits, (caveat) => caveatsNotMet(caveat, letter));

const isPermitted = ({ permits }: CallerUcan, letter: PermitSubject): boolean =>
  permits.some(({ caveat }) => caveatAllows(caveat, letter));

/** Judges the letter of a request. @throws AppError caveat_not_met when no caveat allows it */
export const assertPermitted = ({ ucan }: { ucan?: CallerUcan }, letter: PermitSubject): void => {
  if (ucan && !isPermitted(ucan, letter)) throw letterForbidden(ucan.permits, letter);
};

/**
 * Judges a letter that the service has. The refusal names all caveats of the UCAN about letters, because a caller who may
 * not read the letter must not learn which of them it does not meet.
 * @throws AppError caveat_not_met
 */
export const assertReachable = ({ ucan }: { ucan?: CallerUcan }, letter: PermitSubject): void => {
  if (!ucan || isPermitted(ucan, letter)) return;
  throw forbidden(ucan.permits, (caveat) =>
    letterCaveats.filter((name) => caveat[name] !== undefined),
  );
};
