/** The sentences of the mails about an account, by language. Subjects never contain names. */
import type { Language } from '../../postal/stationery.ts';
import { labels } from '../../presenters/labels.ts';

const en = {
  test: labels.testAccount.en,
  account: labels.account.en,
  order: labels.order.en,
  letter: labels.letter.en,
  recovery: {
    subject: 'A new API key for your account',
    told: [
      'Someone tried to register this e-mail address, which already has an account. If you lost its API key, the link below gives you a new one. The link works once and expires after one hour.',
      'The link confirms that the address is yours and revokes all other keys of the account unless you choose otherwise.',
      'If this was not you, you need not do anything: without the link nobody gets a key.',
    ],
    link: labels.getNewKey.en,
  },
  /** The link that signs in to the console. */
  signIn: {
    subject: 'Your link to sign in',
    told: [
      'Someone asked for a link to sign in to the console of your account. The link works once and expires after one hour.',
      'If this was not you, you need not do anything. Do not forward this e-mail: the link lets its holder in.',
    ],
    link: labels.signIn.en,
  },
  confirm: {
    subject: 'Please confirm your e-mail address',
    registered: [
      'This e-mail address was registered for an account that sends letters by post. If this was you, confirm the address and choose which API keys may keep sending.',
      'If this was not you, you need not do anything. Want the account for yourself? Register again; the new link revokes every key someone else created.',
    ],
    notifications: [
      'An account that sends letters by post wants to send e-mails about its letters to this address. If you agree, confirm the address with the link below.',
      'If you do not know about this, you need not do anything: the account cannot send you e-mails.',
    ],
    change: [
      'The owner of an account that sends letters by post wants this to be the address of the account. If that was you, confirm the address with the link below, within 24 hours.',
      'If you do not know about this, you need not do anything: without the link nothing changes.',
    ],
    link: labels.confirmAddress.en,
  },
  /** For the former address of an account. `until`: when the link ends. */
  emailChanged: {
    subject: 'The e-mail address of your account was changed',
    told: (until: string) => [
      'Your account has another e-mail address now. Mails about it, also those that replace a lost API key, go to the new address only.',
      `If this was not you, take the change back with the link below, by ${until} at the latest. You then get a second e-mail with which you can end all API keys.`,
      'If this was you, you need not do anything.',
    ],
    link: labels.takeChangeBack.en,
  },
  credited: {
    subject: (amount: string) => `Your wallet was credited with ${amount}`,
    told: (amount: string) => `${amount} was added to your wallet.`,
    /** Money of a card payment that had been taken back before. */
    reinstated:
      'This is money of a card payment that was taken back before. The refund failed, or the dispute was won.',
    facts: {
      amount: labels.amount.en,
      available: 'Available now',
      method: 'Paid by',
      reference: labels.reference.en,
    },
    /** Payment methods by their ids. A method without a name here is shown by its id. */
    methods: { usdc_transfer: 'USDC', x402: 'USDC (x402)' } as Readonly<Record<string, string>>,
  },
  /** Money of an earlier credit. */
  chargedBack: {
    subject: (amount: string) => `${amount} was taken back from your wallet`,
    told: (amount: string) =>
      `A payment to your wallet was taken back, in whole or in part. ${amount} was taken out of your wallet.`,
    /** By payment method. A method without a sentence here is shown without a reason. */
    reasons: {
      card: ['The card payment was refunded or disputed.'],
      usdc_transfer: ['The blockchain no longer has the transfer.'],
      x402: ['The blockchain no longer has the payment.'],
      operator: ['The operator of the service corrected a credit.'],
    } as Readonly<Record<string, readonly string[]>>,
    belowZero:
      'Your wallet is below zero. No letter is sent from it until you top it up above zero.',
  },
  /** A period of a volume contract had fewer letters than agreed. */
  breached: {
    subject: (amount: string) => `${amount} was charged for your volume contract`,
    told: (amount: string) =>
      `A period of your volume contract ended with fewer letters than agreed. Its letters are charged without their discounts: ${amount}, commission included, was taken out of your wallet.`,
    contract: 'Contract',
    agreed: 'Letters agreed',
    counted: 'Letters counted',
  },
  /** A card payment for the letter of an order. */
  orderPaid: {
    subject: (amount: string) => `An order was paid: ${amount}`,
    told: (amount: string) =>
      `The card payment of an order has arrived. ${amount} is held for the letter of the order; your balance stays as it was.`,
  },
  /** The money of an order is a credit of the wallet. */
  orderCredited: {
    subject: 'An order was paid, but its letter was not sent',
    told: 'The card payment of an order has arrived, but its letter was not sent.',
    advice:
      'The money is in your wallet. Refund the payer with your card provider, or send the letter with the credit.',
  },
  webhook: {
    subject: 'Your webhook was disabled',
    auditSubject: 'An audit webhook was disabled',
    told: (reason: string) => `Your status webhook is no longer called. ${reason}`,
    auditTold: (id: string, reason: string) =>
      `Your audit webhook ${id} is no longer called. ${reason}`,
    advice:
      'Set webhook_url again (PUT /api/settings) once it works; GET /api/notifications lists what happened in the meantime. The page of webhooks in the console sends it.',
    auditAdvice:
      'Register its URL again (POST /api/identity/audit/subscribe) once it works. POST /api/identity/audit/subscribe/{id}/replay then delivers the events since a time to the new webhook.',
    reasons: {
      gone: 'Its address answered 410 (gone).',
      failing: 'Every attempt to reach it failed for five days.',
    },
  },
};

