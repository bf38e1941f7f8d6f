/** `/console/wallet`: balance, statement, and money that is paid in. */
import { html } from '../../html.ts';
import type { Approval } from '../approvals/approvals-page.ts';
import { amountIn, fieldsOf, idempotencyHeader } from '../form.ts';
import { problemNotice } from '../frame.ts';
import type { Letter } from '../letter-shown.ts';
import {
  awaitedPart,
  type TopUp,
  type TopUpMethod,
  topUpBody,
  topUpPart,
} from '../top-up/top-up-page.ts';
import { topUpWords } from '../top-up/top-up-words.ts';
import {
  ask,
  askFile,
  attempt,
  formAt,
  type Problem,
  pageAt,
  type View,
  type Visit,
} from '../visit.ts';
import type { Reserved } from './reserved-part.ts';
import { type Wallet, walletBody } from './wallet-page.ts';

const methods: readonly TopUpMethod[] = ['usdc', 'lightning', 'card'];

/** The ways to pay that the operator set up; a test wallet takes no money. */
const methodsFor = async (visit: Visit): Promise<TopUpMethod[]> => {
  if (visit.session.caller.test) return [];
  const info = await ask<{ payment_methods: string[] }>(visit, 'service_info');
  return methods.filter((method) => info.payment_methods.includes(method));
};

const mostReserved = '20';

/** Undefined for a session that may not see letters or approvals. */
const reservedIn = async (visit: Visit): Promise<Reserved | undefined> => {
  const wanted = { limit: mostReserved };
  const [letters, approvals] = await Promise.all([
    attempt<{ data: Letter[]; next_cursor: string | null }>(visit, 'list_letters', {
      query: { ...wanted, status: 'queued' },
    }),
    attempt<{ data: Approval[]; next_cursor: string | null }>(visit, 'list_approvals', {
      query: { ...wanted, status: 'pending' },
    }),
  ]);
  if ('problem' in letters || 'problem' in approvals) return undefined;
  const { data: queued, next_cursor: next } = letters.done;
  const { data: held, next_cursor: nextHeld } = approvals.done;
  return { queued, hasMore: next !== null, held, hasMoreHeld: nextHeld !== null };
};

/** More than an account may have. */
const mostAwaited = '100';

/** Test wallets and sessions without the right to look at payments await none. */
const awaitedIn = async (visit: Visit): Promise<readonly TopUp[]> => {
  if (visit.session.caller.test) return [];
  const query = { status: 'pending', limit: mostAwaited };
  const topUps = await attempt<{ data: TopUp[] }>(visit, 'list_top_ups', { query });
  return 'problem' in topUps ? [] : topUps.done.data;
};

const showWallet = async (visit: Visit, problem?: Problem): Promise<View> => {
  const [wallet, ways, awaited, reserved] = await Promise.all([
    ask<Wallet>(visit, 'get_balance'),
    methodsFor(visit),
    awaitedIn(visit),
    reservedIn(visit),
  ]);
  return {
    body: walletBody(wallet, visit, {
      problem: problem && problemNotice(problem, visit.language),
      topUp: html`${topUpPart(ways, { ...visit, problem })}${awaitedPart(awaited, visit)}`,
      reserved,
      takesOrders: ways.includes('card'),
    }),
    status: problem?.status ?? 200,
  };
};

const wantedTopUp = (form: URLSearchParams): Record<string, unknown> => {
  const { method, currency } = fieldsOf(form, ['method', 'currency']);
  const wanted = { method, amount: amountIn(form, 'amount') ?? '' };
  return method === 'card' && currency !== undefined ? { ...wanted, currency } : wanted;
};

const topUpRoutes = [
  formAt('/wallet/top-up', 'wallet', async (visit) => {
    const input = { body: wantedTopUp(visit.form), headers: idempotencyHeader(visit.form) };
    const outcome = await attempt<TopUp>(visit, 'top_up', input);
    if ('problem' in outcome) return showWallet(visit, outcome.problem);
    return { goTo: `/wallet/top-ups/${outcome.done.topup_id}` };
  }),
  pageAt('/wallet/top-ups/{topup_id}', 'wallet', async (visit) => {
    const params = { topup_id: visit.params.topup_id ?? '' };
    const topUp = await ask<TopUp>(visit, 'get_top_up', { params });
    const title = topUpWords[visit.language].page;
    return { title, body: topUpBody(topUp, visit) };
  }),
  formAt('/wallet/refill', 'wallet', async (visit) => {
    const outcome = await attempt(visit, 'refill_test_wallet');
    if ('problem' in outcome) return showWallet(visit, outcome.problem);
    return { goTo: '/wallet?said=refilled' };
  }),
];

export const walletRoutes = [
  pageAt('/wallet', 'wallet', (visit) => showWallet(visit)),
  pageAt('/wallet/statement.csv', 'wallet', async (visit) => {
    const query = fieldsOf(visit.query, ['from', 'to']);
    const file = await askFile(visit, 'get_statement', { query });
    return { file, type: 'text/csv; charset=utf-8', name: 'statement.csv' };
  }),
  ...topUpRoutes,
];
