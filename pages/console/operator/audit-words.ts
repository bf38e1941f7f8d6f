/** The words of the form that opens the history of a letter, by language. */
import type { Language } from '../../../postal/stationery.ts';

export const auditEntryWords: Record<
  Language,
  Record<'lead' | 'label' | 'button' | 'wrong', string>
> = {
  en: {
    lead: 'The history of a letter shows each event with its credential. The browser verifies the credentials with the program that is published. Names, addresses and content are not part of it.',
    label: 'Id of the letter',
    button: 'Show its history',
    wrong: 'This is not the id of a letter.',
  },
  de: {
    lead: 'Der Verlauf eines Briefs zeigt jedes Ereignis mit seinem Nachweis. Der Browser prüft die Nachweise mit dem veröffentlichten Programm. Namen, Anschriften und Inhalt gehören nicht dazu.',
    label: 'Kennung des Briefs',
    button: 'Verlauf zeigen',
    wrong: 'Das ist keine Kennung eines Briefs.',
  },
  fr: {
    lead: 'L’historique d’une lettre montre chaque événement avec son attestation. Le navigateur vérifie les attestations avec le programme publié. Les noms, les adresses et le contenu n’en font pas partie.',
    label: 'Identifiant de la lettre',
    button: 'Afficher l’historique',
    wrong: 'Ce n’est pas l’identifiant d’une lettre.',
  },
};
