/** Why the letter of a paid order was not sent, for the account that placed it: the same in mails and in the console. */
import type { CreditReason } from '../events/order.ts';
import { inEachLanguage } from './in-each-language.ts';

export const creditReasonTexts = inEachLanguage<Record<CreditReason, string>>({
  en: {
    letter_changed: 'You changed, sent or cancelled the draft after it was ordered.',
    not_sendable: 'A check of the letter no longer passes.',
    paid_late: 'The payment arrived after the order had expired.',
    taken_back: 'The payment was refunded or disputed before the letter was sent.',
  },
  de: {
    letter_changed: 'Sie haben den Entwurf nach der Bestellung geändert, versandt oder storniert.',
    not_sendable: 'Eine Prüfung des Briefs schlägt inzwischen fehl.',
    paid_late: 'Die Zahlung kam, nachdem die Bestellung abgelaufen war.',
    taken_back: 'Die Zahlung wurde erstattet oder angefochten, bevor der Brief versandt wurde.',
  },
  fr: {
    letter_changed: 'Vous avez modifié, envoyé ou annulé le brouillon après la commande.',
    not_sendable: 'Une vérification de la lettre échoue désormais.',
    paid_late: 'Le paiement est arrivé après l’expiration de la commande.',
    taken_back: 'Le paiement a été remboursé ou contesté avant l’envoi de la lettre.',
  },
});
