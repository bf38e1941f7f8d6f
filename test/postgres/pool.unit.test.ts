import { expect } from 'chai';
import { createPool } from '../../infra/event-store/postgres/connection.ts';

describe('a pool of connections', () => {
  const lost = new Error('terminating connection due to administrator command');
  const opened = () => {
    const errors: Error[] = [];
    const pool = createPool({
      url: 'postgres://127.0.0.1:1/none',
      max: 1,
      applicationName: 'test',
      onError: (error) => errors.push(error),
    });
    return { pool, errors };
  };

  it('reports a connection that is lost', async () => {
    const { pool, errors } = opened();
    pool.emit('error', lost, undefined as never);
    expect(errors).to.deep.equal([lost]);
    await pool.end();
  });

  it('does not report connections that are lost while it ends', async () => {
    const { pool, errors } = opened();
    const ended = pool.end();
    pool.emit('error', lost, undefined as never);
    await ended;
    pool.emit('error', lost, undefined as never);
    expect(errors).to.deep.equal([]);
  });
});
