import { expect } from 'chai';
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

  it('stays as it came if nothing better is known', () => {
    expect(explained({ code: 'EACCES', path: '/srv/letters-other/x' })).to.equal('as it came');
    expect(explained({ code: 'ENOENT', path: '/srv/letters/x' })).to.equal('as it came');
    expect(explained({})).to.equal('as it came');
  });
});
