import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { accountAggregate } from '../../commands/accounts/account.ts';
import { createRecoveryTokens } from '../../commands/accounts/recovery.ts';
import { makeRoot } from '../../commands/ucans/issue-ucan.ts';
import { issueUcanToken, ucanAggregate } from '../../commands/ucans/ucan.ts';
import { ed25519FromSeed } from '../../identity/keys.ts';
import { capabilitiesOf } from '../../identity/ucan/scope.ts';
import { issueUcan } from '../../identity/ucan/token.ts';
import { consoleAt, cookieIn } from '../console/console-client.ts';
import {
  type Account,
  expectProblem,
  letterTo,
  type NewKeyJson,
  useService,
} from '../support/client.ts';

type IssuedJson = { token: string; cid: string; proofs: string[] };

/** A credential of the account. */
type Credential = {
  kind: 'key' | 'root' | 'earlier' | 'delegation' | 'signed';
  /** The text after `Bearer `. */
  secret: string;
  /** Of a UCAN whose audience is a key of the test. */
  cid?: string;
  /** The header `ucans`. */
  proofs: string[];
};

const kinds = ['key', 'root', 'earlier', 'delegation', 'signed'] as const;
const things = ['session', 'link', 'auditLink', 'auditWebhook', 'letter'] as const;

const Step = fc.record({
  what: fc.constantFrom(...kinds, ...things),
  actor: fc.nat(30),
});
type Step = typeof Step extends fc.Arbitrary<infer T> ? T : never;

