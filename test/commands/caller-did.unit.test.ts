import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { type Account, evolve, initialState } from '../../commands/accounts/account.ts';
import {
  type AdoptDid,
  adoptDid,
  type KeepDid,
  keepDid,
} from '../../commands/accounts/caller-did.ts';
import { challengeMs, createDidChallenges } from '../../commands/accounts/did-challenge.ts';
import type { AccountEvent } from '../../events/account.ts';
import { describeDecider, refusalOf, specTime } from '../support/decider-spec.ts';
import { withKey } from '../support/keyring.ts';

const decide = (state: Account, command: KeepDid | AdoptDid): AccountEvent[] =>
  command.type === 'KeepDid' ? keepDid(state, command) : adoptDid(state, command);
const { given } = describeDecider({ initialState, evolve, decide });

const registered: AccountEvent = {
  type: 'AccountRegistered',
  data: { accountId: 'acct_1', kind: 'email', test: false, requestHash: 'r'.repeat(43) },
  personal: { name: 'ada@example.org' },
};
const kept: AccountEvent = {
  type: 'DidCreated',
  data: { accountId: 'acct_1', did: 'did:key:z6Mkkept', custody: 'service' },
  personal: { seed: 'seed' },
};
const adopted: AccountEvent = {
  type: 'DidCreated',
  data: { accountId: 'acct_1', did: 'did:key:z6Mkown', custody: 'self' },
};
const keep: KeepDid = { type: 'KeepDid', did: 'did:key:z6Mkkept', seed: 'seed' };
const adopt = (replaces: string | undefined): AdoptDid => ({
  type: 'AdoptDid',
  did: 'did:key:z6Mkown',
  replaces,
});

describe('the DID of an account', () => {
  it('is made once, with its key in the personal part', () => {
    given(registered).when(keep).then(kept);
    given(registered, kept).when(keep).thenNothing();
    given(registered, adopted).when(keep).thenNothing();
  });

  it('gives way to one of the caller’s own, whose key is nowhere', () => {
    given(registered).when(adopt(undefined)).then(adopted);
    given(registered, kept).when(adopt(specTime)).then(adopted);
    const state = [registered, kept, adopted].reduce(
      (folded, event) => evolve(folded, event, specTime),
      initialState(),
    );
    expect(state.did).to.deep.equal({
      did: 'did:key:z6Mkown',
      custody: 'self',
      seed: undefined,
      since: specTime,
      unproven: true,
    });
  });

  it('is not changed twice by the same proof', () => {
    given(registered, kept).when(adopt(undefined)).thenRefuses('did_challenge_invalid');
    given(registered, kept, adopted).when(adopt(undefined)).thenNothing();
  });

  it('belongs to an account', () => {
    given().when(keep).thenRefuses('account_not_found');
    given().when(adopt(undefined)).thenRefuses('account_not_found');
  });
});

describe('a challenge for a DID', () => {
  const key = randomBytes(32);
  const service = 'did:web:letters.example';
  const challenges = createDidChallenges(withKey(key), () => service);
  const claim = { accountId: 'acct_1', did: 'did:key:z6Mkown', replaces: undefined };
  const now = Date.parse(specTime);
  const { challenge, expiresAt } = challenges.issue(claim, now);
  const check = (text: string, about: typeof claim | { replaces: string }, at = now) =>
    refusalOf(() => challenges.check(text, { ...claim, ...about }, at));

  it('names the account, the service, the DID and the time, and holds for ten minutes', () => {
    for (const named of ['acct_1', service, claim.did, expiresAt]) {
      expect(challenge).to.contain(named);
    }
    expect(check(challenge, claim)).to.equal(undefined);
    expect(check(challenge, claim, now + challengeMs - 1)).to.equal(undefined);
    expect(check(challenge, claim, now + challengeMs)).to.equal('did_challenge_invalid');
  });

  it('is of no use for another account, another DID or after the DID changed', () => {
    for (const other of [
      { ...claim, accountId: 'acct_2' },
      { ...claim, did: 'did:key:z6Mkother' },
      { replaces: specTime },
    ]) {
      expect(check(challenge, other as typeof claim)).to.equal('did_challenge_invalid');
    }
  });

  it('cannot be made or prolonged by the caller', () => {
    const later = challenge.replace(expiresAt, '2027-01-01T00:00:00.000Z');
    for (const forged of [later, `${challenge} `, '', challenge.slice(0, -1)]) {
      expect(check(forged, claim)).to.equal('did_challenge_invalid');
    }
    for (const stranger of [
      createDidChallenges(withKey(randomBytes(32)), () => service),
      createDidChallenges(withKey(key), () => 'did:web:elsewhere.example'),
    ]) {
      const theirs = stranger.issue(claim, now).challenge;
      expect(check(theirs, claim)).to.equal('did_challenge_invalid');
    }
  });
});
