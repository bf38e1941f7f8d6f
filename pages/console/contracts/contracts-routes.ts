/** `/console/contracts`: volume contracts and accepted offers. */
import { type Html, html } from '../../html.ts';
import { fieldsOf, idempotencyHeader } from '../form.ts';
import { problemNotice } from '../frame.ts';
import { ask, attempt, formAt, type Problem, pageAt, type View, type Visit } from '../visit.ts';
import { contractBody } from './contract-page.ts';
import { type Agreed, contractsBody, type Shown } from './contracts-page.ts';
import { contractsWords } from './contracts-words.ts';

const cursorIn = ({ query }: Visit, name: string): Record<string, string> => {
  const cursor = query.get(name);
  return cursor === null ? {} : { cursor };
};

const showContracts = async (
  visit: Visit,
  refusal?: { notice: Html; status: number },
): Promise<View> => {
  const [contracts, offers] = await Promise.all([
    ask<Shown['contracts']>(visit, 'list_contracts', {
      query: { state: 'all', ...cursorIn(visit, 'contracts') },
    }),
    ask<Shown['offers']>(visit, 'list_commitments', { query: cursorIn(visit, 'offers') }),
  ]);
  const { notice, status = 200 } = refusal ?? {};
  return { body: html`${notice}${contractsBody({ contracts, offers }, visit)}`, status };
};

const showProblem = (visit: Visit, problem: Problem): Promise<View> =>
  showContracts(
    { ...visit, problem },
    { notice: problemNotice(problem, visit.language), status: problem.status },
  );

const fields = ['committed_units', 'period', 'period_count', 'starts_at', 'time_zone'];
const numbers = ['committed_units', 'period_count'];

/** A field as the operation takes it. A text that is not a number is passed on: the operation reports it. */
const typedValue = (name: string, text: string): number | string =>
  numbers.includes(name) && /^\d{1,9}$/.test(text.trim()) ? Number(text) : text.trim();

const wantedContract = (form: URLSearchParams): Record<string, number | string> =>
  Object.fromEntries(
    Object.entries(fieldsOf(form, fields)).map(([name, text]) => [name, typedValue(name, text)]),
  );

export const contractsRoutes = [
  pageAt('/contracts', 'contracts', (visit) => showContracts(visit)),
  formAt('/contracts', 'contracts', async (visit) => {
    const { form, language } = visit;
    if (!form.has('confirm')) {
      const { unconfirmed } = contractsWords[language].make;
      const notice = html`<p class="problem" role="alert">${unconfirmed}</p>`;
      return showContracts(visit, { notice, status: 422 });
    }
    const input = { body: wantedContract(form), headers: idempotencyHeader(form) };
    const outcome = await attempt<Agreed>(visit, 'create_contract', input);
    if ('problem' in outcome) return showProblem(visit, outcome.problem);
    return { goTo: `/contracts/${outcome.done.contract_id}?said=contract_made` };
  }),
  pageAt('/contracts/{contract_id}', 'contracts', async (visit) => {
    const params = { contract_id: visit.params.contract_id ?? '' };
    const contract = await ask<Agreed>(visit, 'get_contract', { params });
    const title = contractsWords[visit.language].contractColumns.id;
    return { title, body: contractBody(contract, visit) };
  }),
];
