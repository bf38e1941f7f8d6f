import { expect } from 'chai';
import { isAppError } from '../../../contract/errors.ts';
import type { Access } from '../../../contract/operation.ts';
import {
  type CallerUcan,
  caveatAllows,
  type LetterCaveat,
  letterCaveats,
  type OperationPermit,
  type Permit,
  type PermitSubject,
} from '../../../contract/permits.ts';
import {
  assertPermitted,
  assertReachable,
  permitsFor,
  scopeOfPermits,
} from '../../../identity/ucan/permits.ts';

const accountId = 'acct_1';
const whole = 'letters://acct_1/';
const letterId = '0b6c6a52-7d5c-5a3e-9d55-2f8d9b1c7e11';

const permit = (ability: string, caveat: object = {}, resource = whole): Permit => ({
  resource,
  ability,
  counters: [],
  caveat: caveat as LetterCaveat,
});

const ucanOf = (permits: Permit[]): CallerUcan => ({
  cid: 'c',
  cids: ['c'],
  tokens: ['t'],
  audience: 'did:key:z',
  permits,
  expiresAtMs: undefined,
  invocation: false,
});

/** How many permits are left, or why none is. */
const judge = (
  operation: { access: Access; permit: OperationPermit },
  permits: Permit[],
  input: { params?: object; body?: object } = {},
): number | string => {
  const ucan = ucanOf(permits);
  try {
    const given = { params: input.params, body: input.body };
    return permitsFor(operation, given, { accountId, ucan }).length;
  } catch (error) {
    if (isAppError(error)) return error.code;
    throw error;
  }
};

const about = (
  access: Access,
  part: Extract<OperationPermit, { about: unknown }>['about'],
  more: { honours?: (keyof LetterCaveat)[]; needs?: 'full' } = {},
) => ({ access, permit: { about: part, ...more } });

const get = about('read', 'letter-in-path', { honours: [...letterCaveats] });
const send = about('send', 'letter-in-body', { honours: [...letterCaveats, 'max_letters'] });
const settings = about('full', 'settings');
const params = { id: letterId };

describe('What a UCAN opens', () => {
  it('is what its abilities give: each operation needs the one of its scope', () => {
    expect(judge(get, [permit('letters/read')], { params })).to.equal(1);
    expect(judge(send, [permit('letters/read')])).to.equal('scope_insufficient');
    expect(judge(get, [permit('letters/send')], { params })).to.equal('scope_insufficient');
    expect(judge(send, [permit('letters/*')])).to.equal(1);
    expect(judge(settings, [permit('letters/send')])).to.equal('scope_insufficient');
    expect(judge(settings, [permit('*')])).to.equal(1);
  });

  it('is the part of the account that its resource names', () => {
    const part = `${whole}letter/${letterId}`;
    expect(judge(get, [permit('letters/read', {}, part)], { params })).to.equal(1);
    const upper = `${whole}letter/${letterId.toUpperCase()}`;
    expect(judge(get, [permit('letters/read', {}, upper)], { params })).to.equal(1);
    const sent = { body: { letter_id: letterId.toUpperCase() } };
    expect(judge(send, [permit('letters/send', {}, upper)], sent)).to.equal(1);
    const otherAccount = upper.replace('acct_1', 'ACCT_1');
    expect(judge(get, [permit('letters/read', {}, otherAccount)], { params })).to.equal(
      'caveat_not_met',
    );
    const other = { params: { id: letterId.replace('0', '1') } };
    expect(judge(get, [permit('letters/read', {}, part)], other)).to.equal('caveat_not_met');
    const list = about('read', 'account');
    expect(judge(list, [permit('letters/read', {}, part)])).to.equal('caveat_not_met');
    const wallet = permit('letters/read', {}, `${whole}wallet`);
    expect(judge(about('read', 'wallet'), [wallet])).to.equal(1);
    expect(judge(get, [wallet], { params })).to.equal('caveat_not_met');
  });

  it('is nothing where a caveat cannot be honoured, is unknown or is not well-formed', () => {
    const caveats: object[] = [
      { max_letters: 1 },
      { weekday: 'monday' },
      { countries: 'DE' },
      { countries: [] },
    ];
    for (const caveat of caveats) {
      expect(judge(get, [permit('letters/read', caveat)], { params })).to.equal('caveat_not_met');
    }
    const honouringNone = about('read', 'account');
    expect(judge(honouringNone, [permit('letters/read', { countries: ['DE'] })])).to.equal(
      'caveat_not_met',
    );
    expect(judge(honouringNone, [permit('letters/read')])).to.equal(1);
  });

  it('keeps the permits that fit and drops the others', () => {
    const permits = [
      permit('letters/send', { weekday: 1 }),
      permit('letters/send', { max_letters: 2 }),
    ];
    expect(judge(send, permits)).to.equal(1);
  });

  it('is one letter where letter_id says so', () => {
    const permits = [permit('letters/*', { letter_id: letterId })];
    expect(judge(get, permits, { params })).to.equal(1);
    expect(judge(get, permits, { params: { id: 'x' } })).to.equal('caveat_not_met');
    expect(judge(send, permits)).to.equal('caveat_not_met');
    expect(judge(send, permits, { body: { letter_id: letterId.toUpperCase() } })).to.equal(1);
  });

  it('is nothing of what refuses every UCAN, and of what needs a wider scope than its access', () => {
    const refusing = {
      access: 'auth' as const,
      permit: { refused: 'It would outlive the token.' },
    };
    expect(judge(refusing, [permit('letters/*')])).to.equal('scope_insufficient');
    const voice = about('auth', 'account', { needs: 'full' });
    expect(judge(voice, [permit('letters/send')])).to.equal('scope_insufficient');
    expect(judge(voice, [permit('letters/*')])).to.equal(1);
    expect(judge(about('auth', 'account'), [permit('letters/read')])).to.equal(1);
  });

  it('is left to the handler where that judges the whole token', () => {
    const judging = { access: 'auth' as const, permit: { judgesItself: true as const } };
    expect(judge(judging, [permit('mail/send', { weekday: 1 })])).to.equal(1);
  });

  it('has the widest scope that is left', () => {
    expect(scopeOfPermits([permit('letters/read'), permit('letters/send')])).to.equal('send');
    expect(scopeOfPermits([permit('*')])).to.equal('full');
    expect(scopeOfPermits([])).to.equal('read');
  });
});

