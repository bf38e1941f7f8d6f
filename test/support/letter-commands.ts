/** All commands of a letter as one decider. */

import {
  answerRecall,
  type CancelLetter,
  cancelLetter,
  eraseLetter,
  type Letter,
} from '../../commands/letters/letter.ts';
import {
  abandonSend,
  draftLetter,
  queueLetter,
  updateLetter,
} from '../../commands/letters/letter-drafts.ts';
import {
  acceptJob,
  reportProgress,
  startProduction,
} from '../../commands/letters/letter-production.ts';
import type { LetterEvent } from '../../events/letter.ts';
import { type CommandOf, decideBy } from './decider-spec.ts';

const verbs = {
  DraftLetter: draftLetter,
  QueueLetter: queueLetter,
  AbandonSend: abandonSend,
  UpdateLetter: updateLetter,
  CancelLetter: (state: Letter, _command: CancelLetter) => cancelLetter(state),
  AnswerRecall: answerRecall,
  StartProduction: startProduction,
  AcceptJob: acceptJob,
  ReportProgress: reportProgress,
  EraseLetter: eraseLetter,
};

export type LetterCommand = CommandOf<typeof verbs>;
export const decide = decideBy<Letter, LetterEvent, typeof verbs>(verbs);
