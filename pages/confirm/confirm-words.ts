/** Texts of the pages behind links in mails. `error_<code>` is shown instead of the service's own message. */
import { labels } from '../../presenters/labels.ts';

/** The code covers every reason why a link no longer counts. */
const refusedInEnglish = {
  error_confirmation_invalid:
    'The link is not complete, or it no longer counts because the account changed since. Copy the whole link from the e-mail; if that does not help, ask for a new one.',
  error_email_registered: 'The address belongs to another account by now.',
  error_conflict: 'Something changed at the same moment. Try again.',
};

const refusedInGerman = {
  error_confirmation_invalid:
    'Der Link ist unvollständig, oder er gilt nicht mehr, weil sich das Konto inzwischen geändert hat. Kopieren Sie den ganzen Link aus der E-Mail; wenn das nicht hilft, fordern Sie einen neuen an.',
  error_email_registered: 'Die Adresse gehört inzwischen zu einem anderen Konto.',
  error_conflict: 'Im selben Augenblick hat sich etwas geändert. Versuchen Sie es noch einmal.',
};

const refusedInFrench = {
  error_confirmation_invalid:
    'Le lien est incomplet, ou il n’est plus valable parce que le compte a changé depuis. Copiez le lien entier de l’e-mail ; si cela ne suffit pas, demandez-en un nouveau.',
  error_email_registered: 'L’adresse appartient désormais à un autre compte.',
  error_conflict: 'Quelque chose a changé au même moment. Réessayez.',
};

