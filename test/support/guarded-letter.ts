/** A letter as policies see it. A test replaces what it needs. */
export const guardedLetter = <T extends object = object>(more?: T) => ({
  country: 'DE',
  service: 'any',
  intent: 'transactional',
  contentKind: 'text' as const,
  recipient: () => 'x'.repeat(43),
  isKnownRecipient: () => false,
  ...more,
});
