/**
 * Why a carrier returns a letter: the codes that mails put into the language of the letter. Any other code
 * is accepted and printed as it is.
 */
export const returnReasons = {
  returned_to_sender: 'returned without another reason',
  undeliverable_as_addressed: 'not deliverable as addressed',
  unknown_address: 'the address does not exist',
  unknown_recipient: 'the recipient is not known at the address',
  moved: 'the recipient has moved',
  refused: 'the recipient refused the letter',
  unclaimed: 'nobody collected the letter in time',
  deceased: 'the recipient has died',
} as const;

type ReturnReason = keyof typeof returnReasons;

/** The reasons in short, as mails and operator pages print them. */
export const returnReasonWords: Record<'en' | 'de' | 'fr', Record<ReturnReason, string>> = {
  en: {
    returned_to_sender: 'returned to sender',
    undeliverable_as_addressed: 'undeliverable as addressed',
    unknown_address: 'unknown address',
    unknown_recipient: 'unknown recipient',
    moved: 'moved',
    refused: 'refused',
    unclaimed: 'unclaimed',
    deceased: 'deceased',
  },
  de: {
    returned_to_sender: 'an den Absender zurück',
    undeliverable_as_addressed: 'unter dieser Anschrift nicht zustellbar',
    unknown_address: 'Anschrift unbekannt',
    unknown_recipient: 'Empfänger unbekannt',
    moved: 'Empfänger verzogen',
    refused: 'Annahme verweigert',
    unclaimed: 'nicht abgeholt',
    deceased: 'Empfänger verstorben',
  },
  fr: {
    returned_to_sender: 'retour à l’expéditeur',
    undeliverable_as_addressed: 'non distribuable à cette adresse',
    unknown_address: 'adresse inconnue',
    unknown_recipient: 'destinataire inconnu',
    moved: 'destinataire parti sans laisser d’adresse',
    refused: 'pli refusé',
    unclaimed: 'non réclamé',
    deceased: 'destinataire décédé',
  },
};

export const isReturnReason = (code: string): code is ReturnReason =>
  Object.hasOwn(returnReasons, code);
