/** Names of the states of letters, by language: the same in the console, on pages for others and on certificates. */
import type { LetterStatus } from '../contract/letter-status.ts';
import type { Language } from '../postal/stationery.ts';

/** `returned` is an outcome of delivery; where there is one, it is shown instead of the state. */
export type ShownStatus = LetterStatus | 'returned';

export const shownStatus = (
  status: LetterStatus,
  outcome: string | null | undefined,
): ShownStatus => (outcome === 'returned' ? outcome : status);

export const statusNames: Record<Language, Record<ShownStatus, string>> = {
  en: {
    draft: 'Draft',
    queued: 'Accepted',
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
    posted: 'Eingeliefert',
    in_transit: 'Unterwegs',
    delivered: 'Zugestellt',
    returned: 'Zurückgekommen',
    cancelled: 'Storniert',
    failed: 'Fehlgeschlagen',
  },
  fr: {
    draft: 'Brouillon',
    queued: 'Acceptée',
    processing: 'En production',
    posted: 'Postée',
    in_transit: 'En route',
    delivered: 'Distribuée',
    returned: 'Retournée',
    cancelled: 'Annulée',
    failed: 'Échec',
  },
};
