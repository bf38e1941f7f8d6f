import { expect } from 'chai';
import { evaluationPage } from '../../pages/evaluation/evaluation-page.ts';
import { presentEvaluation } from '../../presenters/evaluation.ts';

const period = { from: '2026-11-01', to: '2026-11-30', country: null, test: false };

/** Letters that were handed over on Monday, 2 November, and are due on Thursday. */
const evaluationOf = (onTime: number, late: number) => {
  const letter = { intent: 'transactional', service: 'de_einschreiben', country: 'DE' };
  const posted = { ...letter, month: '2026-11', countsFrom: '2026-11-02', returned: false };
  const journeys = [
    { ...posted, delivered: '2026-11-04', letters: onTime },
    { ...posted, delivered: '2026-11-09', letters: late },
  ].filter(({ letters }) => letters > 0);
  return presentEvaluation(period, journeys, Date.parse('2026-11-30T12:00:00Z'));
};

describe('the share of letters that were on time', () => {
  for (const [onTime, late, attainment, shown] of [
    [1, 0, 1, '100 %'],
    [2_999, 1, 0.9997, '99.9 %'],
    [99_999, 1, 0.9999, '99.9 %'],
    [2, 1, 0.6667, '66.7 %'],
    [1, 99_999, 0.0001, '0.1 %'],
    [0, 1, 0, '0 %'],
  ] as const) {
    it(`is ${shown} of ${onTime} letters on time and ${late} late`, () => {
      const evaluation = evaluationOf(onTime, late);
      expect(evaluation.total).to.include({ on_time: onTime, late, attainment });
      expect(evaluationPage(evaluation, '')).to.include(
        `${shown} of those of which it is known were on time.`,
      );
    });
  }
});