const de: typeof en = {
  test: labels.testAccount.de,
  account: labels.account.de,
  order: labels.order.de,
  letter: labels.letter.de,
  recovery: {
    subject: 'Ein neuer API-Schlüssel für Ihr Konto',
    told: [
      'Jemand wollte diese E-Mail-Adresse registrieren, zu der es schon ein Konto gibt. Wenn Sie dessen API-Schlüssel verloren haben, erhalten Sie über den Link unten einen neuen. Er gilt einmal, eine Stunde lang.',
      'Damit bestätigen Sie, dass die Adresse Ihnen gehört; alle anderen Schlüssel des Kontos werden ungültig, sofern Sie es nicht anders angeben.',
      'Wenn Sie es nicht waren, brauchen Sie nichts zu tun: Ohne den Link erhält niemand einen Schlüssel.',
    ],
    link: labels.getNewKey.de,
  },
  signIn: {
    subject: 'Ihr Link zur Anmeldung',
    told: [
      'Jemand hat einen Link zur Anmeldung an der Konsole Ihres Kontos angefordert. Er gilt einmal, eine Stunde lang.',
      'Wenn Sie es nicht waren, brauchen Sie nichts zu tun. Leiten Sie diese E-Mail nicht weiter: Der Link meldet an, wer ihn hat.',
    ],
    link: labels.signIn.de,
  },
  confirm: {
    subject: 'Bitte bestätigen Sie Ihre E-Mail-Adresse',
    registered: [
      'Mit dieser E-Mail-Adresse wurde ein Konto registriert, das Briefe per Post verschickt. Wenn Sie das waren, bestätigen Sie sie über den Link unten, und geben Sie dort an, welche API-Schlüssel Ihre sind.',
      'Wenn Sie es nicht waren, brauchen Sie nichts zu tun. Möchten Sie selbst ein Konto, registrieren Sie die Adresse erneut: Der Link, den Sie dann erhalten, macht alle Schlüssel ungültig, die andere angelegt haben.',
    ],
    notifications: [
      'Ein Konto, das Briefe per Post verschickt, möchte über seine Briefe an diese E-Mail-Adresse schreiben. Wenn das richtig ist, bestätigen Sie sie über den Link unten.',
      'Wenn Sie es nicht waren, brauchen Sie nichts zu tun: Sie erhalten keine E-Mails von dem Konto.',
    ],
    change: [
      'Der Inhaber eines Kontos, das Briefe per Post verschickt, möchte diese Adresse als Adresse des Kontos. Wenn Sie das waren, bestätigen Sie sie binnen 24 Stunden über den Link unten.',
      'Wenn Sie davon nichts wissen, brauchen Sie nichts zu tun: Ohne den Link ändert sich nichts.',
    ],
    link: labels.confirmAddress.de,
  },
  emailChanged: {
    subject: 'Die E-Mail-Adresse Ihres Kontos wurde geändert',
    told: (until) => [
      'Ihr Konto hat jetzt eine andere E-Mail-Adresse. E-Mails dazu, auch solche, die einen verlorenen API-Schlüssel ersetzen, gehen nur noch an die neue Adresse.',
      `Wenn Sie das nicht waren, nehmen Sie die Änderung über den Link unten zurück, spätestens am ${until}. Sie erhalten dann eine zweite E-Mail, mit der Sie alle API-Schlüssel ungültig machen können.`,
      'Wenn Sie es waren, brauchen Sie nichts zu tun.',
    ],
    link: labels.takeChangeBack.de,
  },
  credited: {
    subject: (amount) => `Ihrem Guthaben wurden ${amount} gutgeschrieben`,
    told: (amount) => `Ihr Guthaben wurde um ${amount} erhöht.`,
    reinstated:
      'Damit ist Geld einer Kartenzahlung wieder da, das zurückgebucht worden war. Die Erstattung schlug fehl, oder die Anfechtung hatte keinen Erfolg.',
    facts: {
      amount: labels.amount.de,
      available: 'Jetzt verfügbar',
      method: 'Bezahlt mit',
      reference: labels.reference.de,
    },
    methods: {
      operator: 'Gutschrift des Betreibers',
      card: 'Karte',
      lightning: 'Lightning',
      usdc_transfer: 'USDC',
      x402: 'USDC (x402)',
    },
  },
  chargedBack: {
    subject: (amount) => `${amount} wurden von Ihrem Guthaben zurückgebucht`,
    told: (amount) =>
      `Eine Zahlung auf Ihr Guthaben wurde ganz oder teilweise zurückgenommen. Von Ihrem Guthaben wurden ${amount} abgebucht.`,
    reasons: {
      card: ['Die Kartenzahlung wurde erstattet oder angefochten.'],
      usdc_transfer: ['Die Überweisung steht nicht mehr in der Blockchain.'],
      x402: ['Die Zahlung steht nicht mehr in der Blockchain.'],
      operator: ['Der Betreiber des Dienstes hat eine Gutschrift berichtigt.'],
    },
    belowZero:
      'Ihr Guthaben liegt unter null. Es wird kein Brief verschickt, bis Sie es wieder über null aufladen.',
  },
  breached: {
    subject: (amount) => `${amount} wurden für Ihren Mengenvertrag berechnet`,
    told: (amount) =>
      `Ein Zeitraum Ihres Mengenvertrags endete mit weniger Briefen als vereinbart. Seine Briefe werden ohne Rabatt berechnet: Von Ihrem Guthaben wurden ${amount} abgebucht, einschließlich Provision.`,
    contract: 'Vertrag',
    agreed: 'Vereinbarte Briefe',
    counted: 'Gezählte Briefe',
  },
  orderPaid: {
    subject: (amount) => `Eine Bestellung wurde bezahlt: ${amount}`,
    told: (amount) =>
      `Die Kartenzahlung einer Bestellung ist eingegangen. ${amount} sind für den Brief der Bestellung vorgemerkt; Ihr Guthaben bleibt, wie es war.`,
  },
  orderCredited: {
    subject: 'Eine Bestellung wurde bezahlt, aber ihr Brief nicht versandt',
    told: 'Die Kartenzahlung einer Bestellung ist eingegangen, aber ihr Brief wurde nicht versandt.',
    advice:
      'Das Geld ist auf Ihrem Guthaben. Erstatten Sie es dem Zahler bei Ihrem Kartenanbieter, oder versenden Sie den Brief damit.',
  },
  webhook: {
    subject: 'Ihr Webhook wurde abgeschaltet',
    auditSubject: 'Ein Audit-Webhook wurde abgeschaltet',
    told: (reason) => `Ihr Status-Webhook wird nicht mehr aufgerufen. ${reason}`,
    auditTold: (id, reason) => `Ihr Audit-Webhook ${id} wird nicht mehr aufgerufen. ${reason}`,
    advice:
      'Setzen Sie webhook_url neu (PUT /api/settings), sobald er wieder erreichbar ist; was inzwischen geschah, zeigt GET /api/notifications. Die Seite der Webhooks in der Konsole sendet es nach.',
    auditAdvice:
      'Melden Sie seine URL neu an (POST /api/identity/audit/subscribe), sobald er wieder erreichbar ist. Die Ereignisse seit einem Zeitpunkt stellt POST /api/identity/audit/subscribe/{id}/replay dann dem neuen Webhook zu.',
    reasons: {
      gone: 'Seine Adresse antwortete mit 410 (Gone).',
      failing: 'Fünf Tage lang schlug jeder Versuch fehl, ihn zu erreichen.',
    },
  },
};

