import { expect } from 'chai';
import fc from 'fast-check';
import * as ucan from '../../commands/ucans/ucan.ts';
import type { UcanEvent } from '../../events/ucan.ts';
import { decideBy, describeDecider, specTime } from '../support/decider-spec.ts';

const verbs = {
  RequestUcan: ucan.requestUcan,
  IssueUcan: ucan.issueUcanToken,
  RevokeUcan: ucan.revokeUcan,
  InvokeUcan: ucan.invokeUcan,
  CountLetter: ucan.countLetter,
};
const decide = decideBy<ucan.UcanState, UcanEvent, typeof verbs>(verbs);
const { given } = describeDecider({ ...ucan, decide });
const cid = 'bafkreie4vnvbxzc7vqtnnlpn45cutybv7tb5gykekhbruls3aknlm6ehrm';
const accountId = 'acct_1';
const by = 'did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp';
const token = 'a.b.c';

const data = {
  cid,
  accountId,
  kind: 'root' as const,
  issuer: by,
  audience: by,
  expiresAt: 1,
  proofs: [],
  requestHash: 'h',
};
const issue = { type: 'IssueUcan' as const, token, data };
const issued: UcanEvent = { type: 'UcanIssued', data, personal: { token } };
const request = {
  type: 'RequestUcan' as const,
  accountId,
  requestHash: 'h',
  made: [{ cid, token }],
};
const requested: UcanEvent = {
  type: 'UcanRequested',
  data: { accountId, cids: [cid], requestHash: 'h' },
  personal: { tokens: [token] },
};
const used = (purpose: 'invocation' | 'letter', use: string): UcanEvent => ({
  type: 'UcanUsed',
  data: { cid, accountId, purpose, use },
});
const invoke = (use: string) => ({ type: 'InvokeUcan' as const, cid, accountId, use });
const count = (letterId: string, maxLetters: number) => ({
  type: 'CountLetter' as const,
  cid,
  accountId,
  letterId,
  maxLetters,
});

describe('A UCAN', () => {
  it('is issued once', () => {
    given().when(issue).then(issued);
    given(issued).when(issue).thenNothing();
  });
  it('is remembered for the request that it was made for, and for no other', () => {
    given().when(request).then(requested);
    given(requested).when(request).thenNothing();
    given(requested)
      .when({ ...request, requestHash: 'other' })
      .thenRefuses('idempotency_key_reused');
  });
  it('is revoked once, whether it is known here or not', () => {
    const command = { type: 'RevokeUcan' as const, cid, accountId, by };
    const event: UcanEvent = { type: 'UcanRevoked', data: { cid, accountId, by } };
    given().when(command).then(event);
    given(issued).when(command).then(event);
    given(issued, event)
      .when({ ...command, by: `${by}2` })
      .thenNothing();
    expect(ucan.evolve(ucan.initialState(), event, specTime).revoked).to.deep.equal({
      by,
      at: specTime,
    });
  });
  it('counts as an invocation for one request', () => {
    given(issued).when(invoke('a')).then(used('invocation', 'a'));
    given(used('invocation', 'a')).when(invoke('a')).thenNothing();
    given(used('invocation', 'a')).when(invoke('b')).thenRefuses('ucan_invalid');
    given(used('letter', 'a')).when(invoke('b')).then(used('invocation', 'b'));
  });
  it('counts each letter once, up to its limit', () => {
    given(used('letter', 'a')).when(count('b', 2)).then(used('letter', 'b'));
    given(used('letter', 'a'), used('letter', 'b')).when(count('b', 2)).thenNothing();
    given(used('letter', 'a'), used('letter', 'b'))
      .when(count('c', 2))
      .thenRefuses('caveat_not_met');
    given().when(count('a', 0)).thenRefuses('caveat_not_met');
  });
  it('never counts more letters than its limit, whatever is asked', () => {
    fc.assert(
      fc.property(fc.nat(5), fc.array(fc.nat(9), { maxLength: 30 }), (limit, asked) => {
        let state = ucan.initialState();
        for (const letter of asked) {
          try {
            for (const event of decide(state, count(`${letter}`, limit))) {
              state = ucan.evolve(state, event, specTime);
            }
          } catch {
            // A refusal leaves the state as it was.
          }
        }
        return state.letters.size === Math.min(limit, new Set(asked).size);
      }),
    );
  });
});
