/** What the pages say that links of mails lead to. `error_<code>` is shown instead of the service's own message. */
const common = {
  en: { unreachable: 'The service cannot be reached. Try again.' },
  de: { unreachable: 'Der Dienst ist nicht erreichbar; versuchen Sie es noch einmal.' },
  fr: { unreachable: 'Le service est injoignable ; réessayez.' },
} as const;

export const confirmWords = {
  en: {
    ...common.en,
    kind: 'E-mail address',
    title: 'Confirm the address',
    incomplete: 'The link is not complete. Copy the whole link from the e-mail.',
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
    ucans: ' UCANs made with it: {count}.',
    never: 'never',
    webhook: 'Webhook: status messages of letters go to',
    notification_email: 'Notification address: mails about letters go to',
    audit_webhook: 'Audit webhook: signed events of letters go to',
    did: 'DID that acts for the account',
    error_key_not_found: 'The list has changed. Check it again.',
  },
  de: {
    ...common.de,
    kind: 'E-Mail-Adresse',
    title: 'Adresse bestätigen',
    incomplete: 'Der Link ist unvollständig; kopieren Sie den ganzen Link aus der E-Mail.',
    question: 'Ist {email} Ihre Adresse? Sie wurde für das Konto {account} registriert ({mode}).',
    question_change: 'Soll {email} die Adresse des Kontos {account} ({mode}) werden?',
    confirmed: 'Bestätigt: {email} für das Konto {account} ({mode}).',
    live: 'live',
    test: 'Test',
    before: 'Bisher mit dieser Adresse eingerichtet',
    hint: 'Jemand anderes kann Ihre Adresse registriert haben. Sehen Sie die Liste durch: Was Sie behalten, gilt weiter, alles andere endet.',
    keepAll: 'Das ist alles von mir: bestätigen und behalten',
    keepNone: 'Das ist nicht von mir: bestätigen und entfernen',
    keepSome: 'Bestätigen und nur Angekreuztes behalten',
    oneByOne: 'Einzeln entscheiden',
    notMine: 'Das ist nicht Ihre Adresse? Schließen Sie die Seite: Es ändert sich nichts.',
    kept: 'Behalten',
    ended: 'Beendet',
    locked:
      'Kein Schlüssel kann das Konto jetzt verwalten. Ein Link für einen neuen ist unterwegs an Ihre Adresse.',
    key: 'API-Schlüssel ',
    aboutKey: '„{label}“, Umfang {scope}, angelegt {made}, zuletzt benutzt: {used}.',
    ucans: ' Damit ausgestellte UCANs: {count}.',
    never: 'nie',
    webhook: 'Webhook: Statusmeldungen zu Briefen gehen an',
    notification_email: 'Benachrichtigungsadresse: E-Mails zu Briefen gehen an',
    audit_webhook: 'Audit-Webhook: signierte Ereignisse zu Briefen gehen an',
    did: 'DID, die für das Konto handelt',
    error_key_not_found: 'Die Liste hat sich inzwischen geändert. Sehen Sie sie noch einmal durch.',
    error_confirmation_invalid:
      'Der Link ist ungültig; kopieren Sie den ganzen Link aus der E-Mail.',
    error_confirmation_expired:
      'Der Link ist abgelaufen. Registrieren Sie die Adresse erneut, um einen neuen zu erhalten.',
  },
  fr: {
    ...common.fr,
    kind: 'Adresse e-mail',
    title: 'Confirmer l’adresse',
    incomplete: 'Le lien est incomplet ; copiez le lien entier de l’e-mail.',
    question:
      '{email} est-elle votre adresse ? Elle a été enregistrée pour le compte {account} ({mode}).',
    question_change: '{email} doit-elle devenir l’adresse du compte {account} ({mode}) ?',
    confirmed: 'Confirmée : {email} pour le compte {account} ({mode}).',
    live: 'réel',
    test: 'test',
    before: 'Configuré avec cette adresse jusqu’ici',
    hint: 'Quelqu’un d’autre a pu enregistrer votre adresse. Parcourez la liste : ce que vous gardez continue, tout le reste prend fin.',
    keepAll: 'Tout est de moi : confirmer et garder',
    keepNone: 'Ce n’est pas de moi : confirmer et supprimer',
    keepSome: 'Confirmer et ne garder que ce qui est coché',
    oneByOne: 'Décider un par un',
    notMine: 'Ce n’est pas votre adresse ? Fermez cette page : rien ne change.',
    kept: 'Gardé',
    ended: 'Terminé',
    locked:
      'Aucune clé ne peut plus gérer le compte. Un lien pour en obtenir une est envoyé à votre adresse.',
    key: 'Clé d’API ',
    aboutKey: '« {label} », portée {scope}, créée le {made}, dernière utilisation : {used}.',
    ucans: ' UCAN créés avec elle : {count}.',
    never: 'jamais',
    webhook: 'Webhook : les états des lettres sont envoyés à',
    notification_email: 'Adresse de notification : les e-mails sur les lettres vont à',
    audit_webhook: 'Webhook d’audit : les événements signés des lettres sont envoyés à',
    did: 'DID qui agit pour le compte',
    error_key_not_found: 'La liste a changé entre-temps. Parcourez-la à nouveau.',
    error_confirmation_invalid: 'Le lien n’est pas valable ; copiez le lien entier de l’e-mail.',
    error_confirmation_expired:
      'Le lien a expiré. Enregistrez l’adresse à nouveau pour en recevoir un autre.',
  },
} as const;

