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

export type ReturnReason = keyof typeof returnReasons;

export const isReturnReason = (code: string): code is ReturnReason =>
  Object.hasOwn(returnReasons, code);
