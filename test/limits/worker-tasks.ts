/** Tasks for the tests of the pool. */
import { AppError } from '../../contract/errors.ts';
import { workClock } from '../../limits/budgets.ts';

let opened = 0;

export const open = async (): Promise<void> => {
  opened++;
};

export const double = ({ n }: { n: number }): number => 2 * n;

export const timesOpened = (): number => opened;

export const sizeOf = ({ bytes }: { bytes: Uint8Array }): { size: number; copy: Uint8Array } => ({
  size: bytes.byteLength,
  copy: new Uint8Array(bytes),
});

export const refuse = (): never => {
  throw new AppError('validation_failed', 'No.', {
    errors: [{ pointer: '/logo', code: 'no', detail: 'No.' }],
  });
};

export const fail = (): never => {
  throw new Error('broken');
};

export const forever = (): never => {
  for (;;);
};

export const fillMemory = (): number => {
  const all: number[][] = [];
  for (;;) all.push(new Array(100_000).fill(all.length));
};

/** Works for this much CPU time. */
export const work = ({ ms }: { ms: number }): number => {
  const until = workClock.workedMs() + ms;
  let steps = 0;
  while (workClock.workedMs() < until) steps++;
  return steps;
};
