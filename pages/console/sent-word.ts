import type { Static } from 'typebox';
import type { SentLetter } from '../../presenters/letter-schemas.ts';
import type { Done } from './frame-words.ts';

/** The outcome of a sent letter. */
export const sentWord = ({
  status,
  hold_reason: reason,
}: Pick<Static<typeof SentLetter>, 'status' | 'hold_reason'>): Done => {
  if (status === 'queued') return 'sent';
  return reason === 'approval' ? 'held' : 'drafted';
};
