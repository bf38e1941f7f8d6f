/** The words of the page with letters and spending per day, by language. */
import { inEachLanguage } from '../../../presenters/in-each-language.ts';
import { labels } from '../../../presenters/labels.ts';

export const statisticsWords = inEachLanguage({
  en: {
    title: labels.lettersPerDay.en,
    lead: 'Days are in UTC. Money counts when it is reserved for a letter or an order, and counts back on the day on which it is released or refunded.',
    letters: 'Letters per day',
    spent: 'Spending per day',
    lettersSum: (sum: string) => `Letters accepted in this time: ${sum}.`,
    spentSum: (sum: string) => `Spent in this time: ${sum}.`,
    from: 'First day',
    to: 'Last day',
    show: 'Show',
    table: 'As a table',
    day: 'Day',
    most: 'Highest day',
  },
  de: {
    title: labels.lettersPerDay.de,
    lead: 'Tage sind in UTC. Ein Betrag zählt an dem Tag, an dem er für einen Brief oder eine Bestellung reserviert wird, und wird an dem Tag abgezogen, an dem er freigegeben oder erstattet wird.',
    letters: 'Briefe pro Tag',
    spent: 'Ausgaben pro Tag',
    lettersSum: (sum) => `In dieser Zeit angenommene Briefe: ${sum}.`,
    spentSum: (sum) => `In dieser Zeit ausgegeben: ${sum}.`,
    from: 'Erster Tag',
    to: 'Letzter Tag',
    show: 'Anzeigen',
    table: 'Als Tabelle',
    day: 'Tag',
    most: 'Höchster Wert',
  },
  fr: {
    title: labels.lettersPerDay.fr,
    lead: 'Les jours sont en UTC. L’argent compte quand il est réservé pour une lettre ou une commande, et il est déduit le jour où il est libéré ou remboursé.',
    letters: 'Lettres par jour',
    spent: 'Dépenses par jour',
    lettersSum: (sum) => `Lettres acceptées pendant cette période : ${sum}.`,
    spentSum: (sum) => `Dépensé pendant cette période : ${sum}.`,
    from: 'Premier jour',
    to: 'Dernier jour',
    show: 'Afficher',
    table: 'Sous forme de tableau',
    day: 'Jour',
    most: 'Valeur la plus élevée',
  },
});
