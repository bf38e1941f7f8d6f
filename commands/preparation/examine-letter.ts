/** Examining a letter that is sent, drafted or changed. */

import type { CallerRef } from '../../limits/turn.ts';
import type { KeptDiscount } from '../../money/discount.ts';
import type { AgreedPrice } from './agreed-price.ts';
import { createExamine, type ExaminePorts, openContent, openSides } from './examine.ts';
import { wasMadeToFit } from './file-letter.ts';
import type { KeptDocument, LetterInput } from './letter-input.ts';

export type Owner = {
  letterId: string;
  accountId: string;
  /** Absent: the account, from wherever. */
  by?: CallerRef | undefined;
  test: boolean;
  /** Of a letter that is paid already: its discount stays. */
  kept?: KeptDiscount;
};

/** The service and the intent as the letter names them, or as they were agreed. */
const agreedTerms = ({ service: named, intent }: LetterInput, agreed: AgreedPrice | undefined) => {
  const service = named ?? agreed?.service;
  return {
    service,
    wasOffered: agreed?.wasOffered === true && service === agreed.service,
    intent: intent ?? agreed?.intent,
  };
};

export const createExamineLetter = (ports: ExaminePorts) => {
  const examine = createExamine(ports);

  /**
   * Checks and prices a letter.
   * @param releaseAt epoch ms at which it may leave at the earliest
   * @param document of the letter, when it has one already
   */
  return async (
    input: LetterInput,
    owner: Owner,
    releaseAt: number,
    agreed?: AgreedPrice,
    document?: KeptDocument,
  ) => {
    agreed?.assertFor?.(input);
    const { accountId, test, kept, by = { account: accountId } } = owner;
    const sides = await openSides(input, input.acceptAddressAsIs, ports.metrics);
    const { to, from } = sides.addresses;
    const { country } = to;
    const content = await openContent(input.content, country, by, ports);
    // HTML is kept in its original form: content that was made to fit once is made to fit again.
    const isShrunk = document?.terms.kind === 'html' && wasMadeToFit(document.personal);
    const autoFix = input.autoFix || isShrunk;
    const letter = { ...input, ...agreedTerms(input, agreed), country, autoFix };
    const found = await examine(
      letter,
      { sides, content },
      { accountId, by, test, kept },
      {
        releaseAt,
        kept: document,
        priceOf: (today) => agreed?.priceOf(today, input, ports.prices()) ?? today,
      },
    );
    return { to, from, warnings: sides.warnings, content, ...found };
  };
};

/** A letter that was found to be in order, with its price. */
export type Examined = Awaited<ReturnType<ReturnType<typeof createExamineLetter>>>;
