/** Texts of the page of an approval, by language. */
import type { Language } from '../../postal/stationery.ts';
import type { ApprovalState } from '../../presenters/approval-page.ts';
import { labels } from '../../presenters/labels.ts';

type Said = { title: string; lead: string };

/** Texts about approvals of one kind. */
type KindWords = {
  kind: string;
  states: Record<ApprovalState, Said>;
  quorum: string;
  approve: string;
  /** Why a decision was not recorded, by the code of the error. */
  problems: Record<string, string>;
  access: { title: string; detail: readonly string[] };
};

type ApprovalWords = {
  letter: KindWords;
  policy_change: KindWords;
  facts: Record<
    | ('to' | 'from' | 'price' | 'service' | 'pages' | 'reasons' | 'until' | 'letter' | 'approval')
    | ('sendDate' | 'policy' | 'requestedBy'),
    string
  >;
  test: string;
  pictures: string;
  page(number: number, of: number): string;
  decide: string;
  note: string;
  reject: string;
  reason: string;
  reasonHint: string;
  problem: string;
  /** For approvals of every kind. */
  problems: Record<string, string>;
  /** For every other code, by which the service could not do it now. */
  laterProblem: string;
  /** For every code that has no words here. */
  otherProblem: string;
  nothing: { title: string; detail: string };
};

const en: ApprovalWords = {
  letter: {
    kind: 'Approval of a letter',
    states: {
      pending: {
        title: 'Send this letter?',
        lead: 'A policy of the account lets this letter wait until you decide. Its price is reserved, and nothing is printed yet.',
      },
      given: {
        title: 'You approved this letter',
        lead: 'Another approver must approve it too before it is sent.',
      },
      removed: {
        title: 'You no longer decide on this letter',
        lead: 'The account names other approvers now.',
      },
      approved: {
        title: 'The letter is approved',
        lead: 'It is sent, or was sent already. Nothing is left to decide.',
      },
      rejected: {
        title: 'The letter was rejected',
        lead: 'It is not sent, and its price was given back. Nothing is left to decide.',
      },
      expired: {
        title: 'The time to decide is over',
        lead: 'The letter was not sent, and its price was given back. Its sender can send it again.',
      },
      superseded: {
        title: 'This request is no longer valid',
        lead: 'The letter was changed, cancelled, deleted or sent again. If it still needs your approval, you get another e-mail.',
      },
    },
    quorum: 'Two approvers must approve this letter.',
    approve: 'Approve and send',
    problems: {
      frozen: 'The account or the sender of the letter is frozen.',
      policy_denied: 'A policy of the account denies this letter by now, so it cannot be approved.',
      insufficient_funds:
        'The wallet of the account is below zero. Approve again once it is topped up.',
    },
    access: {
      title: 'A letter waits for approval',
      detail: [
        'This page shows a letter only to its approvers. Open the link in the e-mail that was sent to you.',
        'Without an e-mail, approve or reject it with an API key of the account (POST /api/approvals/{id}/approve), or ask the operator of the service.',
      ],
    },
  },
  policy_change: {
    kind: 'Approval of a change of rules',
    states: {
      pending: {
        title: 'Change this policy?',
        lead: 'Somebody asks to change a policy of the account. Nothing changes until you decide.',
      },
      given: {
        title: 'You approved this change',
        lead: 'Another approver must approve it too before the policy changes.',
      },
      removed: {
        title: 'You no longer decide on this change',
        lead: 'The account names other approvers now.',
      },
      approved: {
        title: 'The change is approved',
        lead: 'The policy was changed. Nothing is left to decide.',
      },
      rejected: {
        title: 'The change was rejected',
        lead: 'The policy stays as it is. Nothing is left to decide.',
      },
      expired: {
        title: 'The time to decide is over',
        lead: 'The policy stays as it is. The change can be asked for again.',
      },
      superseded: {
        title: 'This request is no longer valid',
        lead: 'The policy changed since, or another change of it was asked for. If that one needs your approval, you get another e-mail.',
      },
    },
    quorum: 'Two approvers must approve this change.',
    approve: 'Approve the change',
    problems: { frozen: 'The account or the credential that asked for the change is frozen.' },
    access: {
      title: 'A change of a policy waits for approval',
      detail: [
        'This page shows a change of a policy only to its approvers. Open the link in the e-mail that was sent to you.',
        'Without an e-mail, approve or reject it with an API key of the account (POST /api/policy-changes/{id}/approve), or ask the operator of the service.',
      ],
    },
  },
  facts: {
    to: 'To',
    from: 'From',
    price: labels.price.en,
    service: labels.service.en,
    sendDate: labels.sendDate.en,
    pages: labels.pages.en,
    reasons: 'Held by',
    until: 'Decide by',
    letter: labels.letter.en,
    approval: 'Approval',
    policy: labels.policyOf.en,
    requestedBy: labels.requestedBy.en,
  },
  test: 'This is a test letter: nothing is printed or posted.',
  pictures: 'The letter',
  page: (number, of) => `Page ${number} of ${of} as it is printed`,
  decide: 'Your decision',
  note: 'Your decision is recorded with your e-mail address as the approver. It cannot be taken back here.',
  reject: labels.reject.en,
  reason: 'Reason, if you reject it (optional)',
  reasonHint: 'The owner of the account can read it.',
  problem: 'Your decision was not recorded',
  problems: {
    account_blocked: 'The operator of the service blocked the account.',
    account_closing:
      'The account is going to be erased, so it no longer sends or changes anything.',
    key_revoked: 'The key that asked for it was revoked.',
    approver_not_allowed: 'The account names other approvers now.',
    approver_is_requester: 'You asked for it yourself. Another approver must decide.',
    conflict: 'Something changed at the same moment. Please decide again.',
  },
  laterProblem: labels.tryLater.en,
  otherProblem: 'The account does not allow it now. Please ask its owner.',
  nothing: {
    title: 'This link is not valid',
    detail: 'Copy the whole link from the e-mail, and open it again.',
  },
};

