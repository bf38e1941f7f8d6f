/** Texts of the pages of audit webhooks, by language. */
import { inEachLanguage } from '../../../presenters/in-each-language.ts';
import { labels } from '../../../presenters/labels.ts';

export const auditWebhooksWords = inEachLanguage({
  en: {
    title: 'Audit webhooks',
    caption: 'Webhooks that get signed events',
    columns: {
      address: 'Address',
      events: 'Events',
      letter: labels.letters.en,
      state: labels.state.en,
    },
    states: { active: 'on', disabled: 'off: its address failed', ended: 'off: its key has ended' },
    all: 'all',
    letter: 'one letter',
    none: 'There are no audit webhooks. Programs register them with the API.',
    back: 'All webhooks',
    noBody: 'The first attempt decides the body. There was none yet.',
  },
  de: {
    title: 'Audit-Webhooks',
    caption: 'Webhooks, die signierte Ereignisse bekommen',
    columns: {
      address: 'Adresse',
      events: 'Ereignisse',
      letter: labels.letters.de,
      state: labels.state.de,
    },
    states: {
      active: 'an',
      disabled: 'aus: Die Zustellung schlug fehl',
      ended: 'aus: Der Schlüssel ist abgelaufen',
    },
    all: 'alle',
    letter: 'ein Brief',
    none: 'Es gibt keine Audit-Webhooks. Programme richten sie über die API ein.',
    back: 'Alle Webhooks',
    noBody: 'Der erste Versuch legt den Inhalt fest. Es gab noch keinen.',
  },
  fr: {
    title: 'Webhooks d’audit',
    caption: 'Webhooks qui reçoivent des événements signés',
    columns: {
      address: 'Adresse',
      events: 'Événements',
      letter: labels.letters.fr,
      state: labels.state.fr,
    },
    states: {
      active: 'actif',
      disabled: 'arrêté : les livraisons ont échoué',
      ended: 'arrêté : sa clé a pris fin',
    },
    all: 'tout',
    letter: 'une lettre',
    none: 'Il n’y a pas de webhook d’audit. Les programmes les enregistrent par l’API.',
    back: 'Tous les webhooks',
    noBody: 'La première tentative fixe le contenu. Elle n’a pas encore eu lieu.',
  },
});
