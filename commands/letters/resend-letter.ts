/** A letter once more, as a new letter: with the address as it was, or corrected. */
import type { LetterPersonal, LetterTerms } from '../../events/letter.ts';
import { usualIntent } from '../../postal/intents.ts';
import { bothAsIs } from '../preparation/check-letter.ts';
import { wasMadeToFit } from '../preparation/file-letter.ts';
import type { LetterContent, LetterInput } from '../preparation/letter-input.ts';
import { pageAddressOf } from '../preparation/page-address.ts';
import { withRecipient } from './own-letter.ts';

/** The metadata pair by which the new letter names the old one. */
const resendOf = 'resend_of';

type ResendParts = {
  letterId: string;
  terms: LetterTerms;
  personal: LetterPersonal;
  content: LetterContent;
  logo: Buffer | undefined;
};

const placementOf = ({ coverPage, addressInDocument }: LetterTerms): LetterInput['placement'] => {
  if (addressInDocument) return 'in_document';
  return coverPage ? 'insert_page' : 'stamp';
};

/**
 * The request that sends the letter again. A document that was made to fit is made to fit again. In another
 * country the service is chosen anew.
 */
export const resendInput = (
  { letterId, terms, personal, content, logo }: ResendParts,
  changes: Partial<LetterInput['to']>,
  { metadataPairs }: { metadataPairs: number },
): LetterInput => {
  const { stationery } = personal;
  const { [resendOf]: _, ...metadata } = personal.metadata ?? {};
  const linked = Object.keys(metadata).length < metadataPairs;
  const letter: LetterInput = {
    to: personal.to as LetterInput['to'],
    from: personal.from as LetterInput['from'],
    content,
    service: terms.service as LetterInput['service'],
    intent: terms.intent as LetterInput['intent'],
    color: terms.color,
    duplex: terms.duplex,
    // Of its day, unless it had none.
    stationery: {
      language: stationery?.language,
      date: stationery?.date === false ? false : undefined,
      footer: stationery?.footer,
      logo,
    },
    reference: personal.reference,
    metadata: linked ? { ...metadata, [resendOf]: letterId } : metadata,
    autoFix: wasMadeToFit(personal),
    placement: placementOf(terms),
    pageAddress: pageAddressOf({ terms, personal }),
    acceptAddressAsIs: bothAsIs(true),
  };
  const again = withRecipient(letter, changes);
  // Every letter has the usual intent unless its sender asked for another one.
  const isUsual = again.service !== undefined && again.intent === usualIntent;
  return isUsual ? { ...again, intent: undefined } : again;
};
