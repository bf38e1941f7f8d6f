import { expect } from 'chai';
import { presentHeld } from '../../presenters/approval.ts';
import { samplePersonal, sampleTerms } from '../support/letter-samples.ts';

describe('the answer to a send that waits for approval', () => {
  const needs = [
    { policy: 'account', rules: ['ask', 'dear'], quorum: 2 as const, approvers: ['key_secret'] },
    { policy: 'key_a', rules: ['abroad'], quorum: 1 as const, approvers: [] },
  ];
  const sent = {
    letterId: '0b6c6a52-7d5c-5a3e-9d55-2f8d9b1c7e11',
    status: 'draft' as const,
    terms: sampleTerms(),
    personal: samplePersonal(),
    cancellableUntil: undefined,
    holdReason: 'approval' as const,
  };
  const approval = { approvalId: 'apr_1', expiresAt: '2026-03-04T12:00:00.000Z', needs };
  const answer = presentHeld(sent, approval, 'https://letters.example/approvals/apr_1');

  it('names every rule that holds it, and where to decide until when', () => {
    expect(answer).to.deep.include({
      status: 'draft',
      hold_reason: 'approval',
      approval_id: 'apr_1',
      approval_url: 'https://letters.example/approvals/apr_1',
      expires_at: '2026-03-04T12:00:00.000Z',
      reasons: [
        { policy: 'account', rule: 'ask' },
        { policy: 'account', rule: 'dear' },
        { policy: 'key_a', rule: 'abroad' },
      ],
    });
    expect(answer.message).to.include('ask, dear, abroad');
  });

  it('names no approver, and offers no second send', () => {
    expect(JSON.stringify(answer)).not.to.include('key_secret');
    expect(answer.abilities).to.include({ send: false, cancel: true, update: true });
  });
});
