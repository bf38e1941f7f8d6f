import type { TraceParent } from '../ground/tracing.ts';

/**
 * Which trace appended an event. It is kept apart from the log: events hold nothing of traces, and a process that
 * exports no spans has none of this.
 */
export type Traces = {
  /**
   * Notes the trace of each key: an event, by its id, or a stream that begins, by its name. Called before the append,
   * so that whatever follows the log finds it. Never throws: without it links are missing, and nothing else.
   */
  note(parents: ReadonlyMap<string, TraceParent>): Promise<void>;
  /** The traces of the keys that are known. Never throws. */
  of(keys: readonly string[]): Promise<Map<string, TraceParent>>;
};
