/** A letter that is written already, as the body that makes a draft of it. */
import { erasedText } from '../../../presenters/common.ts';
import { addressParts } from '../address-fields.ts';
import type { Letter } from '../letter-shown.ts';

/**
 * Whether the page can offer the letter as a new draft. A PDF cannot be copied: the service returns it as printed,
 * with an address on it.
 */
export const isCopyable = ({ status, content }: Letter): boolean =>
  status !== 'draft' && typeof content === 'string' && content !== erasedText;

/** Everything that the letter shows of itself. Its send date has passed, and its logo and footer are not shown. */
export const copyOf = (letter: Letter): Record<string, unknown> => {
  const addresses = (['to', 'from'] as const).flatMap((side) =>
    addressParts.map((part): [string, string | null] => {
      const name = `${side}_${part}` as const;
      return [name, letter[name]];
    }),
  );
  const { content, content_type, service, intent, color, duplex, reference, metadata, language } =
    letter;
  const said = [
    ...addresses,
    ...Object.entries({ content, content_type, service, intent, reference, language }),
  ].filter(([, value]) => value !== null && value !== undefined);
  // The addresses of the letter were accepted before.
  const asIs = { accept_address_as_is: true };
  return { ...Object.fromEntries(said), ...asIs, metadata, color, duplex, draft: true };
};
