/** `/console/operator/accounts`: standing, quotas, credit and keys of accounts. */
import { Refused } from '../../../contract/operator-refused.ts';
import { fieldOf, idempotencyHeader } from '../form.ts';
import { changedIn, isOutdated } from '../shown-fields.ts';
import { accountBody, accountsBody, quotaFields } from './accounts-page.ts';
import { accountsWords } from './accounts-words.ts';
import {
  formAt,
  found,
  type OperatorRoute,
  type OperatorVisit,
  pageAt,
  shown,
} from './operator-visit.ts';

const pageOf = ({ params }: OperatorVisit): string =>
  `/accounts/${encodeURIComponent(params.id ?? '')}`;

const showAccount = async (visit: OperatorVisit) => {
  const account = found(await visit.desk.account(visit.session, visit.params.id ?? ''));
  const { title } = accountsWords[visit.language];
  return { title, body: accountBody(account, visit) };
};

/** A form about an account: its action, and the notice of the next page. */
const change = (
  path: string,
  act: (visit: OperatorVisit, accountId: string) => Promise<string>,
): OperatorRoute =>
  formAt(`/accounts/{id}/${path}`, 'accounts', async (visit) => {
    const accountId = visit.params.id ?? '';
    // A change is a look into the account, too.
    const account = found(await visit.desk.account(visit.session, accountId));
    found(account.erased ? undefined : account);
    return shown(pageOf(visit), await act(visit, accountId));
  });

/** Compares the form with the account as the command finds it. @throws Refused if that changed after the page was shown */
const assertCurrent = (
  { form }: OperatorVisit,
  values: Record<string, string>,
  names: readonly string[] = Object.keys(values),
): void => {
  if (!isOutdated(form, names, values)) return;
  throw new Refused('The account was changed after the page was shown. Load the page again.');
};

const text = ({ form }: OperatorVisit, name: string): string => fieldOf(form, name)?.trim() ?? '';

export const accountsRoutes = [
  pageAt('/accounts', 'accounts', async (visit) => {
    const blocked = visit.query.get('blocked') === 'true';
    const before = visit.query.get('before') ?? undefined;
    const list = await visit.desk.accounts({ blocked, before });
    return { body: accountsBody(list, blocked, visit) };
  }),
  pageAt('/accounts/{id}', 'accounts', showAccount),
  change('block', async (visit, id) => {
    await visit.desk.block(id, text(visit, 'reason'));
    return 'blocked';
  }),
  change('unblock', async (visit, id) => {
    await visit.desk.unblock(id, (blocked) => assertCurrent(visit, { blocked }));
    return 'unblocked';
  }),
  change('freeze', async ({ desk }, id) => {
    await desk.freeze(id);
    return 'frozen';
  }),
  change('unfreeze', async (visit, id) => {
    await visit.desk.unfreeze(id, (frozen) => assertCurrent(visit, { frozen }));
    return 'unfrozen';
  }),
  change('quotas', async (visit, id) => {
    const { desk, form } = visit;
    const names = changedIn(form, [...form.keys()]);
    const wanted = Object.fromEntries(names.map((name) => [name, text(visit, name)]));
    await desk.setQuotas(id, wanted, (own) => assertCurrent(visit, quotaFields(own), names));
    return 'quotas';
  }),
  change('credit', async (visit, id) => {
    const { credited } = await visit.desk.credit(id, {
      amount: text(visit, 'amount'),
      bucket: text(visit, 'bucket'),
      reference: text(visit, 'reference'),
    });
    return credited ? 'credited' : 'credited_before';
  }),
  change('keys/{key}/revoke', async ({ desk, params }, id) => {
    await desk.revokeKey(id, params.key ?? '');
    return 'revoked';
  }),
  change('deliveries/{notification}/again', async ({ desk, params, form }, id) => {
    const { 'idempotency-key': key } = idempotencyHeader(form);
    await desk.deliverAgain(id, params.notification ?? '', key);
    return 'delivered_again';
  }),
];
