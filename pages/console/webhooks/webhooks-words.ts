/** Texts of the page of webhooks, by language. */
import type { Language } from '../../../postal/stationery.ts';
import { inEachLanguage } from '../../../presenters/in-each-language.ts';
import { labels } from '../../../presenters/labels.ts';

type State = 'pending' | 'delivered' | 'failed' | 'cancelled';

export const webhooksWords = inEachLanguage({
  en: {
    address: 'Address of the webhook',
    addressHint: 'An https address. Leave it empty to get no messages.',
    newSecret: 'Give the webhook a new secret',
    save: 'Save',
    disabled: {
      gone: 'The webhook is off: its address answered 410. Save the address again to resume.',
      failing:
        'The webhook is off: every attempt in five days failed. Save the address again to resume.',
    },
    secret: {
      title: 'The secret that signs the messages',
      detail: 'Copy it now. It is not shown again.',
    },
    caption: 'Messages, newest first',
    columns: {
      time: labels.time.en,
      type: 'Message',
      channel: 'Delivery',
      attempts: labels.attempts.en,
      again: 'Again',
    },
    states: {
      pending: 'waiting',
      delivered: 'delivered',
      failed: 'failed',
      cancelled: 'cancelled',
    } satisfies Record<State, string>,
    channels: { webhook: 'Webhook', email: 'E-mail' },
    noChannel: 'No channel was set.',
    none: 'There are no messages yet.',
    noAnswer: 'no answer',
    nextAt: 'next attempt',
    resend: labels.sendAgain.en,
    failed: {
      title: 'Send missed messages',
      since: 'Missed messages since',
      hint: 'From this time on, in UTC: messages whose delivery failed or was cancelled, and those from while the webhook was off. Up to 50 at a time, oldest first.',
      button: 'Send all',
    },
    test: {
      title: 'Test the webhook',
      hint: 'The message has the type webhook.test. It is signed and delivered like every other. Up to 10 an hour.',
      button: 'Send a test message',
    },
    message: {
      title: 'Message to the webhook',
      back: 'All messages',
      letter: 'The letter',
      headers: 'Headers',
      hint: 'Time and signature are added at each attempt.',
      body: 'Body',
    },
    next: 'Older messages',
  },
  de: {
    address: 'Adresse des Webhooks',
    addressHint: 'Eine https-Adresse. Leer lassen, um keine Nachrichten zu bekommen.',
    newSecret: 'Dem Webhook ein neues Geheimnis geben',
    save: 'Speichern',
    disabled: {
      gone: 'Der Webhook ist aus: Seine Adresse antwortete mit 410. Speichern Sie die Adresse noch einmal, um ihn einzuschalten.',
      failing:
        'Der Webhook ist aus: Fünf Tage lang schlug jeder Versuch fehl. Speichern Sie die Adresse noch einmal, um ihn einzuschalten.',
    },
    secret: {
      title: 'Das Geheimnis, mit dem die Nachrichten signiert werden',
      detail: 'Kopieren Sie es jetzt. Es wird nicht noch einmal gezeigt.',
    },
    caption: 'Nachrichten, neueste zuerst',
    columns: {
      time: labels.time.de,
      type: 'Nachricht',
      channel: 'Zustellung',
      attempts: labels.attempts.de,
      again: 'Noch einmal',
    },
    states: {
      pending: 'wartet',
      delivered: 'zugestellt',
      failed: 'fehlgeschlagen',
      cancelled: 'abgebrochen',
    },
    channels: { webhook: 'Webhook', email: 'E-Mail' },
    noChannel: 'Es war kein Kanal eingestellt.',
    none: 'Es gibt noch keine Nachrichten.',
    noAnswer: 'keine Antwort',
    nextAt: 'nächster Versuch',
    resend: labels.sendAgain.de,
    failed: {
      title: 'Verpasste Nachrichten senden',
      since: 'Verpasste Nachrichten seit',
      hint: 'Ab diesem Zeitpunkt, in UTC: Nachrichten, deren Zustellung fehlschlug oder abgebrochen wurde, und solche aus der Zeit, in der der Webhook aus war. Bis zu 50 auf einmal, älteste zuerst.',
      button: 'Alle senden',
    },
    test: {
      title: 'Den Webhook prüfen',
      hint: 'Die Nachricht ist vom Typ webhook.test. Sie wird wie jede andere signiert und zugestellt. Bis zu 10 in einer Stunde.',
      button: 'Testnachricht senden',
    },
    message: {
      title: 'Nachricht an den Webhook',
      back: 'Alle Nachrichten',
      letter: 'Der Brief',
      headers: 'Kopfzeilen',
      hint: 'Zeit und Signatur kommen bei jedem Versuch hinzu.',
      body: 'Inhalt',
    },
    next: 'Ältere Nachrichten',
  },
  fr: {
    address: 'Adresse du webhook',
    addressHint: 'Une adresse https. Laissez vide pour ne recevoir aucun message.',
    newSecret: 'Donner un nouveau secret au webhook',
    save: 'Enregistrer',
    disabled: {
      gone: 'Le webhook est arrêté : son adresse a répondu 410. Enregistrez l’adresse de nouveau pour reprendre.',
      failing:
        'Le webhook est arrêté : toutes les tentatives ont échoué pendant cinq jours. Enregistrez l’adresse de nouveau pour reprendre.',
    },
    secret: {
      title: 'Le secret qui sert à signer les messages',
      detail: 'Copiez-le maintenant. Il n’est plus affiché ensuite.',
    },
    caption: 'Messages, les plus récents d’abord',
    columns: {
      time: labels.time.fr,
      type: 'Message',
      channel: 'Livraison',
      attempts: labels.attempts.fr,
      again: 'De nouveau',
    },
    states: { pending: 'en attente', delivered: 'livré', failed: 'échec', cancelled: 'annulé' },
    channels: { webhook: 'Webhook', email: 'E-mail' },
    noChannel: 'Aucun canal n’était configuré.',
    none: 'Aucun message pour l’instant.',
    noAnswer: 'pas de réponse',
    nextAt: 'prochaine tentative',
    resend: labels.sendAgain.fr,
    failed: {
      title: 'Envoyer les messages manqués',
      since: 'Messages manqués depuis',
      hint: 'À partir de ce moment, en UTC : les messages dont la livraison a échoué ou a été annulée, et ceux du temps où le webhook était arrêté. Jusqu’à 50 à la fois, les plus anciens d’abord.',
      button: 'Tout envoyer',
    },
    test: {
      title: 'Tester le webhook',
      hint: 'Le message est du type webhook.test. Il est signé et livré comme tous les autres. Jusqu’à 10 par heure.',
      button: 'Envoyer un message de test',
    },
    message: {
      title: 'Message au webhook',
      back: 'Tous les messages',
      letter: 'La lettre',
      headers: 'En-têtes',
      hint: 'L’heure et la signature sont ajoutées à chaque tentative.',
      body: 'Contenu',
    },
    next: 'Messages plus anciens',
  },
});

export type WebhooksWords = (typeof webhooksWords)[Language];
