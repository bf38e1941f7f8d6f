import { expect } from 'chai';
import { drillFault, RestoreIncomplete } from '../../operator/restore/restore-incomplete.ts';

const endedBy = (cause: Error): string =>
  drillFault(new RestoreIncomplete('empty /tmp/drill and the database', { cause }), '/tmp');

describe('a drill whose restore ended early', () => {
  it('names the disk that is full and the option for another one', () => {
    const ofDatabase = new Error('initdb: could not extend file: No space left on device');
    const ofFile = Object.assign(new Error('ENOSPC: write'), { code: 'ENOSPC', syscall: 'write' });
    for (const cause of [ofDatabase, ofFile]) {
      expect(endedBy(cause)).to.equal(
        `the disk of /tmp is full (${cause.message}): make room there, or name a folder of another disk with --in`,
      );
    }
  });

  it('asks nobody to empty a place that the drill removes', () => {
    expect(endedBy(new Error('the document 0a is damaged'))).to.equal('the document 0a is damaged');
  });
});
