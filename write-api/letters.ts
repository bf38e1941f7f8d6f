import type { AnyOperation } from '../contract/operation.ts';
import type { LetterContext } from './context.ts';
import { advanceOperation } from './letters/advance.ts';
import { cancelOperation } from './letters/cancel.ts';
import { updateOperation } from './letters/change.ts';
import { deleteOperation } from './letters/delete.ts';
import { sendOperation } from './letters/send.ts';

/** What can be done with letters, one file each. */
export const letterOperations = (context: LetterContext): AnyOperation[] => [
  sendOperation(context),
  updateOperation(context),
  cancelOperation(context),
  deleteOperation(context),
  advanceOperation(context),
];
