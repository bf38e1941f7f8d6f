/**
 * Runs what follows from events: at least once, in order per stream, each from its own checkpoint. A
 * task that fails is tried again with growing pauses while other streams go on; the checkpoint stays
 * before the oldest unfinished event, so that nothing is forgotten by a crash.
 */

import type { Log } from '../contract/log.ts';
import { pause } from '../contract/pause.ts';
import { type DecodedEvent, decodeEvent } from '../events/envelope.ts';
import type { EventStore, RecordedEvent } from '../events/event-store.ts';
import { type AnyDomainEvent, UnknownEventType } from '../events/registry.ts';

type Decoded<E> = E extends { type: string; data: object } ? DecodedEvent<E> : never;
export type AnyEvent = Decoded<AnyDomainEvent>;

export type Reactor = {
  name: string;
  /** What to do about an event: a task that is safe to repeat, or nothing. */
  react(event: AnyEvent): (() => Promise<void>) | undefined;
  /** Position of the oldest event it still needs to be shown after a restart. */
  holds?(): bigint | undefined;
};

export type Checkpoints = {
  read(name: string): Promise<bigint>;
  save(name: string, position: bigint): Promise<void>;
  /** Waits until this process is the one that runs `name`; resolves to a release, or nothing on abort. */
  own(name: string, signal: AbortSignal): Promise<(() => Promise<void>) | undefined>;
};

export type ReactorStatus = {
  name: string;
  position: bigint;
  /** Tasks that failed and wait for another try. */
  failing: { stream: string; type: string; position: bigint; error: string }[];
};

const maxRunning = 32;
const maxOpen = 5_000;
const saveEveryMs = 1_000;

export const startReactor = (
  reactor: Reactor,
  ports: { store: EventStore; checkpoints: Checkpoints; log: Log },
) => {
  const stopping = new AbortController();
  const { signal } = stopping;
  const open = new Set<bigint>();
  const chains = new Map<string, Promise<void>>();
  const failing = new Map<bigint, ReactorStatus['failing'][number]>();
  const waitingForSlot: (() => void)[] = [];
  let running = 0;
  let seen = 0n;

  const withSlot = async (task: () => Promise<void>): Promise<void> => {
    if (running >= maxRunning) await new Promise<void>((resolve) => waitingForSlot.push(resolve));
    running++;
    try {
      await task();
    } finally {
      running--;
      waitingForSlot.shift()?.();
    }
  };

  const perform = async (event: AnyEvent, task: () => Promise<void>): Promise<void> => {
    for (let tries = 0; !signal.aborted; tries++) {
      try {
        await withSlot(task);
        open.delete(event.position);
        failing.delete(event.position);
        return;
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        const { stream, type, position } = event;
        failing.set(position, { stream, type, position, error: message });
        const fields = { reactor: reactor.name, stream, type, tries, err: message };
        ports.log.error(fields, 'a reaction failed and will be tried again');
        await pause(Math.min(200 * 2 ** tries, 60_000), signal);
      }
    }
  };

  /** What to do about a recorded event. A type that this program does not know is nobody's business. */
  const reaction = (recorded: RecordedEvent) => {
    try {
      const event = decodeEvent(recorded) as unknown as AnyEvent;
      return { event, task: reactor.react(event) };
    } catch (error) {
      if (!(error instanceof UnknownEventType)) throw error;
      return undefined;
    }
  };

  const take = (recorded: RecordedEvent): void => {
    const reacted = reaction(recorded);
    seen = recorded.position;
    if (!reacted) return;
    const { event, task } = reacted;
    if (!task) return;
    open.add(event.position);
    const before = chains.get(event.stream) ?? Promise.resolve();
    const chain = before.then(() => perform(event, task));
    chains.set(event.stream, chain);
    void chain.then(() => {
      if (chains.get(event.stream) === chain) chains.delete(event.stream);
    });
  };

  /** Everything up to here is done. */
  const done = (): bigint => {
    let oldest = seen + 1n;
    for (const position of open) if (position < oldest) oldest = position;
    const held = reactor.holds?.();
    return (held !== undefined && held < oldest ? held : oldest) - 1n;
  };

  const follow = async (): Promise<void> => {
    const after = await ports.store.floor(await ports.checkpoints.read(reactor.name));
    seen = after;
    for await (const batch of ports.store.subscribe({ after, signal })) {
      for (const event of batch.events) take(event);
      while (open.size > maxOpen && !signal.aborted) await pause(20, signal);
    }
  };

  const saver = async (): Promise<void> => {
    let saved = -1n;
    while (!signal.aborted) {
      await pause(saveEveryMs, signal);
      const position = done();
      if (position <= saved || position <= 0n) continue;
      try {
        await ports.checkpoints.save(reactor.name, position);
        saved = position;
      } catch (error) {
        ports.log.error({ reactor: reactor.name, err: String(error) }, 'checkpoint not saved');
      }
    }
  };

  const run = async (): Promise<void> => {
    const release = await ports.checkpoints.own(reactor.name, signal);
    if (!release) return;
    const saving = saver();
    while (!signal.aborted) {
      try {
        await follow();
      } catch (error) {
        ports.log.error({ reactor: reactor.name, err: String(error) }, 'reactor interrupted');
        await pause(1_000, signal);
      }
    }
    await saving;
    await Promise.allSettled(chains.values());
    if (seen > 0n) await ports.checkpoints.save(reactor.name, done()).catch(() => {});
    await release();
  };

  const ended = run();

  return {
    status: (): ReactorStatus => ({
      name: reactor.name,
      position: done(),
      failing: [...failing.values()],
    }),
    async stop(): Promise<void> {
      stopping.abort();
      await ended;
    },
  };
};
