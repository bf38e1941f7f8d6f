/** Texts of the page of API keys, by language. */
import type { Scope } from '../../../contract/scopes.ts';
import { counted, countedInFrench } from '../../../ground/plural.ts';
import type { Language } from '../../../postal/stationery.ts';
import { inEachLanguage } from '../../../presenters/in-each-language.ts';
import { labels } from '../../../presenters/labels.ts';

export const keysWords = inEachLanguage({
  en: {
    columns: {
      label: 'Name',
      prefix: 'Begins with',
      scope: 'Scope',
      created: 'Made',
      used: 'Last used',
      expires: labels.expires.en,
      things: 'Has made',
      limits: 'Limits',
      end: 'End',
    },
    caption: 'Keys that work',
    scopes: {
      full: 'full: everything',
      send: 'send: letters and money',
      read: 'read: look only',
    } satisfies Record<Scope, string>,
    never: 'never',
    /** The number of things of each kind that a key or a UCAN made. */
    things: {
      letters: counted('letter', 'letters'),
      drafts: (count: number) => (count === 1 ? '1 as a draft' : `${count} as drafts`),
      keys: counted('key', 'keys'),
      ucans: counted('UCAN', 'UCANs'),
      contracts: counted('contract', 'contracts'),
    },
    /** The limits stand under the id of the key that this one replaced. */
    keptLimits: 'Kept from the key that this one replaced.',
    yours: 'the key of this session',
    revoke: 'Revoke',
    revocation: {
      title: 'Revoke the key',
      lead: 'The key is refused from then on, for good. The sessions, the UCANs and the links to letters that were made with it end too. Letters that were sent with it go on.',
      own: 'This is the key of this session: you are signed out.',
      keep: 'Keep it',
    },
    freeze: 'Freeze',
    make: 'Make a key',
    label: 'Name',
    scope: 'Scope',
    expires: 'Last day',
    button: 'Make the key',
    ucans: {
      revocation: {
        title: 'Revoke the UCAN',
        lead: 'The UCAN, and everything that was passed on from it, is refused from then on, for good. The keys, the webhooks and the links to letters that were made with it end too. Letters that were sent with it go on.',
      },
      caption: 'UCANs that work',
      next: 'Older UCANs',
      columns: {
        cid: 'UCAN',
        audience: 'For',
        allows: 'Allows',
        expires: labels.expires.en,
        things: 'Has made',
        limits: 'Limits',
        end: 'End',
      },
    },
    made: {
      title: 'The new key',
      detail: 'Copy it now. It is not shown again.',
    },
  },
  de: {
    columns: {
      label: 'Name',
      prefix: 'Beginnt mit',
      scope: 'Rechte',
      created: 'Erstellt',
      used: 'Zuletzt benutzt',
      expires: labels.expires.de,
      things: 'Erstellt',
      limits: 'Grenzen',
      end: 'Ende',
    },
    caption: 'Gültige Schlüssel',
    scopes: { full: 'full: alles', send: 'send: Briefe und Geld', read: 'read: nur ansehen' },
    never: 'nie',
    things: {
      letters: counted('Brief', 'Briefe'),
      drafts: (count) => `${count} als Entwurf`,
      keys: counted('Schlüssel', 'Schlüssel'),
      ucans: counted('UCAN', 'UCANs'),
      contracts: counted('Vertrag', 'Verträge'),
    },
    keptLimits: 'Vom Schlüssel übernommen, den dieser ersetzt.',
    yours: 'der Schlüssel dieser Sitzung',
    revoke: 'Widerrufen',
    revocation: {
      title: 'Den Schlüssel widerrufen',
      lead: 'Der Schlüssel wird von da an endgültig abgelehnt. Auch die Sitzungen, die UCANs und die Links zu Briefen, die mit ihm entstanden sind, enden. Briefe, die mit ihm gesendet wurden, gehen weiter.',
      own: 'Das ist der Schlüssel dieser Sitzung: Sie werden abgemeldet.',
      keep: 'Behalten',
    },
    freeze: 'Einfrieren',
    make: 'Einen Schlüssel erstellen',
    label: 'Name',
    scope: 'Rechte',
    expires: 'Letzter Tag',
    button: 'Schlüssel erstellen',
    ucans: {
      revocation: {
        title: 'Den UCAN widerrufen',
        lead: 'Der UCAN und alles, was von ihm weitergegeben wurde, wird von da an endgültig abgelehnt. Auch die Schlüssel, die Webhooks und die Links zu Briefen, die mit ihm entstanden sind, enden. Briefe, die mit ihm gesendet wurden, gehen weiter.',
      },
      caption: 'Gültige UCANs',
      next: 'Ältere UCANs',
      columns: {
        cid: 'UCAN',
        audience: 'Für',
        allows: 'Erlaubt',
        expires: labels.expires.de,
        things: 'Erstellt',
        limits: 'Grenzen',
        end: 'Ende',
      },
    },
    made: {
      title: 'Der neue Schlüssel',
      detail: 'Kopieren Sie ihn jetzt. Er wird nicht noch einmal gezeigt.',
    },
  },
  fr: {
    columns: {
      label: 'Nom',
      prefix: 'Commence par',
      scope: 'Droits',
      created: 'Créée',
      used: 'Dernier usage',
      expires: labels.expires.fr,
      things: 'A créé',
      limits: 'Limites',
      end: 'Fin',
    },
    caption: 'Clés valides',
    scopes: { full: 'full : tout', send: 'send : lettres et argent', read: 'read : lecture seule' },
    never: 'jamais',
    things: {
      letters: countedInFrench('lettre', 'lettres'),
      drafts: (count) => `${count} en brouillon`,
      keys: countedInFrench('clé', 'clés'),
      ucans: countedInFrench('UCAN', 'UCAN'),
      contracts: countedInFrench('contrat', 'contrats'),
    },
    keptLimits: 'Reprises de la clé que celle-ci remplace.',
    yours: 'la clé de cette session',
    revoke: 'Révoquer',
    revocation: {
      title: 'Révoquer la clé',
      lead: 'La clé est refusée définitivement à partir de ce moment. Les sessions, les UCAN et les liens vers des lettres créés avec elle prennent fin aussi. Les lettres envoyées avec elle continuent.',
      own: 'C’est la clé de cette session : vous serez déconnecté.',
      keep: 'Garder',
    },
    freeze: 'Geler',
    make: 'Créer une clé',
    label: 'Nom',
    scope: 'Droits',
    expires: 'Dernier jour',
    button: 'Créer la clé',
    ucans: {
      revocation: {
        title: 'Révoquer l’UCAN',
        lead: 'L’UCAN, et tout ce qui en a été transmis, est refusé définitivement à partir de ce moment. Les clés, les webhooks et les liens vers des lettres créés avec lui prennent fin aussi. Les lettres envoyées avec lui continuent.',
      },
      caption: 'UCAN valides',
      next: 'UCAN plus anciens',
      columns: {
        cid: 'UCAN',
        audience: 'Pour',
        allows: 'Permet',
        expires: labels.expires.fr,
        things: 'A créé',
        limits: 'Limites',
        end: 'Fin',
      },
    },
    made: {
      title: 'La nouvelle clé',
      detail: 'Copiez-la maintenant. Elle n’est plus affichée ensuite.',
    },
  },
});

export type KeysWords = (typeof keysWords)[Language];
