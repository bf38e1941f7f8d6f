/** `/console/statistics`: charts of letters and spending per day. */
import type { Static } from 'typebox';
import type { Statistics as StatisticsSchema } from '../../../presenters/statistics.ts';
import { type Html, html } from '../../html.ts';
import { fieldsOf, textField } from '../form.ts';
import { money } from '../format.ts';
import { problemNotice } from '../frame.ts';
import { attempt, pageAt, type Visit } from '../visit.ts';
import { barChart } from './bar-chart.ts';
import { statisticsWords } from './statistics-words.ts';

type Statistics = Static<typeof StatisticsSchema>;
type Range = Partial<Record<string, string>>;

const rangeForm = ({ at, language }: Visit, { from, to }: Range): Html => {
  const words = statisticsWords[language];
  return html`<form class="row" method="get" action="${at('/statistics')}">
${textField({ name: 'from', label: words.from, type: 'date', value: from })}
${textField({ name: 'to', label: words.to, type: 'date', value: to })}
<p><button class="button" type="submit">${words.show}</button></p>
</form>`;
};

const charts = ({ days, letters, spent }: Statistics, visit: Visit): Html => {
  const { language } = visit;
  const words = statisticsWords[language];
  const counted = (value: number): string => value.toLocaleString(language);
  const paid = (value: number): string => money(value, language);
  const chart = (
    name: 'letters' | 'spent',
    shown: (value: number) => string,
    summary: string,
  ): Html => {
    const bars = days.map((one) => ({ day: one.day, value: one[name] }));
    return barChart({ name, title: words[name], summary, bars, shown }, visit, words);
  };
  return html`${chart('letters', counted, words.lettersSum(counted(letters)))}
${chart('spent', paid, words.spentSum(paid(spent)))}`;
};

export const statisticsRoutes = [
  pageAt('/statistics', 'letters', async (visit) => {
    const { language, query } = visit;
    const words = statisticsWords[language];
    const wanted = fieldsOf(query, ['from', 'to']);
    const outcome = await attempt<Statistics>(visit, 'get_statistics', { query: wanted });
    const [range, shown] =
      'problem' in outcome
        ? [wanted, problemNotice(outcome.problem, language)]
        : [outcome.done, charts(outcome.done, visit)];
    return {
      title: words.title,
      status: 'problem' in outcome ? outcome.problem.status : 200,
      body: html`<p class="lead">${words.lead}</p>
${rangeForm(visit, { from: range.from, to: range.to })}
${shown}`,
    };
  }),
];