const fr: typeof en = {
  test: labels.testAccount.fr,
  account: labels.account.fr,
  order: labels.order.fr,
  letter: labels.letter.fr,
  recovery: {
    subject: 'Une nouvelle clé API pour votre compte',
    told: [
      'Quelqu’un a voulu enregistrer cette adresse e-mail, qui a déjà un compte. Si vous avez perdu sa clé API, le lien ci-dessous vous en donne une nouvelle. Il fonctionne une fois, pendant une heure.',
      'Il confirme que l’adresse est la vôtre et désactive toutes les autres clés du compte, sauf indication contraire de votre part.',
      'Si ce n’était pas vous, vous n’avez rien à faire : sans le lien, personne n’obtient de clé.',
    ],
    link: labels.getNewKey.fr,
  },
  signIn: {
    subject: 'Votre lien de connexion',
    told: [
      'Quelqu’un a demandé un lien pour se connecter à la console de votre compte. Il fonctionne une fois, pendant une heure.',
      'Si ce n’était pas vous, vous n’avez rien à faire. Ne transférez pas cet e-mail : le lien connecte la personne qui l’a.',
    ],
    link: labels.signIn.fr,
  },
  confirm: {
    subject: 'Veuillez confirmer votre adresse e-mail',
    registered: [
      'Cette adresse e-mail a été enregistrée pour un compte qui envoie des lettres par la poste. Si c’était vous, confirmez-la avec le lien ci-dessous et indiquez-y quelles clés API sont les vôtres.',
      'Si ce n’était pas vous, vous n’avez rien à faire. Si vous voulez vous-même un compte, enregistrez l’adresse à nouveau : le lien que vous recevrez alors désactive toutes les clés créées par d’autres.',
    ],
    notifications: [
      'Un compte qui envoie des lettres par la poste souhaite écrire à cette adresse e-mail au sujet de ses lettres. Si c’est exact, confirmez-la avec le lien ci-dessous.',
      'Si ce n’était pas vous, vous n’avez rien à faire : vous ne recevrez aucun e-mail de ce compte.',
    ],
    change: [
      'Le titulaire d’un compte qui envoie des lettres par la poste souhaite que cette adresse soit celle du compte. Si c’était vous, confirmez-la avec le lien ci-dessous dans les 24 heures.',
      'Si vous n’en savez rien, vous n’avez rien à faire : sans le lien, rien ne change.',
    ],
    link: labels.confirmAddress.fr,
  },
  emailChanged: {
    subject: 'L’adresse e-mail de votre compte a été modifiée',
    told: (until) => [
      'Votre compte a maintenant une autre adresse e-mail. Les e-mails à son sujet, y compris ceux qui remplacent une clé API perdue, ne vont plus qu’à la nouvelle adresse.',
      `Si ce n’était pas vous, annulez la modification avec le lien ci-dessous, au plus tard le ${until}. Vous recevrez alors un second e-mail avec lequel vous pouvez désactiver toutes les clés API.`,
      'Si c’était vous, vous n’avez rien à faire.',
    ],
    link: labels.takeChangeBack.fr,
  },
  credited: {
    subject: (amount) => `Votre solde a été crédité de ${amount}`,
    told: (amount) => `${amount} ont été ajoutés à votre solde.`,
    reinstated:
      'C’est l’argent d’un paiement par carte qui avait été repris. Le remboursement a échoué, ou la contestation a été rejetée.',
    facts: {
      amount: labels.amount.fr,
      available: 'Disponible maintenant',
      method: 'Payé par',
      reference: labels.reference.fr,
    },
    methods: {
      operator: 'crédit de l’exploitant',
      card: 'carte',
      lightning: 'Lightning',
      usdc_transfer: 'USDC',
      x402: 'USDC (x402)',
    },
  },
  chargedBack: {
    subject: (amount) => `${amount} ont été repris sur votre solde`,
    told: (amount) =>
      `Un versement sur votre solde a été repris, en tout ou en partie. ${amount} ont été débités de votre solde.`,
    reasons: {
      card: ['Le paiement par carte a été remboursé ou contesté.'],
      usdc_transfer: ['Le virement ne figure plus dans la blockchain.'],
      x402: ['Le paiement ne figure plus dans la blockchain.'],
      operator: ['L’exploitant du service a corrigé un crédit.'],
    },
    belowZero:
      'Votre solde est négatif. Aucune lettre n’est envoyée tant qu’il n’est pas de nouveau positif.',
  },
  breached: {
    subject: (amount) => `${amount} ont été facturés pour votre contrat de volume`,
    told: (amount) =>
      `Une période de votre contrat de volume s’est terminée avec moins de lettres que convenu. Ses lettres sont facturées sans remise : ${amount} ont été débités de votre solde, commission comprise.`,
    contract: 'Contrat',
    agreed: 'Lettres convenues',
    counted: 'Lettres comptées',
  },
  orderPaid: {
    subject: (amount) => `Une commande a été payée : ${amount}`,
    told: (amount) =>
      `Le paiement par carte d’une commande est arrivé. ${amount} sont réservés pour la lettre de la commande ; votre solde ne change pas.`,
  },
  orderCredited: {
    subject: 'Une commande a été payée, mais sa lettre n’est pas partie',
    told: 'Le paiement par carte d’une commande est arrivé, mais sa lettre n’est pas partie.',
    advice:
      'L’argent est sur votre solde. Remboursez le payeur chez votre prestataire de cartes, ou envoyez la lettre avec ce crédit.',
  },
  webhook: {
    subject: 'Votre webhook a été désactivé',
    auditSubject: 'Un webhook d’audit a été désactivé',
    told: (reason) => `Votre webhook de statut n’est plus appelé. ${reason}`,
    auditTold: (id, reason) => `Votre webhook d’audit ${id} n’est plus appelé. ${reason}`,
    advice:
      'Redéfinissez webhook_url (PUT /api/settings) quand il fonctionne ; GET /api/notifications liste ce qui s’est passé entre-temps. La page des webhooks de la console l’envoie.',
    auditAdvice:
      'Enregistrez de nouveau son URL (POST /api/identity/audit/subscribe) quand il fonctionne. POST /api/identity/audit/subscribe/{id}/replay livre ensuite au nouveau webhook les événements survenus depuis une date.',
    reasons: {
      gone: 'Son adresse a répondu 410 (Gone).',
      failing: 'Toutes les tentatives de l’atteindre ont échoué pendant cinq jours.',
    },
  },
};

export const accountWords: Record<Language, typeof en> = { en, de, fr };
