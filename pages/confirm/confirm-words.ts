/** What the pages say that links of mails lead to. `error_<code>` is said in place of the service's own message. */
const common = {
  en: { unreachable: 'The service could not be reached; try again.' },
  de: { unreachable: 'Der Dienst ist nicht erreichbar; versuchen Sie es noch einmal.' },
  fr: { unreachable: 'Le service est injoignable ; réessayez.' },
} as const;

export const confirmWords = {
  en: {
    ...common.en,
    title: 'Confirm the address',
    incomplete: 'The link is not complete; copy the whole link out of the e-mail.',
    reset: 'These are not mine: remove them',
    unchosen: 'may read only',
    keep: 'mine: may spend',
    end: 'not mine: end it',
    never: 'never',
    confirmed: 'Confirmed: {email} for account {account} ({mode}).',
    question: 'Is this your address? {email} for account {account} ({mode}).',
    choose: 'Say which of its API keys are yours: in a live account only those may spend money.',
    key: 'Key',
    label: 'Label',
    scope: 'Scope',
    made: 'Made',
    used: 'Last used',
    webhook: 'Webhook: ',
    auditWebhook: 'Audit webhook: ',
  },
  de: {
    ...common.de,
    title: 'Adresse bestätigen',
    incomplete: 'Der Link ist unvollständig; kopieren Sie den ganzen Link aus der E-Mail.',
    reset: 'Diese sind nicht von mir: entfernen',
    unchosen: 'darf nur lesen',
    keep: 'meiner: darf Geld ausgeben',
    end: 'nicht meiner: beenden',
    never: 'nie',
    confirmed: 'Bestätigt: {email} für das Konto {account} ({mode}).',
    question: 'Ist das Ihre Adresse? {email} für das Konto {account} ({mode}).',
    choose:
      'Geben Sie an, welche API-Schlüssel Ihre sind: In einem Live-Konto dürfen nur diese Geld ausgeben.',
    key: 'Schlüssel',
    label: 'Name',
    scope: 'Umfang',
    made: 'Angelegt',
    used: 'Zuletzt benutzt',
    webhook: 'Webhook: ',
    auditWebhook: 'Audit-Webhook: ',
    error_confirmation_invalid:
      'Der Link ist ungültig; kopieren Sie den ganzen Link aus der E-Mail.',
    error_confirmation_expired:
      'Der Link ist abgelaufen. Registrieren Sie die Adresse erneut, um einen neuen zu erhalten.',
  },
  fr: {
    ...common.fr,
    title: 'Confirmer l’adresse',
    incomplete: 'Le lien est incomplet ; copiez le lien entier de l’e-mail.',
    reset: 'Ils ne sont pas de moi : les supprimer',
    unchosen: 'lecture seule',
    keep: 'la mienne : peut dépenser',
    end: 'pas la mienne : y mettre fin',
    never: 'jamais',
    confirmed: 'Confirmée : {email} pour le compte {account} ({mode}).',
    question: 'Est-ce votre adresse ? {email} pour le compte {account} ({mode}).',
    choose:
      'Indiquez quelles clés d’API sont les vôtres : dans un compte réel, seules celles-là peuvent dépenser.',
    key: 'Clé',
    label: 'Nom',
    scope: 'Portée',
    made: 'Créée',
    used: 'Dernière utilisation',
    webhook: 'Webhook : ',
    auditWebhook: 'Webhook d’audit : ',
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
