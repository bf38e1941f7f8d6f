/** Which passkeys confirm which sessions, also after freezes and revocations. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { createBegunPasskeys } from '../../infra/sessions/begun-passkeys.ts';
import {
  clientOf,
  type KeyJson,
  letterTo,
  type NewKeyJson,
  type PageOf,
  until,
} from '../support/client.ts';
import { freePort } from '../support/free-port.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { challengeIn, createAuthenticator, fieldsIn } from './authenticator.ts';
import { consoleAt } from './console-client.ts';

describe('a confirmation by a passkey', function () {
  this.timeout(180_000);
  let service: TestService;
  let base: string;
  before(async () => {
    const port = await freePort();
    base = `http://localhost:${port}`;
    service = await startTestService({ PORT: String(port), BASE_URL: base });
  });
  after(() => service?.stop());
  const api = clientOf(() => service);
  const pages = consoleAt(() => base);
  type Person = Awaited<ReturnType<typeof pages.signIn>>;
  type Client = Awaited<ReturnType<typeof api.register>>;
  type Device = ReturnType<typeof createAuthenticator>;

  const register = async (person: Person, label: string): Promise<Device> => {
    const device = createAuthenticator(base);
    const { ticket, options } = challengeIn((await person.get('/settings')).text);
    const answer = device.create(options);
    const done = await person.post('/settings/passkeys', { ticket, answer, label });
    expect(done.headers.get('location')).to.contain('passkey_registered');
    return device;
  };
  /** Answers the page that asks for a passkey. */
  const confirm = (person: Person, { text }: { text: string }, device: Device) => {
    const { ticket, options } = challengeIn(text);
    return person.post('/confirm', { ...fieldsIn(text), ticket, answer: device.get(options) });
  };
  const keysOf = async (client: Client) =>
    (await client.get<PageOf<KeyJson>>('/auth/keys')).body.data;
  const idOf = async (client: Client, label: string): Promise<string> =>
    (await keysOf(client)).find((one) => one.label === label)?.id ?? '';
  const makeKey = (person: Person, label: string) => person.post('/keys', { label, scope: 'full' });
  const ownerWithOther = async () => {
    const owner = await api.register();
    const other = await owner.post<NewKeyJson>('/auth/keys', { label: 'other', scope: 'full' });
    return { owner, other: await pages.signIn(other.body.api_key) };
  };

  it('is refused while the key of the passkey is frozen, and counts again afterwards', async () => {
    const { owner, other } = await ownerWithOther();
    const device = await register(await pages.signIn(owner.key), 'laptop');
    const passkey = await idOf(owner, 'Passkey: laptop');
    expect((await owner.post(`/auth/keys/${passkey}/freeze`)).status).to.equal(200);
    const refused = await confirm(other, await makeKey(other, 'printer'), device);
    expect([refused.status, await idOf(owner, 'printer')]).to.deep.equal([403, '']);
    expect(refused.text).to.contain('or its key is frozen');
    expect((await owner.post(`/auth/keys/${passkey}/unfreeze`)).status).to.equal(200);
    expect((await confirm(other, refused, device)).status).to.equal(200);
    expect(await idOf(owner, 'printer')).to.not.equal('');
  });

  it('is asked for again, with the form that waits, if it is cancelled', async () => {
    const { owner, other } = await ownerWithOther();
    const device = await register(await pages.signIn(owner.key), 'laptop');
    const asked = await makeKey(other, 'printer');
    const { ticket } = challengeIn(asked.text);
    // The script of the page sends an empty answer.
    const cancelled = await other.post('/confirm', {
      ...fieldsIn(asked.text),
      ticket,
      answer: '',
    });
    expect(cancelled.status).to.equal(403);
    expect(cancelled.text).to.contain('No passkey was used');
    expect((await confirm(other, cancelled, device)).status).to.equal(200);
    expect(await idOf(owner, 'printer')).to.not.equal('');
  });

  it('counts while the account is frozen, so that its owner can unfreeze it', async () => {
    const { owner, other } = await ownerWithOther();
    const device = await register(await pages.signIn(owner.key), 'laptop');
    expect((await owner.post('/api/account/freeze')).status).to.equal(200);
    const asked = await other.post('/limits/unfreeze', { subject: 'account' });
    expect(asked.status).to.equal(403);
    expect((await confirm(other, asked, device)).status).to.equal(303);
  });

  it('leaves no key behind where the passkey is not kept', async () => {
    const owner = await api.register();
    const person = await pages.signIn(owner.key);
    const device = createAuthenticator(base);
    const send = async (label: string) => {
      const { ticket, options } = challengeIn((await person.get('/settings')).text);
      const answer = device.create(options);
      const { status } = await person.post('/settings/passkeys', { ticket, answer, label });
      return { status, labels: (await keysOf(owner)).map((key) => key.label) };
    };
    const database = new pg.Client({ connectionString: service.databaseUrl });
    await database.connect();
    try {
      await database.query(
        `create function pg_temp.refuse() returns trigger language plpgsql as
           $$ begin raise exception 'no space left'; end $$`,
      );
      await database.query(
        'create trigger refuse before insert on console.passkeys execute function pg_temp.refuse()',
      );
      const { status, labels } = await send('not kept');
      expect([status, labels]).to.deep.equal([500, ['registration']]);
    } finally {
      await database.query('drop trigger if exists refuse on console.passkeys');
      await database.end();
    }
    expect((await send('kept')).labels).to.include('Passkey: kept');
    expect((await confirm(person, await makeKey(person, 'one'), device)).status).to.equal(200);
    // The authenticator answers with the same passkey.
    const again = await send('again');
    expect(again.status).to.equal(403);
    expect(again.labels).to.include('Passkey: kept').and.to.not.include('Passkey: again');
  });

  it('leaves no key behind if a crash comes before the passkey is stored', async () => {
    const owner = await api.register();
    const person = await pages.signIn(owner.key);
    const { ticket, options } = challengeIn((await person.get('/settings')).text);
    const answer = createAuthenticator(base).create(options);
    const { storage, commands } = service.service.foundation;
    const database = new pg.Client({ connectionString: service.databaseUrl });
    await database.connect();
    try {
      await database.query('begin');
      await database.query('lock table console.passkeys in exclusive mode');
      const sent = person.post('/settings/passkeys', { ticket, answer, label: 'lost' });
      await until(async () => (await idOf(owner, 'Passkey: lost')) !== '');
      const context = () => ({ commandId: randomUUID(), actor: 'test' });
      const clock = () => Date.now() + 3_600_000;
      await createBegunPasskeys({ db: storage.readDb, clock }).endLeft((accountId, keyId) =>
        commands.accounts.revokeKey(accountId, keyId, { withIssued: false }, context()),
      );
      await until(async () => (await idOf(owner, 'Passkey: lost')) === '');
      await database.query('rollback');
      expect((await sent).status).to.equal(403);
    } finally {
      await database.end();
    }
    const { rows } = await storage.readDb.query('select from console.begun_passkeys');
    expect(rows.length).to.equal(0);
  });

  const ends: [string, (client: Client, keyId: string) => Promise<{ status: number }>][] = [
    ['is frozen', (client, keyId) => client.post(`/auth/keys/${keyId}/freeze`)],
    ['is revoked', (client, keyId) => client.delete(`/auth/keys/${keyId}`)],
  ];
  for (const [how, end] of ends) {
    it(`ends when the key of its passkey ${how}`, async () => {
      const { owner, other } = await ownerWithOther();
      const device = await register(await pages.signIn(owner.key), 'laptop');
      expect((await confirm(other, await makeKey(other, 'first'), device)).status).to.equal(200);
      expect((await makeKey(other, 'second')).status).to.equal(200);
      await register(other, 'safe');
      const ended = await end(owner, await idOf(owner, 'Passkey: laptop'));
      expect(ended.status).to.equal(200);
      const asked = await makeKey(other, 'third');
      expect([asked.status, await idOf(owner, 'third')]).to.deep.equal([403, '']);
    });
  }

  it('of the owner is not asked of a named approver, whose key registers none', async () => {
    const owner = await api.register();
    const approver = await owner.post<NewKeyJson>('/auth/keys', { label: 'boss', scope: 'send' });
    const agent = await owner.post<NewKeyJson>('/auth/keys', { label: 'agent', scope: 'send' });
    const rules = [
      { id: 'all', effect: 'allow' },
      { id: 'ask', effect: 'hold' },
    ];
    const approvals = { approvers: [approver.body.id] };
    const set = await owner.put(`/auth/keys/${agent.body.id}/policy`, { rules, approvals });
    expect(set.status, set.text).to.equal(200);
    await register(await pages.signIn(owner.key), 'laptop');
    const held = await api
      .as(agent.body.api_key)
      .post<{ approval_id: string }>('/api/send', letterTo('DE', { service: 'de_standardbrief' }));
    expect(held.status, held.text).to.equal(202);
    const person = await pages.signIn(approver.body.api_key);
    const answer = await person.post(`/approvals/${held.body.approval_id}/approve`, {});
    expect(answer.status, answer.text).to.equal(303);
  });

  it('by a key that has a policy is asked of that key alone, and counts for it alone', async () => {
    const owner = await api.register();
    const agent = await owner.post<NewKeyJson>('/auth/keys', { label: 'agent', scope: 'full' });
    const rules = [{ id: 'all', effect: 'allow' }];
    const set = await owner.put(`/auth/keys/${agent.body.id}/policy`, { rules });
    expect(set.status, set.text).to.equal(200);
    const limited = await pages.signIn(agent.body.api_key);
    const device = await register(limited, 'agent');
    const asked = await makeKey(limited, 'of the agent');
    expect((await confirm(limited, asked, device)).status).to.equal(200);

    const person = await pages.signIn(owner.key);
    expect((await makeKey(person, 'of the owner')).status).to.equal(200);
    const own = await register(person, 'owner');
    const again = await makeKey(person, 'second');
    const byAgent = await confirm(person, again, device);
    expect([byAgent.status, await idOf(owner, 'second')]).to.deep.equal([403, '']);
    expect((await confirm(person, byAgent, own)).status).to.equal(200);
    const revoked = await person.post(`/keys/${agent.body.id}/revoke`, {});
    expect([revoked.status, await idOf(owner, 'agent')]).to.deep.equal([303, '']);
  });
});