const de: ApprovalWords = {
  letter: {
    kind: 'Freigabe eines Briefes',
    states: {
      pending: {
        title: 'Diesen Brief verschicken?',
        lead: 'Nach einer Regel des Kontos wartet dieser Brief auf Ihre Entscheidung. Sein Preis ist vorgemerkt, gedruckt ist noch nichts.',
      },
      given: {
        title: 'Sie haben diesen Brief freigegeben',
        lead: 'Bevor er verschickt wird, muss ihn noch eine zweite Person freigeben.',
      },
      removed: {
        title: 'Sie entscheiden nicht mehr über diesen Brief',
        lead: 'Das Konto nennt inzwischen andere Personen für die Freigabe.',
      },
      approved: {
        title: 'Der Brief ist freigegeben',
        lead: 'Er wird verschickt oder ist es schon. Es gibt nichts mehr zu entscheiden.',
      },
      rejected: {
        title: 'Der Brief wurde abgelehnt',
        lead: 'Er wird nicht verschickt, und sein Preis wurde zurückgegeben. Es gibt nichts mehr zu entscheiden.',
      },
      expired: {
        title: 'Die Frist ist abgelaufen',
        lead: 'Der Brief wurde nicht verschickt, und sein Preis wurde zurückgegeben. Der Absender kann ihn erneut senden.',
      },
      superseded: {
        title: 'Diese Anfrage gilt nicht mehr',
        lead: 'Der Brief wurde geändert, storniert, gelöscht oder erneut gesendet. Wenn er noch Ihre Freigabe braucht, erhalten Sie eine neue E-Mail.',
      },
    },
    quorum: 'Zwei Personen müssen diesen Brief freigeben.',
    approve: 'Freigeben und verschicken',
    problems: {
      frozen: 'Das Konto oder der Absender des Briefes ist eingefroren.',
      policy_denied:
        'Eine Regel des Kontos verbietet diesen Brief inzwischen; er kann nicht freigegeben werden.',
      insufficient_funds:
        'Das Guthaben des Kontos ist unter null. Geben Sie den Brief frei, sobald es aufgeladen ist.',
    },
    access: {
      title: 'Ein Brief wartet auf Freigabe',
      detail: [
        'Diese Seite zeigt einen Brief nur denen, die über ihn entscheiden. Öffnen Sie den Link in der E-Mail, die Sie erhalten haben.',
        'Ohne E-Mail entscheiden Sie mit einem API-Schlüssel des Kontos (POST /api/approvals/{id}/approve), oder Sie wenden sich an den Betreiber des Dienstes.',
      ],
    },
  },
  policy_change: {
    kind: 'Freigabe einer Änderung von Regeln',
    states: {
      pending: {
        title: 'Diese Regeln ändern?',
        lead: 'Jemand möchte Regeln des Kontos ändern. Bis zu Ihrer Entscheidung ändert sich nichts.',
      },
      given: {
        title: 'Sie haben diese Änderung freigegeben',
        lead: 'Bevor sie gilt, muss sie noch eine zweite Person freigeben.',
      },
      removed: {
        title: 'Sie entscheiden nicht mehr über diese Änderung',
        lead: 'Das Konto nennt inzwischen andere Personen für die Freigabe.',
      },
      approved: {
        title: 'Die Änderung ist freigegeben',
        lead: 'Die Regeln wurden geändert. Es gibt nichts mehr zu entscheiden.',
      },
      rejected: {
        title: 'Die Änderung wurde abgelehnt',
        lead: 'Die Regeln bleiben, wie sie sind. Es gibt nichts mehr zu entscheiden.',
      },
      expired: {
        title: 'Die Frist ist abgelaufen',
        lead: 'Die Regeln bleiben, wie sie sind. Die Änderung kann erneut angefragt werden.',
      },
      superseded: {
        title: 'Diese Anfrage gilt nicht mehr',
        lead: 'Die Regeln wurden inzwischen geändert, oder eine andere Änderung wurde angefragt. Wenn diese Ihre Freigabe braucht, erhalten Sie eine neue E-Mail.',
      },
    },
    quorum: 'Zwei Personen müssen diese Änderung freigeben.',
    approve: 'Änderung freigeben',
    problems: {
      frozen: 'Das Konto oder der Schlüssel, der die Änderung angefragt hat, ist eingefroren.',
    },
    access: {
      title: 'Eine Änderung von Regeln wartet auf Freigabe',
      detail: [
        'Diese Seite zeigt eine Änderung nur denen, die über sie entscheiden. Öffnen Sie den Link in der E-Mail, die Sie erhalten haben.',
        'Ohne E-Mail entscheiden Sie mit einem API-Schlüssel des Kontos (POST /api/policy-changes/{id}/approve), oder Sie wenden sich an den Betreiber des Dienstes.',
      ],
    },
  },
  facts: {
    to: 'An',
    from: 'Von',
    price: labels.price.de,
    service: labels.service.de,
    sendDate: labels.sendDate.de,
    pages: labels.pages.de,
    reasons: 'Regel',
    until: 'Entscheiden bis',
    letter: labels.letter.de,
    approval: 'Freigabe',
    policy: labels.policyOf.de,
    requestedBy: labels.requestedBy.de,
  },
  test: 'Dies ist ein Testbrief: Gedruckt und verschickt wird nichts.',
  pictures: 'Der Brief',
  page: (number, of) => `Seite ${number} von ${of}, wie sie gedruckt wird`,
  decide: 'Ihre Entscheidung',
  note: 'Ihre Entscheidung wird mit Ihrer E-Mail-Adresse festgehalten. Sie lässt sich hier nicht zurücknehmen.',
  reject: labels.reject.de,
  reason: 'Grund, falls Sie ablehnen (freiwillig)',
  reasonHint: 'Der Inhaber des Kontos kann ihn lesen.',
  problem: 'Ihre Entscheidung wurde nicht festgehalten',
  problems: {
    account_blocked: 'Der Betreiber des Dienstes hat das Konto gesperrt.',
    account_closing: 'Das Konto wird geschlossen; es verschickt und ändert nichts mehr.',
    key_revoked: 'Der Schlüssel, mit dem angefragt wurde, ist widerrufen.',
    approver_not_allowed: 'Das Konto nennt inzwischen andere Personen für die Freigabe.',
    approver_is_requester: 'Sie haben selbst angefragt. Eine andere Person muss entscheiden.',
    conflict: 'Im selben Augenblick hat sich etwas geändert. Bitte entscheiden Sie noch einmal.',
  },
  laterProblem: labels.tryLater.de,
  otherProblem: 'Das Konto lässt es zurzeit nicht zu. Bitte fragen Sie seinen Inhaber.',
  nothing: {
    title: 'Dieser Link ist nicht gültig',
    detail: 'Kopieren Sie den ganzen Link aus der E-Mail und öffnen Sie ihn noch einmal.',
  },
};

