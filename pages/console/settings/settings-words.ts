/** Texts of the page of settings, by language. */
import { inEachLanguage } from '../../../presenters/in-each-language.ts';
import { labels } from '../../../presenters/labels.ts';

export const settingsWords = inEachLanguage({
  en: {
    email: 'Address for mails about letters, the wallet and webhooks',
    emailHint: 'Leave it empty to get no mails.',
    unconfirmed: 'This address gets no mails until it is confirmed by the link in the first mail.',
    language: 'Language of the mails',
    save: 'Save',
    account: labels.account.en,
    data: 'Export your data or close the account',
    key: 'Key of this session',
    mode: { mode: 'Mode', live: 'live', test: 'test' },
  },
  de: {
    email: 'Adresse für E-Mails über Briefe, Guthaben und Webhooks',
    emailHint: 'Leer lassen, um keine E-Mails zu bekommen.',
    unconfirmed:
      'Diese Adresse bekommt keine E-Mails, bis sie über den Link in der ersten E-Mail bestätigt ist.',
    language: 'Sprache der E-Mails',
    save: 'Speichern',
    account: labels.account.de,
    data: 'Daten exportieren oder das Konto schließen',
    key: 'Schlüssel dieser Sitzung',
    mode: { mode: 'Modus', live: 'live', test: 'Test' },
  },
  fr: {
    email: 'Adresse pour les e-mails sur les lettres, le solde et les webhooks',
    emailHint: 'Laissez vide pour ne recevoir aucun e-mail.',
    unconfirmed:
      'Cette adresse ne reçoit rien avant d’être confirmée par le lien du premier e-mail.',
    language: 'Langue des e-mails',
    save: 'Enregistrer',
    account: labels.account.fr,
    data: 'Exporter vos données ou fermer le compte',
    key: 'Clé de cette session',
    mode: { mode: 'Mode', live: 'réel', test: 'test' },
  },
});
