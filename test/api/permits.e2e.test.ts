import { expect } from 'chai';
import { useService } from '../support/client.ts';

describe('what operations say of themselves', () => {
  const api = useService();
  const operations = () => api.service().service.operations;

  it('is which UCANs open them, of each that needs a credential and of no other', () => {
    for (const { name, access, permit } of operations()) {
      expect(permit === undefined, name).to.equal(access === 'public');
    }
  });

  it('is that they are about the letter in their path, if there is one', () => {
    for (const { name, path, access, permit } of operations()) {
      const namesLetter = path.includes('{letter_id}') || path.includes('/letters/{id}');
      if (access === 'public' || !namesLetter || permit === undefined) continue;
      // Operations that need full access concern the whole account.
      if ('needs' in permit && permit.needs === 'full') continue;
      expect(permit, name).to.include({ about: 'letter-in-path' });
    }
  });

  it('is no error code that follows from the rest of it', () => {
    const ofRepetition = ['idempotency_key_reused', 'idempotency_in_progress'];
    for (const { name, errors, idempotent = false } of operations()) {
      const implied = ['scope_insufficient', ...(idempotent ? ofRepetition : [])];
      for (const code of implied) expect(errors, name).not.to.include(code);
    }
  });
});
