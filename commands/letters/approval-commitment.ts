/**
 * The subject of an approval: the document, the sender, the recipient, the reference, the service and the
 * price.
 */
import { hash } from 'node:crypto';
import type { LetterPersonal, LetterTerms } from '../../events/letter.ts';
import { chargeOfCents, totalOf } from '../../money/charge.ts';

const partsOf = (address: LetterPersonal['to']): (string | null)[] => [
  address.name,
  address.company ?? null,
  address.line1,
  address.line2 ?? null,
  address.postalCode,
  address.city,
  address.state ?? null,
  address.country,
];

/** A hash with the salt of the letter, from which nobody can guess the letter. */
export const approvalCommitment = (
  letterId: string,
  { commitment, service, color, duplex, price }: LetterTerms,
  { to, from, reference, salt }: LetterPersonal,
): string => {
  const totalMicro = String(totalOf(chargeOfCents(price.charge)));
  const approved = [letterId, commitment, service, color, duplex, totalMicro];
  const label = reference === undefined ? [] : [reference];
  const text = JSON.stringify([...approved, partsOf(to), partsOf(from), ...label]);
  return hash('sha256', `${salt}\n${text}`, 'base64url');
};
