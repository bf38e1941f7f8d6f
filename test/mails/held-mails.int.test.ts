import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { accountStream } from '../../events/account.ts';
import { everyParkedStream, parkIn } from '../../infra/postgres/checkpoints.ts';
import { holdMails } from '../../service/wings/held-mails.ts';
import { useService } from '../support/client.ts';

describe('mails after a restore', function () {
  this.timeout(180_000);
  // Without the role `reactors`, as before the restored service works.
  const client = useService({ ROLES: 'write-api,read-api,projections' });

  it('are held back once each, also those of streams that were put aside in the backup', async () => {
    const { call, service } = client;
    const registered = async () => {
      const email = `${randomUUID()}@example.com`;
      const { body } = await call<{ account_id: string }>('POST', '/auth/register', { email });
      return accountStream(body.account_id);
    };
    const { foundation } = service().service;
    const { readDb: db, store } = foundation.storage;
    const parked = await registered();
    const position = await store.head();
    await db.query("insert into reactors.checkpoints (name, position) values ('send-mails', $1)", [
      position,
    ]);
    const [first] = await store.readStream(parked, { limit: 1 });
    const entry = { stream: parked, version: 0n, type: first?.type ?? '', error: 'no room' };
    await parkIn(db, 'send-mails', { ...entry, before: 0n as typeof position });
    await registered();

    const held = await holdMails(foundation);
    expect(held.map(({ kind }) => kind)).to.deep.equal(['confirm', 'confirm']);
    expect(new Set(held.map(({ mailId }) => mailId)).size).to.equal(2);
    expect(await everyParkedStream(db, 10)).to.deep.equal([]);
    expect(await holdMails(foundation)).to.deep.equal([]);
  });
});
