/** Texts of the page that changes a letter, by language. */
import { inEachLanguage } from '../../../presenters/in-each-language.ts';
import { labels } from '../../../presenters/labels.ts';

export const changeWords = inEachLanguage({
  en: {
    title: labels.changeLetter.en,
    lead: 'The letter is checked again. To send it to another country or with another text, write a new letter.',
    to: labels.recipient.en,
    reference: labels.reference.en,
    asIs: 'Accept the address as it is written',
    button: 'Save the changes',
    back: labels.backToLetter.en,
  },
  de: {
    title: labels.changeLetter.de,
    lead: 'Der Brief wird noch einmal geprüft. Für ein anderes Land oder einen anderen Text schreiben Sie einen neuen Brief.',
    to: labels.recipient.de,
    reference: labels.reference.de,
    asIs: 'Adresse annehmen, wie sie geschrieben ist',
    button: 'Änderungen speichern',
    back: labels.backToLetter.de,
  },
  fr: {
    title: labels.changeLetter.fr,
    lead: 'La lettre est vérifiée de nouveau. Pour un autre pays ou un autre texte, écrivez une nouvelle lettre.',
    to: labels.recipient.fr,
    reference: labels.reference.fr,
    asIs: 'Accepter l’adresse telle qu’elle est écrite',
    button: 'Enregistrer les modifications',
    back: labels.backToLetter.fr,
  },
});
