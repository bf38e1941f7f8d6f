import { createSecretKey, randomBytes, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { createKeyMaker } from '../../commands/accounts/api-key.ts';
import { useService } from '../support/client.ts';
import { withKey } from '../support/keyring.ts';
import { callRest } from '../support/own-writes.ts';

describe('a key that the read models do not show yet', () => {
  const api = useService();

  it('is not called invalid, and is good once they do', async () => {
    const admin = new pg.Client({ connectionString: api.service().databaseUrl });
    await admin.connect();
    try {
      // Nothing is projected while its tables are held.
      await admin.query('begin');
      await admin.query('lock table read_models.checkpoints in exclusive mode');
      const client = await api.register();
      const caller = { url: api.service().url, key: client.key, position: 0n };
      const balance = () => callRest(caller, 'GET', '/api/balance');
      const early = await balance();
      expect(early.status, JSON.stringify(early.body)).to.equal(503);
      expect(early.body).to.include({ code: 'read_model_behind' });
      expect(early.headers.get('retry-after')).to.equal('1');
      await admin.query('rollback');
      for (let tries = 0; ; tries++) {
        const later = await balance();
        if (later.status === 200) break;
        expect(later.status, JSON.stringify(later.body)).to.equal(503);
        expect(tries).to.be.below(100);
      }
    } finally {
      await admin.end();
    }
  });

  it('is invalid where no key has it, once that is known', async () => {
    const strangers = createKeyMaker(withKey(createSecretKey(randomBytes(32))));
    const [secret] = strangers(randomUUID(), true).secrets;
    const answer = await api.as(secret).get<{ code: string }>('/api/balance');
    expect([answer.status, answer.body.code]).to.deep.equal([401, 'invalid_api_key']);
  });
});
