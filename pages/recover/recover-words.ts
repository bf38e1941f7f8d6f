/**
 * Texts of the recovery page. In English, the page shows the service's own error messages; in other languages it
 * shows `error_<code>` or `error_other`.
 */

import type { Language } from '../../postal/stationery.ts';
import { labels } from '../../presenters/labels.ts';
import { confirmWords } from '../confirm/confirm-words.ts';

/** The names of settings, as on the page that confirms an address. */
const settingsIn = (language: Language) => {
  const { key, webhook, notification_email, audit_webhook, did, policy } = confirmWords[language];
  return { key, webhook, notification_email, audit_webhook, did, policy };
};

export const recoverWords = {
  en: {
    kind: 'Account recovery',
    title: 'A new API key',
    ready:
      'The key is shown once, on this page. All other keys of the account end, unless you keep them.',
    incomplete: labels.linkIncomplete.en,
    unreachable: labels.unreachable.en,
    keep: 'My other keys are safe: keep them',
    ask: labels.getNewKey.en,
    nothing: 'nothing.',
    ...settingsIn('en'),
    left: 'Keys that ended: {count}. Unchanged:',
    done: 'This is your new key. Keep it safe: it is not shown again. Keys that ended are refused from now on.',
  },
  de: {
    kind: 'Konto wiederherstellen',
    title: 'Ein neuer API-Schlüssel',
    ready:
      'Der Schlüssel wird einmal gezeigt, auf dieser Seite. Alle anderen Schlüssel des Kontos werden damit ungültig, sofern Sie sie nicht behalten.',
    incomplete: labels.linkIncomplete.de,
    unreachable: labels.unreachable.de,
    error_other: labels.tryLater.de,
    keep: 'Meine anderen Schlüssel sind sicher: behalten',
    ask: labels.getNewKey.de,
    nothing: 'nichts.',
    ...settingsIn('de'),
    left: 'Ungültig gewordene Schlüssel: {count}. Unverändert:',
    done: 'Das ist Ihr neuer Schlüssel. Bewahren Sie ihn sicher auf: Er wird nicht noch einmal gezeigt. Die ungültigen Schlüssel werden ab jetzt abgelehnt.',
    error_recovery_token_used:
      'Dieser Link wurde schon verwendet. Registrieren Sie die Adresse erneut, um einen neuen zu erhalten.',
    error_recovery_token_expired:
      'Dieser Link ist abgelaufen. Registrieren Sie die Adresse erneut, um einen neuen zu erhalten.',
    error_recovery_token_invalid:
      'Dieser Link ist ungültig; kopieren Sie den ganzen Link aus der E-Mail.',
  },
  fr: {
    kind: 'Récupération du compte',
    title: 'Une nouvelle clé API',
    ready:
      'La clé est affichée une seule fois, sur cette page. Toutes les autres clés du compte sont alors désactivées, sauf si vous les gardez.',
    incomplete: labels.linkIncomplete.fr,
    unreachable: labels.unreachable.fr,
    error_other: labels.tryLater.fr,
    keep: 'Mes autres clés sont sûres : les garder',
    ask: labels.getNewKey.fr,
    nothing: 'rien.',
    ...settingsIn('fr'),
    left: 'Clés désactivées : {count}. Inchangé :',
    done: 'Voici votre nouvelle clé. Gardez-la en lieu sûr : elle ne sera plus affichée. Les clés désactivées sont désormais refusées.',
    error_recovery_token_used:
      'Ce lien a déjà été utilisé. Enregistrez l’adresse à nouveau pour en recevoir un autre.',
    error_recovery_token_expired:
      'Ce lien a expiré. Enregistrez l’adresse à nouveau pour en recevoir un autre.',
    error_recovery_token_invalid: 'Ce lien n’est pas valable ; copiez le lien entier de l’e-mail.',
  },
} as const;
