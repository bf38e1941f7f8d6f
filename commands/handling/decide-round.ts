/** One round of commands on one stream: each decides on the state that those before it leave. */
import type { DomainEvent } from '../../events/definition.ts';
import type { Aggregate } from './aggregate.ts';
import type { CommandContext, EncodedStream, Folded, NewStream } from './fold.ts';

/**
 * `version` is the stream's, -1 for no stream. `at` is when the events will have happened. Refusals are thrown as
 * the caller gets them.
 */
export type Decide<S, E> = (state: S, version: bigint, at: string) => E[];

export type Command<S, E> = {
  context: CommandContext;
  decide: Decide<S, E>;
  /**
   * The stream that begins with the command's events, by the state after them. Not called when there are no
   * events.
   */
  begin?: ((state: S) => NewStream) | undefined;
};

/** The result of a command. With an `error` it has no events. */
export type Decided<E> = {
  context: CommandContext;
  events: E[];
  begun: EncodedStream | undefined;
  error?: unknown;
};

const maxEvents = 400;
/** Of streams that begin in one append, characters. */
const maxBytes = 2 * 1024 * 1024;

/**
 * Lets at most `limit` commands decide one after the other, until the append is full or a stale state refuses
 * one. A refusal on a fresh state is settled only after the append, because it may depend on it. Two commands
 * that would start the same stream are not in one append: the second waits.
 */
export const decideRound = <S, E extends DomainEvent>(
  aggregate: Aggregate<S, E>,
  start: Folded<S>,
  waiting: Command<S, E>[],
  { limit, at }: { limit: number; at: string },
  encodeNew: (begins: NewStream, at: string) => EncodedStream,
): { state: S; decided: Decided<E>[] } => {
  const decided: Decided<E>[] = [];
  const streams = new Set<string>();
  let state = start.state;
  let version = start.version === 'no-stream' ? -1n : start.version;
  let count = 0;
  let bytes = 0;
  for (const { context, decide, begin } of waiting) {
    if (count >= maxEvents || bytes >= maxBytes || decided.length >= limit) break;
    try {
      const events = decide(state, version, at);
      if (events.length === 0 && !start.fresh) break;
      const { commandId } = context;
      const next = events.reduce(
        (before, event) => aggregate.evolve(before, event, at, commandId),
        state,
      );
      const begins = events.length > 0 ? begin?.(next) : undefined;
      if (begins && streams.has(begins.stream)) break;
      const begun = begins && encodeNew(begins, at);
      if (begun) {
        streams.add(begun.append.stream);
        bytes += begun.bytes;
      }
      decided.push({ context, events, begun });
      state = next;
      count += events.length;
      version += BigInt(events.length);
    } catch (error) {
      if (!start.fresh) break;
      decided.push({ context, events: [], begun: undefined, error });
    }
  }
  return { state, decided };
};
