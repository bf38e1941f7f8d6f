/** Texts of the page of an approval, by language. */
import type { Language } from '../../postal/stationery.ts';
import type { ApprovalState } from '../../presenters/approval-page.ts';

type Said = { title: string; lead: string };

export type ApprovalWords = {
  kind: string;
  states: Record<ApprovalState, Said>;
  facts: Record<
    'to' | 'from' | 'price' | 'service' | 'pages' | 'reasons' | 'until' | 'letter' | 'approval',
    string
  >;
  quorum: string;
  test: string;
  letter: string;
  page(number: number, of: number): string;
  decide: string;
  note: string;
  approve: string;
  reject: string;
  reason: string;
  reasonHint: string;
  /** Why a decision was not recorded, by the code of the error. */
  problem: string;
  problems: Record<string, string>;
  access: { title: string; detail: readonly string[] };
  nothing: { title: string; detail: string };
};

const en: ApprovalWords = {
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
  facts: {
    to: 'To',
    from: 'From',
    price: 'Price',
    service: 'Service',
    pages: 'Pages',
    reasons: 'Held by',
    until: 'Decide by',
    letter: 'Letter',
    approval: 'Approval',
  },
  quorum: 'Two approvers must approve this letter.',
  test: 'This is a test letter: nothing is printed or posted.',
  letter: 'The letter',
  page: (number, of) => `Page ${number} of ${of} as it is printed`,
  decide: 'Your decision',
  note: 'Your decision is recorded with your e-mail address as the approver. It cannot be taken back here.',
  approve: 'Approve and send',
  reject: 'Reject',
  reason: 'Reason, if you reject it (optional)',
  reasonHint: 'The owner of the account can read it.',
  problem: 'Your decision was not recorded',
  problems: {
    frozen: 'The account or the sender of the letter is frozen.',
    policy_denied: 'A policy of the account denies this letter by now, so it cannot be approved.',
    approver_not_allowed: 'The account names other approvers now.',
    conflict: 'Something changed at the same moment. Please decide again.',
  },
  access: {
    title: 'A letter waits for approval',
    detail: [
      'This page shows a letter only to its approvers. Open the link in the e-mail that was sent to you.',
      'Without an e-mail, approve or reject it with an API key of the account (POST /api/approvals/{id}/approve), or ask the operator of the service.',
    ],
  },
  nothing: {
    title: 'This link is not valid',
    detail: 'Copy the whole link from the e-mail, and open it again.',
  },
};

const de: ApprovalWords = {
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
  facts: {
    to: 'An',
    from: 'Von',
    price: 'Preis',
    service: 'Versandart',
    pages: 'Seiten',
    reasons: 'Regel',
    until: 'Entscheiden bis',
    letter: 'Brief',
    approval: 'Freigabe',
  },
  quorum: 'Zwei Personen müssen diesen Brief freigeben.',
  test: 'Dies ist ein Testbrief: Gedruckt und verschickt wird nichts.',
  letter: 'Der Brief',
  page: (number, of) => `Seite ${number} von ${of}, wie sie gedruckt wird`,
  decide: 'Ihre Entscheidung',
  note: 'Ihre Entscheidung wird mit Ihrer E-Mail-Adresse festgehalten. Sie lässt sich hier nicht zurücknehmen.',
  approve: 'Freigeben und verschicken',
  reject: 'Ablehnen',
  reason: 'Grund, falls Sie ablehnen (freiwillig)',
  reasonHint: 'Der Inhaber des Kontos kann ihn lesen.',
  problem: 'Ihre Entscheidung wurde nicht festgehalten',
  problems: {
    frozen: 'Das Konto oder der Absender des Briefes ist gesperrt.',
    policy_denied:
      'Eine Regel des Kontos verbietet diesen Brief inzwischen; er kann nicht freigegeben werden.',
    approver_not_allowed: 'Das Konto nennt inzwischen andere Personen für die Freigabe.',
    conflict: 'Im selben Augenblick hat sich etwas geändert. Bitte entscheiden Sie noch einmal.',
  },
  access: {
    title: 'Ein Brief wartet auf Freigabe',
    detail: [
      'Diese Seite zeigt einen Brief nur denen, die über ihn entscheiden. Öffnen Sie den Link in der E-Mail, die Sie erhalten haben.',
      'Ohne E-Mail entscheiden Sie mit einem API-Schlüssel des Kontos (POST /api/approvals/{id}/approve), oder Sie wenden sich an den Betreiber des Dienstes.',
    ],
  },
  nothing: {
    title: 'Dieser Link ist nicht gültig',
    detail: 'Kopieren Sie den ganzen Link aus der E-Mail und öffnen Sie ihn noch einmal.',
  },
};

const fr: ApprovalWords = {
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
  facts: {
    to: 'À',
    from: 'De',
    price: 'Prix',
    service: 'Service',
    pages: 'Pages',
    reasons: 'Règle',
    until: 'Décider avant le',
    letter: 'Lettre',
    approval: 'Approbation',
  },
  quorum: 'Deux personnes doivent approuver cette lettre.',
  test: 'Ceci est une lettre de test : rien n’est imprimé ni posté.',
  letter: 'La lettre',
  page: (number, of) => `Page ${number} sur ${of}, telle qu’elle est imprimée`,
  decide: 'Votre décision',
  note: 'Votre décision est enregistrée avec votre adresse e-mail. Elle ne peut pas être annulée ici.',
  approve: 'Approuver et envoyer',
  reject: 'Refuser',
  reason: 'Motif en cas de refus (facultatif)',
  reasonHint: 'Le titulaire du compte peut le lire.',
  problem: 'Votre décision n’a pas été enregistrée',
  problems: {
    frozen: 'Le compte ou l’expéditeur de la lettre est bloqué.',
    policy_denied:
      'Une règle du compte interdit désormais cette lettre ; elle ne peut pas être approuvée.',
    approver_not_allowed: 'Le compte désigne désormais d’autres personnes.',
    conflict: 'Quelque chose a changé au même moment. Veuillez décider à nouveau.',
  },
  access: {
    title: 'Une lettre attend une approbation',
    detail: [
      'Cette page ne montre une lettre qu’aux personnes qui en décident. Ouvrez le lien de l’e-mail que vous avez reçu.',
      'Sans e-mail, décidez avec une clé d’API du compte (POST /api/approvals/{id}/approve), ou adressez-vous à l’exploitant du service.',
    ],
  },
  nothing: {
    title: 'Ce lien n’est pas valable',
    detail: 'Copiez le lien entier de l’e-mail et ouvrez-le à nouveau.',
  },
};

export const approvalWords: Record<Language, ApprovalWords> = { en, de, fr };
