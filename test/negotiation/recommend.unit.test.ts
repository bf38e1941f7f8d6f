import { expect } from 'chai';
import { recommend } from '../../commands/negotiation/recommend.ts';
import type { Tier, TierName } from '../../postal/tiers.ts';

const tier = (name: TierName, rank: number, meetsIntent = true): Tier => ({
  tier: name,
  rank,
  meetsIntent,
  service: 'de_einschreiben',
  score: 1 / rank,
  difference: '',
});
const tiers = [tier('economy', 1), tier('standard', 2), tier('premium', 3)];

describe('the recommended tier', () => {
  it('is the best scored one for whom nothing is known', () => {
    expect(recommend(tiers, undefined)).to.deep.include({ tier: 'economy' });
  });

  it('is the one that the customer mostly chooses, and says so', () => {
    const { tier: chosen, because } = recommend(tiers, { premium: 3, economy: 1 });
    expect(chosen).to.equal('premium');
    expect(because[0]).to.contain('75 %');
  });

  it('does not follow one or two offers, nor a divided customer', () => {
    expect(recommend(tiers, { premium: 2 }).tier).to.equal('economy');
    expect(recommend(tiers, { premium: 2, standard: 2 }).tier).to.equal('economy');
  });

  it('meets the intent class where a tier does, whatever the habit', () => {
    const some = [tier('economy', 1, false), tier('standard', 2), tier('premium', 3)];
    const { tier: chosen, because } = recommend(some, { economy: 9 });
    expect(chosen).to.equal('standard');
    expect(because.join(' ')).to.contain('does not meet the intent class');
  });
});
