import type { ErrorCode, FieldError } from '../contract/errors.ts';

/** A job for a thread: call the function `name` of a module. */
export type ThreadJob = { module: string; name: string; input: unknown };

type Spent = {
  /** CPU time of the task. */
  cpuMs: number;
  heldBytes: number;
};

export type ThreadAnswer =
  | { kind: 'ready' }
  /** The modules of the task are loaded: its time limit begins. */
  | { kind: 'began' }
  | ({ kind: 'done'; output: unknown } & Spent)
  /** The task threw an AppError. */
  | ({
      kind: 'refused';
      code: ErrorCode;
      detail: string;
      more: {
        errors: FieldError[] | undefined;
        extra: Record<string, unknown> | undefined;
        headers: Record<string, string> | undefined;
      };
    } & Spent)
  | { kind: 'failed'; reason: string };