describe('A caveat', () => {
  const letter = { letterId, country: 'DE', service: 's', intent: 'i', totalMicro: 1_000_000n };
  it('allows what it names, in every respect', () => {
    expect(caveatAllows({}, letter)).to.equal(true);
    expect(caveatAllows({ countries: ['FR', 'DE'], max_total_minor: 100 }, letter)).to.equal(true);
    expect(caveatAllows({ countries: ['FR'] }, letter)).to.equal(false);
    expect(caveatAllows({ services: ['x'] }, letter)).to.equal(false);
    expect(caveatAllows({ intents: ['x'] }, letter)).to.equal(false);
    expect(caveatAllows({ letter_id: 'x' }, letter)).to.equal(false);
    expect(caveatAllows({ max_total_minor: 99 }, letter)).to.equal(false);
  });

  const caveats: LetterCaveat[] = [
    { countries: ['FR', 'GB'], services: ['s'], max_total_minor: 99 },
    { letter_id: 'x' },
  ];
  const ucan = ucanOf(caveats.map((caveat) => permit('letters/*', caveat)));

  it('that the letter of a request does not meet is named, with what it allows', () => {
    expect(() => assertPermitted({ ucan }, letter)).to.throw(
      'The caveats of the UCAN do not allow this letter: countries allows only FR, GB and max_total_minor allows at most 99 cents; or letter_id allows only x.',
    );
    expect(() => assertPermitted({ ucan }, { ...letter, letterId: 'x' })).to.not.throw();
  });

  it('is named whether or not a letter that the service has meets it', () => {
    const refusalOf = (subject: PermitSubject): string => {
      try {
        assertReachable({ ucan }, subject);
        return 'nothing';
      } catch (error) {
        return (error as Error).message;
      }
    };
    const said = refusalOf({ ...letter, service: 't' });
    expect(said).to.include('countries allows only FR, GB and services allows only s');
    for (const country of ['DE', 'FR']) {
      for (const service of ['s', 't']) {
        expect(refusalOf({ ...letter, country, service })).to.be.oneOf(
          country === 'FR' && service === 's' ? ['nothing', said] : [said],
        );
      }
    }
  });

  it('that an operation cannot honour is named', () => {
    const list = about('read', 'account');
    const caller = { accountId, ucan: ucanOf([permit('letters/read', { countries: ['DE'] })]) };
    expect(() => permitsFor(list, { params: {}, body: {} }, caller)).to.throw(
      'This operation cannot honour the caveat countries of the UCAN. Use a UCAN without it.',
    );
  });
});
