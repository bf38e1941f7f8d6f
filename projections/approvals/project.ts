import type { AnyEvent } from '../../events/envelope.ts';
import { isLetterStream, letterIdIn, letterStream } from '../../events/letter.ts';
import type { Projection } from '../projection.ts';
import { type ApprovalRow, approvalTable } from './table.ts';

type Requested = AnyEvent & { type: 'ApprovalRequested' };

const requested = (event: Requested): ApprovalRow => {
  const { approvalId, terms, needs, commitment, requester, expiresAt } = event.data;
  return {
    approval_id: approvalId,
    account_id: terms.accountId,
    letter_id: letterIdIn(event.stream),
    status: 'pending',
    requested_at: event.metadata.at,
    requested_position: event.position,
    expires_at: expiresAt,
    doc: {
      needs,
      commitment,
      price: terms.price,
      requestedBy: requester.own,
      decisions: [],
    },
  };
};

const decided = (row: ApprovalRow, event: AnyEvent): ApprovalRow => {
  if (event.type !== 'ApprovalGiven' && event.type !== 'ApprovalRejected') return row;
  const decision = event.type === 'ApprovalGiven' ? ('approve' as const) : ('reject' as const);
  const { approver } = event.data;
  const decisions = [...row.doc.decisions, { approver, decision, at: event.metadata.at }];
  return { ...row, doc: { ...row.doc, decisions } };
};

/** Events that end a pending approval. */
const endings: Partial<Record<AnyEvent['type'], ApprovalRow['status']>> = {
  LetterQueued: 'approved',
  ApprovalRejected: 'rejected',
  ApprovalExpired: 'expired',
  ApprovalRequested: 'superseded',
  LetterUpdated: 'superseded',
  LetterCancelled: 'superseded',
  LetterErased: 'superseded',
};

const touches = (event: AnyEvent): boolean =>
  isLetterStream(event.stream) && (event.type === 'ApprovalGiven' || event.type in endings);

/** Approvals that letters wait for, or waited for. */
export const approvals: Projection = {
  name: 'approvals',
  version: 2,
  streams: [letterStream('')],
  tables: [approvalTable],
  async project(source, events) {
    const own = events.filter(touches);
    if (own.length === 0) return [];
    // A letter whose first event is here has no approval yet.
    const news = new Set(own.filter(({ version }) => version === 0n).map(({ stream }) => stream));
    const olds = own.map(({ stream }) => stream).filter((stream) => !news.has(stream));
    const letterIds = [...new Set(olds.map(letterIdIn))];
    const rows = await source.load(approvalTable, 'letter_id', letterIds);
    const pending = new Map<string, ApprovalRow>();
    for (const row of rows.values()) if (row.status === 'pending') pending.set(row.letter_id, row);
    const changed = new Map<string, ApprovalRow>();
    const save = (row: ApprovalRow) => changed.set(row.approval_id, row);
    for (const event of own) {
      const letterId = letterIdIn(event.stream);
      const row = pending.get(letterId);
      const status = endings[event.type];
      if (row) {
        const after = { ...decided(row, event), status: status ?? row.status };
        save(after);
        if (status) pending.delete(letterId);
        else pending.set(letterId, after);
      }
      if (event.type !== 'ApprovalRequested') continue;
      const asked = requested(event);
      pending.set(letterId, asked);
      save(asked);
    }
    return changed.size === 0 ? [] : approvalTable.save(changed.values());
  },
};
