import { expect } from 'chai';
import { StoreUnavailable } from '../../events/event-store.ts';
import { WrongConnection } from '../../infra/event-store/postgres/connection.ts';
import { readConfig } from '../../service/config/config.ts';
import { explainStart } from '../../service/run/explain-start.ts';

const config = readConfig({ DATA_DIR: '/srv/letters', DATABASE_URL: 'postgres://u:secret@db:1/x' });
const explained = (error: object): string =>
  (explainStart(Object.assign(new Error('as it came'), error), config) as Error).message;

describe('why a start failed', () => {
  it('is in one sentence with the way out if a file of the data folder may not be opened', () => {
    for (const path of ['/srv/letters', '/srv/letters/master.key', '/srv/letters/blobs/0a/x']) {
      const text = explained({ code: 'EACCES', path });
      expect(text)
        .to.include(`DATA_DIR: ${path} cannot be opened (EACCES)`)
        .and.include('chown -R');
    }
    const readOnly = explained({ code: 'EROFS', path: '/srv/letters/erasures.log' });
    expect(readOnly).to.include('ReadWritePaths').and.not.include('chown');
  });

  it('is in one sentence with the address if the database does not let the user in', () => {
    for (const code of ['28P01', '28000', '3D000', '42501']) {
      const text = explained({ code });
      expect(text).to.include('DATABASE_URL: the database db:1/x refuses this user (as it came)');
      expect(text).to.not.include('secret');
    }
  });

  it('names the reason for which the database does not answer', () => {
    const lost = (cause: object): string => {
      const reason = Object.assign(new Error('as it came'), cause);
      const error = new StoreUnavailable('the database does not answer', reason);
      return (explainStart(error, config) as Error).message;
    };
    expect(lost({ code: 'ENOTFOUND' })).to.equal(
      'DATABASE_URL: the database db:1/x does not answer (as it came); start it or correct the address.',
    );
    expect(lost({ code: 'ECONNREFUSED', message: '' })).to.include('(ECONNREFUSED)');
    expect(lost({ code: '53300' }))
      .to.include('the database db:1/x has no connection left (as it came); raise max_connections')
      .and.not.include('start it');
    expect(lost({ code: '08P01', message: 'unsupported startup parameter: options' }))
      .to.include('ignore_startup_parameters = options')
      .and.not.include('start it');
  });

  it('names the disk that is full', () => {
    const full = { code: '53100', message: 'could not extend file "base/5/16612"' };
    expect(explained(full)).to.equal(
      'DATABASE_URL: the disk of the database db:1/x is full (could not extend file "base/5/16612"); free storage and start again.',
    );
    const write = { code: 'ENOSPC', syscall: 'write', message: 'no space left' };
    expect(explained(write)).to.include(
      'DATA_DIR: the disk of /srv/letters is full (no space left)',
    );
    const embedded = new Error('PostgreSQL did not start: No space left on device');
    const own = readConfig({ DATA_DIR: '/srv/letters' });
    expect((explainStart(embedded, own) as Error).message).to.match(/^DATA_DIR: .* is full/);
  });

  it('names the settings of a connection that the database does not take', () => {
    const said = explainStart(new WrongConnection('self-signed certificate'), config) as Error;
    expect(said.message).to.equal(
      'DATABASE_URL: the database db:1/x takes no such connection (self-signed certificate); correct its password, sslmode or sslrootcert.',
    );
  });

  it('stays as it came if nothing better is known', () => {
    expect(explained({ code: 'EACCES', path: '/srv/letters-other/x' })).to.equal('as it came');
    expect(explained({ code: 'ENOENT', path: '/srv/letters/x' })).to.equal('as it came');
    expect(explained({})).to.equal('as it came');
  });
});
