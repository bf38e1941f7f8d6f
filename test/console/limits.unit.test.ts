import { expect } from 'chai';
import { restOf } from '../../pages/console/limits/change-part.ts';
import { ruleIn, withoutRule, withRule } from '../../pages/console/limits/policy-form.ts';
import { aboutText, amountText } from '../../pages/console/limits/rule-text.ts';
import { markup } from '../../pages/html.ts';

const policy = {
  policy: 'account',
  version: 3,
  time_zone: 'Europe/Berlin',
  rules: [
    { id: 'known', effect: 'allow' as const, when: { recipients: ['digest'] } },
    { id: 'dear', effect: 'hold' as const, when: { price_above: 5 } },
  ],
  approvals: { quorum: 2 as const, approvers: ['anna@example.com'], expires_in_hours: 24 },
};

describe('a policy that a form changes', () => {
  it('keeps recipients, approvers and time zone when a rule is added', () => {
    const rule = { effect: 'deny' };
    expect(withRule(policy, rule)).to.deep.equal({
      time_zone: 'Europe/Berlin',
      approvals: policy.approvals,
      rules: [...policy.rules, rule],
    });
    expect(withRule(undefined, rule)).to.deep.equal({ rules: [rule] });
  });

  it('loses one rule', () => {
    const { rules, ...rest } = withoutRule(policy, 'known');
    expect(rules).to.deep.equal([policy.rules[1]]);
    expect(rest).to.deep.equal({ time_zone: 'Europe/Berlin', approvals: policy.approvals });
    expect(withoutRule(policy, 'unknown').rules).to.deep.equal(policy.rules);
  });

  it('gets a rule as it was typed', () => {
    const typed = (fields: Record<string, string>) => ruleIn(new URLSearchParams(fields));
    expect(
      typed({ effect: 'allow', id: '', country: '', price_above: '', amount: '' }),
    ).to.deep.equal({ effect: 'allow' });
    expect(
      typed({ effect: 'hold', id: ' big ', country: 'DE', price_above: '5.50', per: 'day' }),
    ).to.deep.equal({ effect: 'hold', id: 'big', when: { countries: ['DE'], price_above: 5.5 } });
    expect(typed({ effect: 'allow', amount: '20', per: 'month' }).limit).to.deep.equal({
      amount: 20,
      per: 'month',
    });
  });

  it('takes amounts with a decimal comma', () => {
    const typed = { effect: 'allow', price_above: '1,5', amount: ' 20,50 ', per: 'day' };
    expect(ruleIn(new URLSearchParams(typed))).to.deep.equal({
      effect: 'allow',
      when: { price_above: 1.5 },
      limit: { amount: 20.5, per: 'day' },
    });
  });

  it('leaves an amount that is no number to the operation, which says so', () => {
    const thousand = ruleIn(new URLSearchParams({ effect: 'allow', amount: '1,000', per: 'day' }));
    expect(thousand.limit).to.deep.equal({ amount: '1,000', per: 'day' });
    const { limit } = ruleIn(new URLSearchParams({ effect: 'allow', amount: '1e3', per: 'day' }));
    expect(limit).to.deep.equal({ amount: '1e3', per: 'day' });
  });
});

describe('letters that count for a limit', () => {
  it('are in the singular up to one in French, and at one in English and German', () => {
    const limit = { letters: 5, per: 'day' as const };
    const shown = (language: 'en' | 'de' | 'fr') =>
      [0, 1, 2].map((count) => amountText(count, limit, language));
    expect(shown('fr')).to.deep.equal(['0 lettre', '1 lettre', '2 lettres']);
    expect(shown('en')).to.deep.equal(['0 letters', '1 letter', '2 letters']);
    expect(shown('de')).to.deep.equal(['0 Briefe', '1 Brief', '2 Briefe']);
  });
});

describe('the time in which a policy is decided on', () => {
  it('is one hour in the singular', () => {
    const shown = (hours: number, language: 'en' | 'de' | 'fr') => {
      const approvals = { quorum: 1 as const, approvers: [], expires_in_hours: hours };
      return markup(restOf({ ...policy, approvals }, language));
    };
    expect(shown(1, 'en')).to.include('within 1 hour<');
    expect(shown(1, 'de')).to.include('innerhalb von 1 Stunde<');
    expect(shown(1, 'fr')).to.include('dans un délai de 1 heure<');
    expect(shown(24, 'en')).to.include('within 24 hours<');
  });
});

describe('the letters that a rule is about', () => {
  it('stand behind a colon that French sets off', () => {
    const rule = { id: 'a', effect: 'allow' as const, when: { countries: ['FR'] } };
    expect(aboutText(rule, 'fr')).to.equal('pays : France');
    expect(aboutText(rule, 'de')).to.equal('Länder: Frankreich');
    expect(aboutText(rule, 'en')).to.equal('countries: France');
  });
});
