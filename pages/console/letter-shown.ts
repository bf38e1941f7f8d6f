import type { Static } from 'typebox';
import { erasedText } from '../../presenters/common.ts';
import type { LetterDetail } from '../../presenters/letter-schemas.ts';

export type AddressPart =
  | 'name'
  | 'company'
  | 'line1'
  | 'line2'
  | 'city'
  | 'state'
  | 'postal_code'
  | 'country';

/** A letter as the operations answer it. Its schema makes the names of the address parts at run time. */
export type Letter = Static<typeof LetterDetail> &
  Record<`${'to' | 'from'}_${AddressPart}`, string | null>;

/** Whether its personal data were erased. A postal code has no brackets, whatever address was accepted as it is written. */
export const isErased = ({ to_postal_code: code }: Pick<Letter, 'to_postal_code'>): boolean =>
  code === erasedText;
