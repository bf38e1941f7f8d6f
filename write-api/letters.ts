import type { AnyOperation } from '../contract/operation.ts';
import { type AdvancePorts, advanceOperation } from './letters/advance.ts';
import { type CancelPorts, cancelOperation } from './letters/cancel.ts';
import { type ChangePorts, updateOperation } from './letters/change.ts';
import { type DeletePorts, deleteOperation } from './letters/delete.ts';
import { type SendPorts, sendOperation } from './letters/send.ts';

type LetterPorts = SendPorts & ChangePorts & CancelPorts & DeletePorts & AdvancePorts;

/** Operations on letters, one file each. */
export const letterOperations = (ports: LetterPorts): AnyOperation[] => [
  sendOperation(ports),
  updateOperation(ports),
  cancelOperation(ports),
  deleteOperation(ports),
  advanceOperation(ports),
];
