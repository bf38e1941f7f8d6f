/** All commands of a letter as one decider. */
import {
  abandonSend,
  acceptJob,
  answerRecall,
  type CancelLetter,
  cancelLetter,
  draftLetter,
  eraseLetter,
  type Letter,
  queueLetter,
  reportProgress,
  startProduction,
  updateLetter,
} from '../../commands/letters/letter.ts';
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
