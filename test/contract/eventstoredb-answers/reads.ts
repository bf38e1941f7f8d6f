/** Reads and subscriptions of the EventStoreDB protocol, and what came back. */
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import type { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import { Metadata, type ServiceError } from '@grpc/grpc-js';
import { identifierOf } from '../../support/eventstoredb-messages.ts';
import { failureOf, type Names } from './names.ts';

export type ReadOptions = {
  /** Absent: the whole log. */
  stream?: string;
  /** A bigint is a revision of a stream. Absent: the start. */
  from?: 'end' | bigint | { commit: bigint; prepare?: bigint };
  backwards?: boolean;
  count?: number;
  filter?: { regex: string; window?: number } | { prefixes: string[] };
};

const requestOf = (options: ReadOptions, subscribes: boolean): streamsPb.ReadReq => {
  const { stream, from, backwards, count = 1_000, filter } = options;
  const none = () => new sharedPb.Empty();
  const request = new streamsPb.ReadReq.Options()
    .setReadDirection(backwards ? 1 : 0)
    .setResolveLinks(false)
    .setUuidOption(new streamsPb.ReadReq.Options.UUIDOption().setString(none()))
    .setControlOption(new streamsPb.ReadReq.Options.ControlOption().setCompatibility(1));
  if (stream !== undefined) {
    const place = new streamsPb.ReadReq.Options.StreamOptions();
    place.setStreamIdentifier(identifierOf(stream));
    if (typeof from === 'bigint') place.setRevision(`${from}`);
    else if (from === 'end') place.setEnd(none());
    else place.setStart(none());
    request.setStream(place);
  } else {
    const place = new streamsPb.ReadReq.Options.AllOptions();
    if (typeof from === 'object') {
      const position = new streamsPb.ReadReq.Options.Position();
      position.setCommitPosition(`${from.commit}`);
      place.setPosition(position.setPreparePosition(`${from.prepare ?? from.commit}`));
    } else if (from === 'end') place.setEnd(none());
    else place.setStart(none());
    request.setAll(place);
  }
  if (subscribes) request.setSubscription(new streamsPb.ReadReq.Options.SubscriptionOptions());
  else request.setCount(`${count}`);
  if (filter === undefined) request.setNoFilter(none());
  else {
    const expression = new streamsPb.ReadReq.Options.FilterOptions.Expression();
    if ('regex' in filter) expression.setRegex(filter.regex);
    else expression.setPrefixList(filter.prefixes);
    const of = new streamsPb.ReadReq.Options.FilterOptions().setStreamIdentifier(expression);
    of.setMax('regex' in filter ? (filter.window ?? 32) : 32).setCheckpointintervalmultiplier(1);
    request.setFilter(of);
  }
  return new streamsPb.ReadReq().setOptions(request);
};

export type Subscribed = Awaited<ReturnType<ReturnType<typeof createReads>['subscribe']>>;

/**
 * The time of silence in turns of the event loop. A process that stands still takes one turn, and reads what
 * arrived meanwhile in it.
 */
const turnsOfQuiet = 10;

/** `quietMs`: a subscription that is silent for this time is taken for still open. */
export const createReads = (client: StreamsClient, names: Names, quietMs: number) => {
  /** An answer as it was recorded; undefined for events of others, as the server's own. */
  const shown = (response: streamsPb.ReadResp): object | string | undefined => {
    const read = response.getEvent();
    const event = read?.getEvent();
    if (read && event) {
      const name = names.nameOf(event.getId()?.getString() ?? '');
      if (name === 'other') return undefined;
      const commit = event.getCommitPosition();
      return {
        event: name,
        revision: event.getStreamRevision(),
        position: names.positionOf(commit),
        samePrepare: commit === event.getPreparePosition(),
        outer: read.hasNoPosition() ? 'no position' : names.positionOf(read.getCommitPosition()),
      };
    }
    const checkpoint = response.getCheckpoint();
    if (checkpoint) {
      const commit = checkpoint.getCommitPosition();
      const samePrepare = commit === checkpoint.getPreparePosition();
      return { checkpoint: names.positionOf(commit), samePrepare };
    }
    if (response.hasStreamNotFound()) return 'stream not found';
    if (response.hasConfirmation()) return 'confirmed';
    if (response.hasCaughtUp()) return 'caught up';
    if (response.hasFellBehind()) return 'fell behind';
    // A last position was recorded as a first one of 0, the default of the field it is not.
    return { firstStreamPosition: response.getFirstStreamPosition() };
  };

  const collect = (answers: (object | string)[], response: streamsPb.ReadResp): void => {
    const answer = shown(response);
    if (answer !== undefined) answers.push(answer);
  };

  const read = (options: ReadOptions) =>
    new Promise<object>((resolve) => {
      const answers: (object | string)[] = [];
      const deadline = { deadline: Date.now() + 6_000 };
      const call = client.read(requestOf(options, false), new Metadata(), deadline);
      call.on('data', (response: streamsPb.ReadResp) => collect(answers, response));
      call.on('error', (error: ServiceError) => resolve({ answers, ...failureOf(error) }));
      call.on('end', () => resolve({ answers }));
    });

  /** Positions of the events of a stream are known by name from then on. */
  const learn = (stream: string) =>
    new Promise<void>((resolve, reject) => {
      const call = client.read(requestOf({ stream }, false), new Metadata());
      call.on('data', (response: streamsPb.ReadResp) => {
        const event = response.getEvent()?.getEvent();
        if (event) names.learn(event.getId()?.getString() ?? '', event.getCommitPosition());
      });
      call.on('error', reject);
      call.on('end', resolve);
    });

  /** The answers of a subscription until it ends or is quiet. `during` begins when it is confirmed. */
  const subscribe = (options: ReadOptions, during?: () => Promise<unknown>) =>
    new Promise<{ answers: unknown[]; checkpoints: string[]; ending: string }>((resolve) => {
      const answers: (object | string)[] = [];
      const checkpoints: string[] = [];
      const call = client.read(requestOf(options, true), new Metadata());
      let working: Promise<unknown> | undefined;
      let isWorking = false;
      let quietTurns = 0;
      const finish = (ending: string, failure: object = {}) => {
        clearInterval(timer);
        resolve({ answers, checkpoints, ending, ...failure });
        call.cancel();
      };
      const timer = setInterval(() => {
        quietTurns = isWorking ? 0 : quietTurns + 1;
        if (quietTurns >= turnsOfQuiet) finish('still open');
      }, quietMs / turnsOfQuiet);
      call.on('data', (response: streamsPb.ReadResp) => {
        quietTurns = 0;
        collect(answers, response);
        const checkpoint = response.getCheckpoint();
        if (checkpoint) checkpoints.push(checkpoint.getCommitPosition());
        if (!response.hasConfirmation() || working !== undefined) return;
        isWorking = true;
        working = Promise.resolve(during?.()).finally(() => {
          isWorking = false;
          quietTurns = 0;
        });
      });
      call.on('error', (error: ServiceError) => finish('error', failureOf(error)));
      call.on('end', () => finish('ended with OK'));
    });

  return { read, learn, subscribe };
};