export const unsubscribeWords = {
  en: {
    ...common.en,
    title: 'Stop these e-mails',
    ready: 'Press the button to get no more of these e-mails.',
  },
  de: {
    ...common.de,
    title: 'Diese E-Mails abbestellen',
    ready: 'Mit dem Knopf bestellen Sie diese E-Mails ab.',
    done: 'Sie erhalten diese E-Mails nicht mehr.',
    error_confirmation_invalid: 'Der Link ist ungültig; öffnen Sie ihn aus der E-Mail.',
  },
  fr: {
    ...common.fr,
    title: 'Ne plus recevoir ces e-mails',
    ready: 'Appuyez sur le bouton pour ne plus recevoir ces e-mails.',
    done: 'Vous ne recevrez plus ces e-mails.',
    error_confirmation_invalid: 'Le lien n’est pas valable ; ouvrez-le depuis l’e-mail.',
  },
} as const;

export const stopChangeWords = {
  en: {
    ...common.en,
    title: 'Take the change back',
    ready: 'Your account has another e-mail address now. The button gives it this address again.',
  },
  de: {
    ...common.de,
    title: 'Änderung zurücknehmen',
    ready:
      'Ihr Konto hat jetzt eine andere E-Mail-Adresse. Mit dem Knopf erhält es diese Adresse zurück.',
    done: 'Das Konto hat diese Adresse wieder. Ein Link ist an sie unterwegs, mit dem Sie alle Schlüssel beenden können.',
    error_confirmation_invalid:
      'Der Link ist ungültig; kopieren Sie den ganzen Link aus der E-Mail.',
    error_confirmation_expired:
      'Der Link ist abgelaufen. Wenden Sie sich an den Betreiber des Dienstes.',
  },
  fr: {
    ...common.fr,
    title: 'Annuler la modification',
    ready: 'Votre compte a maintenant une autre adresse e-mail. Le bouton lui rend cette adresse.',
    done: 'Le compte a de nouveau cette adresse. Un lien lui est envoyé, avec lequel vous pouvez mettre fin à toutes les clés.',
    error_confirmation_invalid: 'Le lien n’est pas valable ; copiez le lien entier de l’e-mail.',
    error_confirmation_expired: 'Le lien a expiré. Adressez-vous à l’exploitant du service.',
  },
} as const;
