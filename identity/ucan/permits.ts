/** Whether a UCAN opens an operation, by what the operation says that it needs (`permit`). */
import { AppError } from '../../contract/errors.ts';
import type { AnyOperation } from '../../contract/operation.ts';
import {
  accountParts,
  type CallerUcan,
  type CaveatName,
  caveatAllows,
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

const honoursAll = ({ honours = [] }: About, { caveat }: Permit): boolean =>
  caveatProblem(caveat) === undefined &&
  Object.keys(caveat).every((name) => honours.includes(name as CaveatName));

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
  const here = able.filter((one) => resourceCovers(one.resource, resource));
  if (here.length === 0)
    throw notMet(`The UCAN gives ${needed} only on another part of the account.`);
  const honoured = here.filter((one) => honoursAll(permit, one));
  if (honoured.length === 0) {
    throw notMet(
      'The UCAN has a caveat that this operation cannot honour; use a token without it.',
    );
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

/** Whether a caller has scope full on the whole account. A UCAN may have it on a part, or under a caveat. */
export const isFullOnAccount = ({
  accountId,
  scope,
  ucan,
}: {
  accountId: string;
  scope: Scope;
  ucan?: CallerUcan;
}): boolean => {
  if (!ucan) return scopeCovers(scope, 'full');
  const whole = accountResource(accountId);
  return ucan.permits.some(
    ({ ability, resource, caveat }) =>
      abilityCovers(ability, abilityNeeded.full) &&
      resourceCovers(resource, whole) &&
      Object.keys(caveat).length === 0,
  );
};

export const letterForbidden = (): AppError =>
  notMet(
    'The caveats of the UCAN do not allow this letter; check countries, services, intents, letter_id and total.',
  );

/** Judges a letter that was found or priced. @throws AppError caveat_not_met when no caveat allows it */
export const assertPermitted = (caller: { ucan?: CallerUcan }, letter: PermitSubject): void => {
  const { permits } = caller.ucan ?? {};
  if (permits && !permits.some(({ caveat }) => caveatAllows(caveat, letter))) {
    throw letterForbidden();
  }
};
