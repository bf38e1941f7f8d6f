/** A link that signs a person in to the console, as callers see it. */
import type { Static } from 'typebox';
import { Type } from '../ground/type.ts';
import { Timestamp } from './common.ts';

export const ConsoleLink = Type.Named('ConsoleLink', {
  url: Type.String({
    format: 'uri',
    description: 'Give it to one person. It is a secret until it is used.',
  }),
  expires_at: Timestamp,
});

export const presentConsoleLink = (url: string, expiresAt: Date): Static<typeof ConsoleLink> => ({
  url,
  expires_at: expiresAt.toISOString(),
});
