import { createSecretKey, randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { createEmailTokens, type EmailGrant } from '../../commands/accounts/confirmation.ts';
import { isAppError } from '../../contract/errors.ts';
import { withKey } from '../support/keyring.ts';

const tokens = createEmailTokens(withKey(createSecretKey(randomBytes(32))));
const grant: EmailGrant = {
  purpose: 'confirm',
  accountId: 'acct_1',
  address: 'registered',
  digest: 'd'.repeat(43),
  expiresAtMs: Date.parse('2026-12-01T00:00:00.000Z'),
};

const refusalOf = (token: string, purpose = grant.purpose): string | undefined => {
  try {
    tokens.read(token, purpose);
    return undefined;
  } catch (error) {
    return isAppError(error) ? error.code : String(error);
  }
};

describe('the token of a link in a mail', () => {
  it('has one spelling, and nobody can change it', () => {
    const token = tokens.issue(grant);
    expect(tokens.read(token, 'confirm')).to.deep.equal(grant);
    const signature = token.slice(token.lastIndexOf('.'));
    const others = [
      ...[`${token}=`, `${token}==`, `${token}AAAA`, token.slice(0, -1), '', '.'],
      tokens.issue({ ...grant, accountId: 'acct_2' }).replace(/\.[^.]*$/, signature),
      tokens.issue({ ...grant, expiresAtMs: 0 }).replace(/\.[^.]*$/, signature),
      createEmailTokens(withKey(createSecretKey(randomBytes(32)))).issue(grant),
    ];
    for (const other of others) expect(refusalOf(other), other).to.equal('confirmation_invalid');
  });

  it('is for one purpose', () => {
    for (const purpose of ['unsubscribe', 'stop'] as const) {
      expect(refusalOf(tokens.issue(grant), purpose)).to.equal('confirmation_invalid');
    }
  });
});
