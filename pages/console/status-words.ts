/** Names of the states of letters in the console, by language. */
import type { LetterStatus } from '../../contract/letter-status.ts';
import type { Language } from '../../postal/stationery.ts';
import { type Html, html } from '../html.ts';

type Shown = LetterStatus | 'returned';

const words: Record<Language, Record<Shown, string>> = {
  en: {
    draft: 'Draft',
    queued: 'Queued',
    processing: 'In production',
    posted: 'Posted',
    in_transit: 'On its way',
    delivered: 'Delivered',
    returned: 'Returned',
    cancelled: 'Cancelled',
    failed: 'Failed',
  },
  de: {
    draft: 'Entwurf',
    queued: 'Angenommen',
    processing: 'In Produktion',
    posted: 'Aufgegeben',
    in_transit: 'Unterwegs',
    delivered: 'Zugestellt',
    returned: 'Zurückgekommen',
    cancelled: 'Storniert',
    failed: 'Fehlgeschlagen',
  },
  fr: {
    draft: 'Brouillon',
    queued: 'En attente',
    processing: 'En production',
    posted: 'Postée',
    in_transit: 'En chemin',
    delivered: 'Distribuée',
    returned: 'Retournée',
    cancelled: 'Annulée',
    failed: 'Échouée',
  },
};

export const statusIn = (language: Language, status: string): string =>
  words[language][status as Shown] ?? status;

const moods: Partial<Record<string, 'good' | 'bad'>> = {
  delivered: 'good',
  returned: 'bad',
  failed: 'bad',
};

export const statusBadge = (language: Language, status: string): Html =>
  html`<span class="badge" data-state="${moods[status] ?? 'idle'}">${statusIn(language, status)}</span>`;
