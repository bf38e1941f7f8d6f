/**
 * Which operations a UCAN opens: the one place that says of each operation which part of the account it
 * is about and which caveats it honours. A caveat that an operation does not honour refuses it.
 */
import { AppError } from '../../contract/errors.ts';
import type { AnyOperation } from '../../contract/operation.ts';
import {
  type CallerUcan,
  caveatAllows,
  type LetterCaveat,
  type Permit,
  type PermitSubject,
} from '../../contract/permits.ts';
import { abilityNeeded, type Scope, scopes } from '../../contract/scopes.ts';
import { abilityCovers, accountResource, resourceCovers } from './capability.ts';
import { caveatProblem } from './caveats.ts';

type CaveatName = keyof LetterCaveat;
type Input = { params: unknown; body: unknown };

type Place = {
  /** The letter's id, where the operation names one. */
  letter?: (input: Input) => string | undefined;
  /** A part of the account other than a letter. */
  part?: string;
  honours?: readonly CaveatName[];
  /** Needed in place of what the operation's access needs. */
  needs?: Scope;
  /** Judges the whole token by itself. */
  judgesItself?: true;
  /** Why no UCAN opens it. */
  refused?: string;
};

const textIn = (value: unknown, name: string): string | undefined => {
  const found = (value as Record<string, unknown> | undefined)?.[name];
  return typeof found === 'string' ? found.toLowerCase() : undefined;
};
const letterInPath = ({ params }: Input) => textIn(params, 'id') ?? textIn(params, 'letter_id');

/** What handlers judge by the letter that they found (`assertPermitted`). */
const ofLetter = ['letter_id', 'countries', 'services', 'intents'] as const;
const total = ['max_total_minor', 'currency'] as const;
const oneLetter: Place = { letter: letterInPath, honours: ofLetter };

/** Operations that are not about the whole account, without caveats. */
const places: Record<string, Place> = {
  send_letter: {
    letter: ({ body }) => textIn(body, 'letter_id'),
    honours: [...ofLetter, ...total, 'max_letters'],
  },
  quote_letter: { honours: ['countries', 'services', 'intents', ...total] },
  preview_quote: { honours: ['countries', 'services', 'intents'] },
  update_letter: oneLetter,
  get_letter: oneLetter,
  preview_letter: oneLetter,
  track_letter: oneLetter,
  get_proof: oneLetter,
  cancel_letter: { letter: letterInPath, honours: ['letter_id'] },
  delete_letter: { letter: letterInPath, honours: ['letter_id'] },
  advance_test_letter: { letter: letterInPath, honours: ['letter_id'] },
  download_audit: { letter: letterInPath, honours: ['letter_id'] },
  get_audit: { letter: letterInPath, honours: ['letter_id'] },
  get_balance: { part: 'wallet' },
  get_settings: { part: 'settings' },
  update_settings: { part: 'settings' },
  list_keys: { part: 'keys' },
  create_key: { part: 'keys' },
  rotate_key: {
    refused:
      'A UCAN cannot rotate a key: the new one would outlive it. Make one with POST /auth/keys, or rotate with a key.',
  },
  revoke_key: { part: 'keys' },
  // What speaks in the name of the account, or goes on when the token has ended.
  create_presentation: { needs: 'full' },
  subscribe_audit: { needs: 'full' },
  unsubscribe_audit: { needs: 'full' },
  create_audit_link: { needs: 'full' },
  delegate_ucan: { judgesItself: true },
  revoke_ucan: { judgesItself: true },
  issue_ucan: {
    refused:
      'A UCAN cannot make a new root, which would outlive it; delegate it with POST /api/identity/delegate.',
  },
};

const resourceOf = (place: Place, accountId: string, letterId: string | undefined): string => {
  const whole = accountResource(accountId);
  if (letterId !== undefined) return `${whole}letter/${letterId}`;
  return place.part === undefined ? whole : whole + place.part;
};

const notMet = (detail: string): AppError => new AppError('caveat_not_met', detail);

const honoursAll = (place: Place, { caveat }: Permit): boolean =>
  caveatProblem(caveat) === undefined &&
  Object.keys(caveat).every((name) => place.honours?.includes(name as CaveatName));

/** Whether `letter_id` is the letter of the operation; without one in the request it is not. */
const isItsLetter = ({ caveat }: Permit, letterId: string | undefined): boolean =>
  caveat.letter_id === undefined || caveat.letter_id.toLowerCase() === letterId;

/**
 * The permits of a UCAN that open an operation; what is left of their caveats is judged by its handler.
 * @throws AppError scope_insufficient, caveat_not_met
 */
export const permitsFor = (
  operation: Pick<AnyOperation, 'name' | 'access'>,
  input: Input,
  caller: { accountId: string; ucan: CallerUcan },
): Permit[] => {
  const place = places[operation.name] ?? {};
  const { permits } = caller.ucan;
  if (place.refused !== undefined) throw new AppError('scope_insufficient', place.refused);
  if (place.judgesItself) return permits;
  const access = operation.access === 'auth' ? 'read' : (operation.access as Scope);
  const needed = abilityNeeded[place.needs ?? access];
  const able = permits.filter(({ ability }) => abilityCovers(ability, needed));
  if (able.length === 0) {
    throw new AppError('scope_insufficient', `This needs a UCAN with the ability ${needed}.`, {
      extra: { required_scope: place.needs ?? access },
    });
  }
  const letterId = place.letter?.(input);
  const resource = resourceOf(place, caller.accountId, letterId);
  const here = able.filter((permit) => resourceCovers(permit.resource, resource));
  if (here.length === 0)
    throw notMet(`The UCAN gives ${needed} on another part of the account only.`);
  const honoured = here.filter((permit) => honoursAll(place, permit));
  if (honoured.length === 0) {
    throw notMet(
      'The UCAN has a caveat that this operation cannot honour; use a token without it.',
    );
  }
  const fitting = honoured.filter((permit) => isItsLetter(permit, letterId));
  if (fitting.length === 0) throw notMet('The UCAN is for another letter.');
  return fitting;
};

/** The widest scope that permits reach, for what is judged by scope alone. */
export const scopeOfPermits = (permits: readonly Pick<Permit, 'ability'>[]): Scope =>
  scopes.find((scope) =>
    permits.some(({ ability }) => abilityCovers(ability, abilityNeeded[scope])),
  ) ?? 'read';

export const letterForbidden = (): AppError =>
  notMet(
    'No caveat of the UCAN allows this letter: they say for which countries, services, intents, letter and total it is.',
  );

/** Judges a letter that was found or priced. @throws AppError caveat_not_met when no caveat allows it */
export const assertPermitted = (caller: { ucan?: CallerUcan }, letter: PermitSubject): void => {
  const { permits } = caller.ucan ?? {};
  if (permits && !permits.some(({ caveat }) => caveatAllows(caveat, letter))) {
    throw letterForbidden();
  }
};
