/** Texts of the recovery page. `error_<code>` is shown instead of the service's own message. */

import type { Language } from '../../postal/stationery.ts';
import { labels } from '../../presenters/labels.ts';
import { confirmWords } from '../confirm/confirm-words.ts';

/** The names of settings and some errors, as on the page that confirms an address. */
const settingsIn = (language: Language) => {
  const { key, webhook, notification_email, audit_webhook, did, policy } = confirmWords[language];
  const { error_conflict, error_key_not_found } = confirmWords[language];
  const errors = {
    error_conflict,
    error_key_not_found,
    error_idempotency_in_progress: labels.tryLater[language],
  };
  return { key, webhook, notification_email, audit_webhook, did, policy, ...errors };
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
    error_recovery_token_used:
      'This link was used before. Register the address again to get a new one.',
    error_recovery_token_expired:
      'This link has expired. Register the address again to get a new one.',
    error_recovery_token_invalid: 'This link is not valid. Copy the whole link from the e-mail.',
  },
  de: {
    kind: 'Konto wiederherstellen',
    title: 'Ein neuer API-Schlüssel',
    ready:
      'Der Schlüssel wird einmal gezeigt, auf dieser Seite. Alle anderen Schlüssel des Kontos werden damit ungültig, sofern Sie sie nicht behalten.',
    incomplete: labels.linkIncomplete.de,
    unreachable: labels.unreachable.de,
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
