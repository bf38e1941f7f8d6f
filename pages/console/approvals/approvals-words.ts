/** Texts of the page of approvals, by language. */

import type { Static } from 'typebox';
import { counted, frenchNumberOf } from '../../../ground/plural.ts';
import type { Language } from '../../../postal/stationery.ts';
import type { ApprovalStatus } from '../../../presenters/approval.ts';
import { inEachLanguage } from '../../../presenters/in-each-language.ts';
import { labels } from '../../../presenters/labels.ts';

export const approvalsWords = inEachLanguage({
  en: {
    lead: 'These letters wait because a policy asks for approval. Their money is reserved. Look at the letter before you decide.',
    pending: 'Waiting for approval',
    next: 'Letters that have waited longer',
    over: 'Decided',
    none: 'There are none.',
    columns: {
      letter: labels.letter.en,
      price: labels.price.en,
      reasons: 'Rules',
      state: labels.state.en,
      until: labels.expires.en,
      decision: 'Decision',
    },
    states: {
      pending: 'Waiting',
      approved: 'Approved',
      rejected: 'Rejected',
      expired: 'Expired',
      superseded: 'Superseded',
    } satisfies Record<Static<typeof ApprovalStatus>, string>,
    letter: 'Show the letter',
    approve: 'Approve',
    reject: labels.reject.en,
    reason: 'Reason',
    changes: {
      title: 'Changes of policies',
      lead: 'A key or a UCAN asks for these changes. Nothing changes until they are approved.',
      caption: 'Changes that are decided',
      columns: {
        policy: labels.policyOf.en,
        requestedBy: labels.requestedBy.en,
        state: labels.state.en,
        until: labels.expires.en,
      },
      /** Approvals that a change still waits for. */
      missing: counted('approval is missing.', 'approvals are missing.'),
    },
  },
  de: {
    lead: 'Diese Briefe warten, weil eine Regel eine Freigabe verlangt. Ihr Geld ist reserviert. Sehen Sie den Brief an, bevor Sie entscheiden.',
    pending: 'Warten auf Freigabe',
    next: 'Briefe, die schon länger warten',
    over: 'Entschieden',
    none: 'Es gibt keine.',
    columns: {
      letter: labels.letter.de,
      price: labels.price.de,
      reasons: 'Regeln',
      state: labels.state.de,
      until: labels.expires.de,
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
    reject: labels.reject.de,
    reason: 'Grund',
    changes: {
      title: 'Änderungen von Regeln',
      lead: 'Ein Schlüssel oder ein UCAN fragt diese Änderungen an. Bis zur Freigabe ändert sich nichts.',
      caption: 'Entschiedene Änderungen',
      columns: {
        policy: labels.policyOf.de,
        requestedBy: labels.requestedBy.de,
        state: labels.state.de,
        until: labels.expires.de,
      },
      missing: counted('Freigabe fehlt noch.', 'Freigaben fehlen noch.'),
    },
  },
  fr: {
    lead: 'Ces lettres attendent parce qu’une règle demande une approbation. Leur argent est réservé. Regardez la lettre avant de décider.',
    pending: 'En attente d’approbation',
    next: 'Lettres qui attendent depuis plus longtemps',
    over: 'Décidées',
    none: 'Il n’y en a aucune.',
    columns: {
      letter: labels.letter.fr,
      price: labels.price.fr,
      reasons: 'Règles',
      state: labels.state.fr,
      until: labels.expires.fr,
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
    reject: labels.reject.fr,
    reason: 'Motif',
    changes: {
      title: 'Modifications de règles',
      lead: 'Une clé ou un UCAN demande ces modifications. Rien ne change avant leur approbation.',
      caption: 'Modifications décidées',
      columns: {
        policy: labels.policyOf.fr,
        requestedBy: labels.requestedBy.fr,
        state: labels.state.fr,
        until: labels.expires.fr,
      },
      missing: (count) => `Il manque encore ${frenchNumberOf(count, 'approbation')}.`,
    },
  },
});

export type ApprovalsWords = (typeof approvalsWords)[Language];
