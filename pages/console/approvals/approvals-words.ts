/** Texts of the page of approvals, by language. */

import type { Static } from 'typebox';
import type { Language } from '../../../postal/stationery.ts';
import type { ApprovalStatus } from '../../../presenters/approval.ts';

export type ApprovalsWords = {
  lead: string;
  pending: string;
  over: string;
  none: string;
  columns: Record<'letter' | 'price' | 'reasons' | 'state' | 'until' | 'decision', string>;
  states: Record<Static<typeof ApprovalStatus>, string>;
  letter: string;
  approve: string;
  reject: string;
  reason: string;
};

export const approvalsWords: Record<Language, ApprovalsWords> = {
  en: {
    lead: 'These letters wait because a policy asks for approval. Their money is reserved. Look at the letter before you decide.',
    pending: 'Waiting for approval',
    over: 'Decided',
    none: 'There are none.',
    columns: {
      letter: 'Letter',
      price: 'Price',
      reasons: 'Rules',
      state: 'State',
      until: 'Expires',
      decision: 'Decision',
    },
    states: {
      pending: 'Waiting',
      approved: 'Approved',
      rejected: 'Rejected',
      expired: 'Expired',
      superseded: 'Superseded',
    },
    letter: 'Show the letter',
    approve: 'Approve',
    reject: 'Reject',
    reason: 'Reason',
  },
  de: {
    lead: 'Diese Briefe warten, weil eine Regel eine Freigabe verlangt. Ihr Geld ist reserviert. Sehen Sie den Brief an, bevor Sie entscheiden.',
    pending: 'Warten auf Freigabe',
    over: 'Entschieden',
    none: 'Es gibt keine.',
    columns: {
      letter: 'Brief',
      price: 'Preis',
      reasons: 'Regeln',
      state: 'Stand',
      until: 'Läuft ab',
      decision: 'Entscheidung',
    },
    states: {
      pending: 'Wartet',
      approved: 'Freigegeben',
      rejected: 'Abgelehnt',
      expired: 'Abgelaufen',
      superseded: 'Überholt',
    },
    letter: 'Brief zeigen',
    approve: 'Freigeben',
    reject: 'Ablehnen',
    reason: 'Grund',
  },
  fr: {
    lead: 'Ces lettres attendent parce qu’une règle demande une approbation. Leur argent est réservé. Regardez la lettre avant de décider.',
    pending: 'En attente d’approbation',
    over: 'Décidées',
    none: 'Il n’y en a aucune.',
    columns: {
      letter: 'Lettre',
      price: 'Prix',
      reasons: 'Règles',
      state: 'État',
      until: 'Expire',
      decision: 'Décision',
    },
    states: {
      pending: 'En attente',
      approved: 'Approuvée',
      rejected: 'Refusée',
      expired: 'Expirée',
      superseded: 'Remplacée',
    },
    letter: 'Voir la lettre',
    approve: 'Approuver',
    reject: 'Refuser',
    reason: 'Motif',
  },
};
