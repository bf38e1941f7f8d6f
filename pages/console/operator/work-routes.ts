/** Work under way: production, returned mail, jobs. */
import { isReturnReason, returnReasonWords } from '../../../contract/return-reasons.ts';
import { type Html, html } from '../../html.ts';
import { statusIn } from '../status-badge.ts';
import type { JobLine, LetterLine, ProductionAge } from './desk.ts';
import { operatorFrameWords } from './operator-frame-words.ts';
import { buttonForm, inEnglish, listTable, time } from './operator-parts.ts';
import { formAt, type OperatorVisit, pageAt, shown } from './operator-visit.ts';
import { workWords } from './work-words.ts';

type Page = Pick<OperatorVisit, 'at' | 'language'>;

/** Why a letter came back, or where it is in production. */
const noteOf = ({ reason, handOver }: LetterLine, { language }: Page): string | undefined => {
  if (reason === undefined) return handOver && workWords[language].states[handOver];
  return isReturnReason(reason) ? returnReasonWords[language][reason] : reason;
};

const letterTable = (caption: string, letters: readonly LetterLine[], page: Page): Html => {
  const { at, language } = page;
  const { columns, none } = workWords[language].letters;
  const { modes } = operatorFrameWords[language];
  const rows = letters.map((one) => [
    html`<a href="${at(`/letters/${one.letterId}`)}"><code>${one.letterId}</code></a>`,
    html`<a href="${at(`/accounts/${one.accountId}`)}"><code>${one.accountId}</code></a>`,
    modes[one.test ? 'test' : 'live'],
    statusIn(language, one.status),
    one.service,
    time(one.since, language),
    noteOf(one, page),
  ]);
  return listTable(caption, columns, rows, none);
};

const ageTable = (ages: readonly ProductionAge[], { language }: Page): Html => {
  const words = workWords[language];
  const { caption, columns, none } = words.production;
  const rows = ages.map(({ partner, state, age, letters, oldest }) => [
    partner,
    words.states[state],
    words.ages[age] ?? age,
    letters,
    time(oldest, language),
  ]);
  return listTable(caption, columns, rows, none);
};

const jobRow =
  ({ at, language }: Page) =>
  (job: JobLine) => {
    const { attempts, never, retry, giveUp, remove, unknown } = workWords[language].jobs;
    const { key } = job;
    const button = (what: string, label: string) =>
      buttonForm(at(`/jobs/${what}`), { label, about: key, language }, { key });
    return [
      html`<code>${key}</code>`,
      job.task,
      attempts(job.attempts.made, job.attempts.most),
      time(job.failingSince, language),
      job.failed ? never : time(job.nextAt, language),
      inEnglish(job.error) ?? unknown,
      html`${button('retry', retry)}
${job.failed ? button('remove', remove) : button('give-up', giveUp)}`,
    ];
  };

const jobsBody = (jobs: readonly JobLine[], page: Page): Html => {
  const { lead, caption, columns, none } = workWords[page.language].jobs;
  const table = listTable(caption, columns, jobs.map(jobRow(page)), none);
  return jobs.some(({ failed }) => failed) ? html`<p>${lead}</p>${table}` : table;
};

export const workRoutes = [
  pageAt('/production', 'production', async (visit) => {
    const { ages, oldest } = await visit.desk.production();
    const title = workWords[visit.language].production.oldest;
    const body = html`${ageTable(ages, visit)}
<h2>${title}</h2>
${letterTable(title, oldest, visit)}`;
    return {
      body,
    };
  }),
  pageAt('/returned', 'returned', async (visit) => {
    const letters = await visit.desk.returned();
    const { lead, caption } = workWords[visit.language].returned;
    const body = html`<p>${lead}</p>
${letterTable(caption, letters, visit)}`;
    return { body };
  }),
  pageAt('/jobs', 'jobs', async (visit) => {
    const body = jobsBody(await visit.desk.jobs(), visit);
    return { body };
  }),
  formAt('/jobs/retry', 'jobs', async ({ desk, form }) => {
    await desk.retryJob(form.get('key') ?? '');
    return shown('/jobs', 'retried');
  }),
  formAt('/jobs/give-up', 'jobs', async ({ desk, form }) => {
    await desk.giveUpJob(form.get('key') ?? '');
    return shown('/jobs', 'given_up');
  }),
  formAt('/jobs/remove', 'jobs', async ({ desk, form }) => {
    await desk.removeJob(form.get('key') ?? '');
    return shown('/jobs', 'removed');
  }),
];
