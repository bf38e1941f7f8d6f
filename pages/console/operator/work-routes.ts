/** Work under way: production, returned mail, jobs. */
import { type Html, html } from '../../html.ts';
import type { JobLine, LetterLine, ProductionAge } from './desk.ts';
import { buttonForm, listTable, time } from './operator-parts.ts';
import { type OperatorRoute, type OperatorVisit, shown } from './operator-visit.ts';

type At = Pick<OperatorVisit, 'at'>;

const letterTable = (caption: string, letters: readonly LetterLine[], { at }: At): Html =>
  listTable(
    caption,
    ['Letter', 'Account', 'Mode', 'Status', 'Service', 'Since', 'Note'],
    letters.map((one) => [
      html`<a href="${at(`/letters/${one.letterId}`)}"><code>${one.letterId}</code></a>`,
      html`<a href="${at(`/accounts/${one.accountId}`)}"><code>${one.accountId}</code></a>`,
      one.test ? 'test' : 'live',
      one.status,
      one.service,
      time(one.since),
      one.note,
    ]),
    'There is no such letter.',
  );

const ageTable = (ages: readonly ProductionAge[]): Html =>
  listTable(
    'Letters in production by print partner and age',
    ['Print partner', 'State', 'Age', 'Letters', 'Oldest'],
    ages.map(({ partner, state, age, letters, oldest }) => [
      partner,
      state,
      age,
      letters,
      time(oldest),
    ]),
    'No letter is in production.',
  );

const jobRow =
  ({ at }: At) =>
  (job: JobLine) => [
    html`<code>${job.key}</code>`,
    job.task,
    job.attempts,
    job.failed ? 'never' : time(job.nextAt),
    html`${buttonForm(at('/jobs/retry'), 'Retry', job.key, { key: job.key })}
${job.failed ? undefined : buttonForm(at('/jobs/give-up'), 'Give up', job.key, { key: job.key })}`,
  ];

export const workRoutes: OperatorRoute[] = [
  {
    method: 'GET',
    path: '/production',
    room: 'production',
    async handle(visit) {
      const { ages, oldest } = await visit.desk.production();
      const body = html`${ageTable(ages)}
<h2>The oldest letters in production</h2>
${letterTable('The oldest letters in production', oldest, visit)}`;
      return { title: 'Production', room: 'production', body };
    },
  },
  {
    method: 'GET',
    path: '/returned',
    room: 'returned',
    async handle(visit) {
      const letters = await visit.desk.returned();
      const body = html`<p>To report a letter as returned, find it by its id or tracking number.</p>
${letterTable('The newest letters that came back', letters, visit)}`;
      return { title: 'Returned mail', room: 'returned', body };
    },
  },
  {
    method: 'GET',
    path: '/jobs',
    room: 'jobs',
    async handle(visit) {
      const jobs = listTable(
        'Jobs that failed',
        ['Job', 'Task', 'Attempts', 'Next attempt', 'Do'],
        (await visit.desk.jobs()).map(jobRow(visit)),
        'No job has failed.',
      );
      const body = html`<p>The log of the service says why a job failed.</p>
${jobs}`;
      return { title: 'Jobs', room: 'jobs', body };
    },
  },
  {
    method: 'POST',
    path: '/jobs/retry',
    room: 'jobs',
    async handle({ desk, form }) {
      await desk.retryJob(form.get('key') ?? '');
      return shown('/jobs', 'retried');
    },
  },
  {
    method: 'POST',
    path: '/jobs/give-up',
    room: 'jobs',
    async handle({ desk, form }) {
      await desk.giveUpJob(form.get('key') ?? '');
      return shown('/jobs', 'given_up');
    },
  },
];