describe('after the recovery of an account', () => {
  const api = useService();
  const pages = consoleAt(() => api.service().url);
  const agent = ed25519FromSeed(Buffer.alloc(32, 27));
  const inAnHour = (): number => Math.floor(Date.now() / 1_000) + 3_600;

  const world = async () => {
    const owner = await api.register();
    const accountId = owner.account.account_id;
    const { letter_id: letterId } = await owner.send();
    const policy = {
      rules: [
        { id: 'all', effect: 'allow' },
        { id: 'ask', effect: 'hold' },
      ],
    };
    const credentials: Credential[] = [{ kind: 'key', secret: owner.key, proofs: [] }];
    const statuses: (() => Promise<[string, boolean]>)[] = [];
    const letters: string[] = [];
    /** Tokens of links to the console. */
    const unused: string[] = [];

    const headersOf = ({ proofs }: Credential): Record<string, string> =>
      proofs.length > 0 ? { ucans: proofs.join(', ') } : {};
    const post = async <T>(actor: Credential, path: string, body: object): Promise<T> => {
      const answer = await api.as(actor.secret).post<T>(path, body, headersOf(actor));
      expect(answer.status, `${actor.kind} ${path}: ${answer.text}`).to.be.oneOf([201, 202]);
      return answer.body;
    };
    const balanceOverMcp = async (one: Credential): Promise<boolean> => {
      const params = { name: 'get_balance', arguments: {} };
      const answer = await fetch(`${api.service().url}/mcp`, {
        method: 'POST',
        headers: {
          ...headersOf(one),
          Authorization: `Bearer ${one.secret}`,
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      });
      return (await answer.text()).includes('available');
    };
    const tokenOf = ({ secret }: Credential): string => secret.slice('ucan:'.length);
    const isUcan = ({ kind }: Credential): boolean => kind !== 'key';

    /** As version 1 recorded a root: without the key that asked for it. */
    const earlierRoot = async (): Promise<void> => {
      const { foundation } = api.service().service;
      const { authority, commands } = foundation;
      const cap = capabilitiesOf('full', accountId);
      const { cid, token } = makeRoot(authority.issuer, {
        audience: agent.did,
        cap,
        exp: inAnHour(),
      });
      const data = {
        cid,
        accountId,
        kind: 'root' as const,
        issuer: authority.issuer.rootKey().did,
        audience: agent.did,
        expiresAt: inAnHour(),
        proofs: [],
        requestHash: 'h',
      };
      await commands.handler.handle(
        ucanAggregate,
        cid,
        { commandId: randomUUID(), actor: 'earlier' },
        (state) => issueUcanToken(state, { type: 'IssueUcan', token, data }),
      );
      credentials.push({ kind: 'earlier', secret: `ucan:${token}`, cid, proofs: [] });
    };

    const makers: Record<Step['what'], (actor: Credential) => Promise<void>> = {
      async key(actor) {
        const made = await post<NewKeyJson>(actor, '/auth/keys', { label: 'made', scope: 'full' });
        credentials.push({ kind: 'key', secret: made.api_key, proofs: [] });
      },
      async root(actor) {
        if (isUcan(actor)) return;
        const body = { scope: 'full', audience: agent.did };
        const { token, cid } = await post<IssuedJson>(actor, '/api/identity/ucan', body);
        credentials.push({ kind: 'root', secret: `ucan:${token}`, cid, proofs: [] });
      },
      earlier: earlierRoot,
      async delegation(actor) {
        if (isUcan(actor)) return;
        const body = { scope: 'full', audience: agent.did };
        const { token, cid, proofs } = await post<IssuedJson>(
          actor,
          '/api/identity/delegate',
          body,
        );
        credentials.push({ kind: 'delegation', secret: `ucan:${token}`, cid, proofs });
      },
      /** The holder signs it without the service, from any UCAN that it holds. */
      async signed(actor) {
        if (actor.cid === undefined) return;
        const cap = capabilitiesOf('full', accountId);
        const { exp } = JSON.parse(
          Buffer.from(tokenOf(actor).split('.')[1] ?? '', 'base64url').toString(),
        ) as { exp: number };
        const claims = { aud: agent.did, exp, cap, prf: [actor.cid], nnc: randomUUID() };
        const { token, cid } = issueUcan(claims, agent);
        const proofs = [tokenOf(actor), ...actor.proofs];
        credentials.push({ kind: 'signed', secret: `ucan:${token}`, cid, proofs });
      },
      async session(actor) {
        const { url } = await post<{ url: string }>(actor, '/api/console-links', {});
        const used = await pages.post('/sign-in/link', { token: url.split('#token=')[1] ?? '' });
        const cookie = cookieIn(used);
        statuses.push(async () => {
          const { status } = await pages.get('/letters', { cookie });
          return [`session of ${actor.kind}`, status === 200];
        });
      },
      async link(actor) {
        const { url } = await post<{ url: string }>(actor, '/api/console-links', {});
        unused.push(url.split('#token=')[1] ?? '');
      },
      async auditLink(actor) {
        const path = `/api/identity/audit/${letterId}/link`;
        const { pathname, search } = new URL((await post<{ url: string }>(actor, path, {})).url);
        statuses.push(async () => {
          const { status } = await fetch(`${api.service().url}${pathname}${search}`);
          return [`audit link of ${actor.kind}`, status === 200];
        });
      },
      /** Only UCANs: a webhook by a lasting key is a setting that lasts. */
      async auditWebhook(actor) {
        if (!isUcan(actor)) return;
        const body = { url: `https://example.com/${randomUUID()}` };
        const { id } = await post<{ id: string }>(actor, '/api/identity/audit/subscribe', body);
        const { authority, commands } = api.service().service.foundation;
        statuses.push(async () => {
          const { state } = await commands.handler.load(accountAggregate, accountId);
          const { boundTo } = state.subscriptions.get(id) ?? expect.fail('it was removed');
          return [`audit webhook of ${actor.kind}`, !(await authority.check.hasEnded(boundTo))];
        });
      },
      async letter(actor) {
        const { approval_id: id } = await post<{ approval_id: string }>(
          actor,
          '/api/send',
          letterTo('DE'),
        );
        letters.push(id);
      },
    };

    const set = await owner.put('/api/policy', policy);
    expect(set.status, set.text).to.equal(200);
    return {
      accountId,
      letters,
      unused,
      take: (step: Step) =>
        makers[step.what](credentials[step.actor % credentials.length] as Credential),
      /** The names of credentials, and of things that came from them, that still work. */
      async open(): Promise<string[]> {
        const opened: string[] = [];
        for (const one of credentials) {
          const { status } = await api.as(one.secret).get('/api/balance', headersOf(one));
          if (status === 200) opened.push(one.kind);
          if (await balanceOverMcp(one)) opened.push(`${one.kind} over MCP`);
          if (!isUcan(one)) continue;
          const body = { token: tokenOf(one), proofs: one.proofs };
          const verified = await api.call<{ valid: boolean }>(
            'POST',
            '/api/identity/verify-ucan',
            body,
          );
          if (verified.body.valid) opened.push(`${one.kind}, verified`);
        }
        for (const status of statuses) {
          const [name, isOpen] = await status();
          if (isOpen) opened.push(name);
        }
        return opened;
      },
      /** As many as `open` finds while everything works. */
      openable: () => 2 * credentials.length + credentials.filter(isUcan).length + statuses.length,
    };
  };

  const recover = async (accountId: string): Promise<string> => {
    const { derive } = api.service().service.foundation.keys;
    const expiresAtMs = Date.now() + 60_000;
    const token = createRecoveryTokens(derive('recovery')).issue({
      accountId,
      recoveries: 0,
      expiresAtMs,
    });
    const answer = await api.call<Account>('POST', '/auth/recover', {
      token,
      reset_settings: false,
    });
    expect(answer.status, answer.text).to.equal(201);
    return answer.body.api_key;
  };

  it('no credential works that existed before, nor anything that came from one', async function () {
    this.timeout(240_000);
    const credentials = [...kinds, ...kinds].map((what, actor) => ({ what, actor }));
    const each = credentials.flatMap((_, actor) => things.map((what) => ({ what, actor })));
    const steps = fc.array(Step, { minLength: 8, maxLength: 20, size: 'max' });
    const run = async (taken: Step[]): Promise<void> => {
      const { take, open, openable, accountId, letters, unused } = await world();
      for (const step of taken) await take(step);
      expect(await open()).to.have.length(openable());
      const key = api.as(await recover(accountId));
      expect(await open()).to.deep.equal([]);
      for (const token of unused) {
        expect((await pages.post('/sign-in/link', { token })).status).to.equal(403);
      }
      for (const id of letters) {
        expectProblem(await key.post(`/api/approvals/${id}/approve`), 409, 'key_revoked');
      }
    };
    await run([...credentials, ...each]);
    await fc.assert(fc.asyncProperty(steps, run), {
      seed: 20_261_127,
      numRuns: 8,
      endOnFailure: true,
    });
  });
});
