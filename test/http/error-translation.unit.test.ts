import { expect } from 'chai';
import { translateError } from '../../http/error-translation.ts';

const failure = (code: string, cause?: unknown): Error =>
  Object.assign(new Error('text of a driver', { cause }), { code });

describe('an error of what the service stands on', () => {
  it('is 503 with Retry-After and a code, and never a fault of ours, when a disk is full', () => {
    const full = ['53100', 'ENOSPC', 'EDQUOT'].map((code) => failure(code));
    for (const error of [...full, failure('other', failure('', failure('ENOSPC')))]) {
      const known = translateError(error);
      expect([known?.status, known?.code]).to.deep.equal([503, 'storage_full']);
      expect(known?.headers).to.deep.equal({ 'Retry-After': '30' });
      expect(known?.message).not.to.contain('driver');
    }
  });

  it('is 503 when the database has no room for more connections, or is not up yet', () => {
    for (const code of ['25006', '53000', '53200', '53300', '53400', '57P03', '57P01', '08006']) {
      expect(translateError(failure(code))?.code, code).to.equal('store_unavailable');
    }
    expect(translateError(failure('23505'))).to.equal(undefined);
  });

  it('is 503 when the database does not let the service in any more', () => {
    for (const code of [
      '28000',
      '28P01',
      '3D000',
      'CERT_HAS_EXPIRED',
      'SELF_SIGNED_CERT_IN_CHAIN',
    ]) {
      expect(translateError(failure(code))?.code, code).to.equal('store_unavailable');
    }
    const closed = new Error('database "letters" is not currently accepting connections');
    expect(translateError(closed)?.status).to.equal(503);
    expect(translateError(failure('55000'))).to.equal(undefined);
  });
});