export const confirmWords = {
  en: {
    unreachable: labels.unreachable.en,
    kind: 'E-mail address',
    title: labels.confirmAddress.en,
    incomplete: labels.linkIncomplete.en,
    question: 'Is {email} your address? It was registered for account {account} ({mode}).',
    question_change: 'Do you want {email} to be the address of account {account} ({mode})?',
    confirmed: 'Confirmed: {email} for account {account} ({mode}).',
    live: 'live',
    test: 'test',
    before: 'Set up with this address so far',
    hint: 'Somebody else may have registered your address. Check the list: what you keep stays valid, everything else ends.',
    keepAll: 'This is all mine: confirm and keep it',
    keepNone: 'This is not mine: confirm and remove it',
    keepSome: 'Confirm and keep only the selected items',
    oneByOne: 'Decide one by one',
    notMine: 'This is not your address? Close this page: nothing changes.',
    kept: 'Kept',
    ended: 'Ended',
    locked:
      'No key can manage the account now. A link for a new key is on its way to your address.',
    key: 'API key ',
    aboutKey: '“{label}”, scope {scope}, made {made}, last used: {used}.',
    ucans: 'UCANs made with it: {count}.',
    links: 'Links that show the history of letters to others: {list}.',
    link: 'letter {letter}, until {until}',
    never: 'never',
    webhook: 'Webhook: status messages of letters go to',
    notification_email: 'Notification address: mails about letters go to',
    audit_webhook: 'Audit webhook: signed events of letters go to',
    did: 'DID that acts for the account',
    policy: 'Policy that limits letters, with the people who approve them',
    error_key_not_found: 'The list has changed. Check it again.',
    ...refusedInEnglish,
    error_confirmation_expired:
      'The link has expired. Register the address again, or enter it in the account once more, to get a new one.',
  },
  de: {
    unreachable: labels.unreachable.de,
    kind: 'E-Mail-Adresse',
    title: labels.confirmAddress.de,
    incomplete: labels.linkIncomplete.de,
    question: 'Ist {email} Ihre Adresse? Sie wurde für das Konto {account} registriert ({mode}).',
    question_change: 'Soll {email} die Adresse des Kontos {account} ({mode}) werden?',
    confirmed: 'Bestätigt: {email} für das Konto {account} ({mode}).',
    live: 'live',
    test: 'Test',
    before: 'Bisher mit dieser Adresse eingerichtet',
    hint: 'Jemand anderes kann Ihre Adresse registriert haben. Sehen Sie die Liste durch: Was Sie behalten, gilt weiter, alles andere wird ungültig.',
    keepAll: 'Das ist alles von mir: bestätigen und behalten',
    keepNone: 'Das ist nicht von mir: bestätigen und entfernen',
    keepSome: 'Bestätigen und nur Angekreuztes behalten',
    oneByOne: 'Einzeln entscheiden',
    notMine: 'Das ist nicht Ihre Adresse? Schließen Sie die Seite: Es ändert sich nichts.',
    kept: 'Behalten',
    ended: 'Ungültig',
    locked:
      'Kein Schlüssel kann das Konto jetzt verwalten. Ein Link für einen neuen ist unterwegs an Ihre Adresse.',
    key: 'API-Schlüssel ',
    aboutKey: '„{label}“, Rechte {scope}, angelegt {made}, zuletzt benutzt: {used}.',
    ucans: 'Damit ausgestellte UCANs: {count}.',
    links: 'Links, die anderen den Verlauf von Briefen zeigen: {list}.',
    link: 'Brief {letter}, bis {until}',
    never: 'nie',
    webhook: 'Webhook: Statusmeldungen zu Briefen gehen an',
    notification_email: 'Benachrichtigungsadresse: E-Mails zu Briefen gehen an',
    audit_webhook: 'Audit-Webhook: signierte Ereignisse zu Briefen gehen an',
    did: 'DID, die für das Konto handelt',
    policy: 'Regeln, die Briefe beschränken, mit den Personen, die sie freigeben',
    error_key_not_found: 'Die Liste hat sich inzwischen geändert. Sehen Sie sie noch einmal durch.',
    ...refusedInGerman,
    error_confirmation_expired:
      'Der Link ist abgelaufen. Registrieren Sie die Adresse erneut, oder tragen Sie sie im Konto noch einmal ein, um einen neuen zu erhalten.',
  },
  fr: {
    unreachable: labels.unreachable.fr,
    kind: 'Adresse e-mail',
    title: labels.confirmAddress.fr,
    incomplete: labels.linkIncomplete.fr,
    question:
      '{email} est-elle votre adresse ? Elle a été enregistrée pour le compte {account} ({mode}).',
    question_change: '{email} doit-elle devenir l’adresse du compte {account} ({mode}) ?',
    confirmed: 'Confirmée : {email} pour le compte {account} ({mode}).',
    live: 'réel',
    test: 'test',
    before: 'Configuré avec cette adresse jusqu’ici',
    hint: 'Quelqu’un d’autre a pu enregistrer votre adresse. Parcourez la liste : ce que vous gardez reste valable, tout le reste est désactivé.',
    keepAll: 'Tout est de moi : confirmer et garder',
    keepNone: 'Ce n’est pas de moi : confirmer et supprimer',
    keepSome: 'Confirmer et ne garder que ce qui est coché',
    oneByOne: 'Décider un par un',
    notMine: 'Ce n’est pas votre adresse ? Fermez cette page : rien ne change.',
    kept: 'Conservé',
    ended: 'Désactivé',
    locked:
      'Aucune clé ne peut plus gérer le compte. Un lien pour en obtenir une est envoyé à votre adresse.',
    key: 'Clé API ',
    aboutKey: '« {label} », droits {scope}, créée le {made}, dernière utilisation : {used}.',
    ucans: 'UCAN créés avec elle : {count}.',
    links: 'Liens qui montrent l’historique de lettres à d’autres : {list}.',
    link: 'lettre {letter}, jusqu’au {until}',
    never: 'jamais',
    webhook: 'Webhook : les états des lettres sont envoyés à',
    notification_email: 'Adresse de notification : les e-mails sur les lettres vont à',
    audit_webhook: 'Webhook d’audit : les événements signés des lettres sont envoyés à',
    did: 'DID qui agit pour le compte',
    policy: 'Règles qui limitent les lettres, avec les personnes qui les approuvent',
    error_key_not_found: 'La liste a changé entre-temps. Parcourez-la à nouveau.',
    ...refusedInFrench,
    error_confirmation_expired:
      'Le lien a expiré. Pour en recevoir un autre, enregistrez l’adresse à nouveau ou indiquez-la encore une fois dans le compte.',
  },
} as const;