const fr: ApprovalWords = {
  letter: {
    kind: 'Approbation d’une lettre',
    states: {
      pending: {
        title: 'Envoyer cette lettre ?',
        lead: 'Selon une règle du compte, cette lettre attend votre décision. Son prix est réservé, et rien n’est encore imprimé.',
      },
      given: {
        title: 'Vous avez approuvé cette lettre',
        lead: 'Une autre personne doit l’approuver aussi avant l’envoi.',
      },
      removed: {
        title: 'Vous ne décidez plus de cette lettre',
        lead: 'Le compte désigne désormais d’autres personnes.',
      },
      approved: {
        title: 'La lettre est approuvée',
        lead: 'Elle est envoyée, ou l’a déjà été. Il n’y a plus rien à décider.',
      },
      rejected: {
        title: 'La lettre a été refusée',
        lead: 'Elle n’est pas envoyée, et son prix a été rendu. Il n’y a plus rien à décider.',
      },
      expired: {
        title: 'Le délai est écoulé',
        lead: 'La lettre n’a pas été envoyée, et son prix a été rendu. L’expéditeur peut l’envoyer à nouveau.',
      },
      superseded: {
        title: 'Cette demande n’est plus valable',
        lead: 'La lettre a été modifiée, annulée, supprimée ou envoyée à nouveau. Si elle attend encore votre approbation, vous recevez un autre e-mail.',
      },
    },
    quorum: 'Deux personnes doivent approuver cette lettre.',
    approve: 'Approuver et envoyer',
    problems: {
      frozen: 'Le compte ou l’expéditeur de la lettre est gelé.',
      policy_denied:
        'Une règle du compte interdit désormais cette lettre ; elle ne peut pas être approuvée.',
      insufficient_funds:
        'Le solde du compte est négatif. Approuvez la lettre une fois qu’il est rechargé.',
    },
    access: {
      title: 'Une lettre attend une approbation',
      detail: [
        'Cette page ne montre une lettre qu’aux personnes qui en décident. Ouvrez le lien de l’e-mail que vous avez reçu.',
        'Sans e-mail, décidez avec une clé API du compte (POST /api/approvals/{id}/approve), ou adressez-vous à l’exploitant du service.',
      ],
    },
  },
  policy_change: {
    kind: 'Approbation d’une modification de règles',
    states: {
      pending: {
        title: 'Modifier ces règles ?',
        lead: 'Quelqu’un demande de modifier des règles du compte. Rien ne change avant votre décision.',
      },
      given: {
        title: 'Vous avez approuvé cette modification',
        lead: 'Une autre personne doit l’approuver aussi avant qu’elle ne s’applique.',
      },
      removed: {
        title: 'Vous ne décidez plus de cette modification',
        lead: 'Le compte désigne désormais d’autres personnes.',
      },
      approved: {
        title: 'La modification est approuvée',
        lead: 'Les règles ont été modifiées. Il n’y a plus rien à décider.',
      },
      rejected: {
        title: 'La modification a été refusée',
        lead: 'Les règles restent telles qu’elles sont. Il n’y a plus rien à décider.',
      },
      expired: {
        title: 'Le délai est écoulé',
        lead: 'Les règles restent telles qu’elles sont. La modification peut être demandée à nouveau.',
      },
      superseded: {
        title: 'Cette demande n’est plus valable',
        lead: 'Les règles ont changé depuis, ou une autre modification a été demandée. Si celle-ci attend votre approbation, vous recevez un autre e-mail.',
      },
    },
    quorum: 'Deux personnes doivent approuver cette modification.',
    approve: 'Approuver la modification',
    problems: { frozen: 'Le compte ou la clé qui a demandé la modification est gelé.' },
    access: {
      title: 'Une modification de règles attend une approbation',
      detail: [
        'Cette page ne montre une modification qu’aux personnes qui en décident. Ouvrez le lien de l’e-mail que vous avez reçu.',
        'Sans e-mail, décidez avec une clé API du compte (POST /api/policy-changes/{id}/approve), ou adressez-vous à l’exploitant du service.',
      ],
    },
  },
  facts: {
    to: 'À',
    from: 'De',
    price: labels.price.fr,
    service: labels.service.fr,
    sendDate: labels.sendDate.fr,
    pages: labels.pages.fr,
    reasons: 'Règle',
    until: 'Décider avant le',
    letter: labels.letter.fr,
    approval: 'Approbation',
    policy: labels.policyOf.fr,
    requestedBy: labels.requestedBy.fr,
  },
  test: 'Ceci est une lettre de test : rien n’est imprimé ni posté.',
  pictures: 'La lettre',
  page: (number, of) => `Page ${number} sur ${of}, telle qu’elle est imprimée`,
  decide: 'Votre décision',
  note: 'Votre décision est enregistrée avec votre adresse e-mail. Elle ne peut pas être annulée ici.',
  reject: labels.reject.fr,
  reason: 'Motif en cas de refus (facultatif)',
  reasonHint: 'Le titulaire du compte peut le lire.',
  problem: 'Votre décision n’a pas été enregistrée',
  problems: {
    account_blocked: 'L’exploitant du service a bloqué le compte.',
    account_closing: 'Le compte est en cours de fermeture : il n’envoie et ne modifie plus rien.',
    key_revoked: 'La clé qui a fait la demande a été révoquée.',
    approver_not_allowed: 'Le compte désigne désormais d’autres personnes.',
    approver_is_requester:
      'Vous avez fait la demande vous-même. Une autre personne doit en décider.',
    conflict: 'Quelque chose a changé au même moment. Veuillez décider à nouveau.',
  },
  laterProblem: labels.tryLater.fr,
  otherProblem: 'Le compte ne le permet pas pour l’instant. Adressez-vous à son titulaire.',
  nothing: {
    title: 'Ce lien n’est pas valable',
    detail: 'Copiez le lien entier de l’e-mail et ouvrez-le à nouveau.',
  },
};

export const approvalWords: Record<Language, ApprovalWords> = { en, de, fr };