export const unsubscribeWords = {
  en: {
    unreachable: labels.unreachable.en,
    kind: 'Notifications',
    title: 'Stop these e-mails',
    ready: 'Unsubscribe from the e-mails about the letters of this account?',
    ask: 'Unsubscribe',
    done: 'You are unsubscribed. You will receive no further e-mails about these letters.',
    error_confirmation_invalid: 'The link is not valid. Open it from the e-mail again.',
    error_conflict: refusedInEnglish.error_conflict,
    error_validation_failed: labels.linkIncomplete.en,
  },
  de: {
    unreachable: labels.unreachable.de,
    kind: 'Benachrichtigungen',
    title: 'Diese E-Mails abbestellen',
    ready: 'Möchten Sie die E-Mails zu den Briefen dieses Kontos abbestellen?',
    ask: 'Abbestellen',
    done: 'Sie erhalten diese E-Mails nicht mehr.',
    error_confirmation_invalid: 'Der Link ist ungültig; öffnen Sie ihn aus der E-Mail.',
    error_conflict: refusedInGerman.error_conflict,
    error_validation_failed: labels.linkIncomplete.de,
  },
  fr: {
    unreachable: labels.unreachable.fr,
    kind: 'Notifications',
    title: 'Ne plus recevoir ces e-mails',
    ready: 'Voulez-vous ne plus recevoir les e-mails sur les lettres de ce compte ?',
    ask: 'Se désabonner',
    done: 'Vous ne recevrez plus ces e-mails.',
    error_confirmation_invalid: 'Le lien n’est pas valable ; ouvrez-le depuis l’e-mail.',
    error_conflict: refusedInFrench.error_conflict,
    error_validation_failed: labels.linkIncomplete.fr,
  },
} as const;

export const stopChangeWords = {
  en: {
    unreachable: labels.unreachable.en,
    kind: 'E-mail address',
    title: labels.takeChangeBack.en,
    ask: labels.takeChangeBack.en,
    ready: 'Your account has another e-mail address now. The button gives it this address again.',
    done: 'The account has this address again. A link is on its way to it, with which you can end all keys.',
    ...refusedInEnglish,
    error_validation_failed: labels.linkIncomplete.en,
    error_confirmation_expired: 'The link has expired. Ask the operator of the service.',
  },
  de: {
    unreachable: labels.unreachable.de,
    kind: 'E-Mail-Adresse',
    title: labels.takeChangeBack.de,
    ask: labels.takeChangeBack.de,
    ready:
      'Ihr Konto hat jetzt eine andere E-Mail-Adresse. Mit dem Knopf erhält es diese Adresse zurück.',
    done: 'Das Konto hat diese Adresse wieder. Ein Link ist an sie unterwegs, mit dem Sie alle Schlüssel ungültig machen können.',
    ...refusedInGerman,
    error_validation_failed: labels.linkIncomplete.de,
    error_confirmation_expired:
      'Der Link ist abgelaufen. Wenden Sie sich an den Betreiber des Dienstes.',
  },
  fr: {
    unreachable: labels.unreachable.fr,
    kind: 'Adresse e-mail',
    title: labels.takeChangeBack.fr,
    ask: labels.takeChangeBack.fr,
    ready: 'Votre compte a maintenant une autre adresse e-mail. Le bouton lui rend cette adresse.',
    done: 'Le compte a de nouveau cette adresse. Un lien lui est envoyé, avec lequel vous pouvez désactiver toutes les clés.',
    ...refusedInFrench,
    error_validation_failed: labels.linkIncomplete.fr,
    error_confirmation_expired: 'Le lien a expiré. Adressez-vous à l’exploitant du service.',
  },
} as const;
