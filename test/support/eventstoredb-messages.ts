import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import statusPb from '@eventstore/db-client/generated/status_pb.js';
import type * as streams from '@eventstore/db-client/generated/streams_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import anyPb from 'google-protobuf/google/protobuf/any_pb.js';
import emptyPb from 'google-protobuf/google/protobuf/empty_pb.js';
import type { AppendOutcome, Expected, ProposedEvent, StoredEvent } from './eventstoredb-log.ts';

/** The value of 64 bits unsigned that stands for -1, "not known". */
const unknownPosition = (2n ** 64n - 1n).toString();

export const nameOf = (identifier: { getStreamName_asU8(): Uint8Array } | undefined): string =>
  Buffer.from(identifier?.getStreamName_asU8() ?? []).toString('utf8');

export function identifierOf(name: string) {
  return new sharedPb.StreamIdentifier().setStreamName(Buffer.from(name).toString('base64'));
}

export function proposedEvent(
  message: streams.AppendReq.ProposedMessage | streams.BatchAppendReq.ProposedMessage,
): ProposedEvent {
  const fields = message.getMetadataMap();
  return {
    id: (message.getId()?.getString() ?? '').toLowerCase(),
    // Empty: the property is missing, and the append is refused.
    type: fields.get('type') ?? '',
    contentType: fields.get('content-type') ?? '',
    data: message.getData_asU8(),
    metadata: message.getCustomMetadata_asU8(),
  };
}

export function appendExpected(options: streams.AppendReq.Options): Expected {
  if (options.hasRevision()) return BigInt(options.getRevision());
  if (options.hasNoStream()) return 'no-stream';
  return options.hasStreamExists() ? 'exists' : 'any';
}

export function batchExpected(options: streams.BatchAppendReq.Options): Expected {
  if (options.hasStreamPosition()) return BigInt(options.getStreamPosition());
  if (options.hasNoStream()) return 'no-stream';
  return options.hasStreamExists() ? 'exists' : 'any';
}

/** The server's answer to an append that it neither refuses nor leaves open. */
export type Answered = Exclude<AppendOutcome, { kind: 'deleted' }>;

export function appendResponse(outcome: Answered, expected: Expected): streams.AppendResp {
  const response = new streamsPb.AppendResp();
  if (outcome.kind === 'wrong-version') {
    return response.setWrongExpectedVersion(wrongVersion(outcome, expected));
  }
  const position = new streamsPb.AppendResp.Position();
  position.setCommitPosition(`${outcome.position}`).setPreparePosition(`${outcome.position}`);
  const success = new streamsPb.AppendResp.Success().setPosition(position);
  if (outcome.revision < 0n) success.setNoStream(new sharedPb.Empty());
  else success.setCurrentRevision(`${outcome.revision}`);
  return response.setSuccess(success);
}

function wrongVersion(outcome: { current: bigint | undefined }, expected: Expected) {
  const wrong = new streamsPb.AppendResp.WrongExpectedVersion();
  if (outcome.current === undefined) wrong.setCurrentNoStream(new sharedPb.Empty());
  else wrong.setCurrentRevision(`${outcome.current}`);
  if (typeof expected === 'bigint') wrong.setExpectedRevision(`${expected}`);
  else if (expected === 'no-stream') wrong.setExpectedNoStream(new sharedPb.Empty());
  else if (expected === 'exists') wrong.setExpectedStreamExists(new sharedPb.Empty());
  else wrong.setExpectedAny(new sharedPb.Empty());
  return wrong;
}

/** Why the batch call refuses an append. Its statuses have the codes of Google's `Code`. */
export type BatchRefusal = 'too-large' | 'bad-request' | 'deleted' | 'timeout' | 'denied';

export function batchResponse(
  outcome: Answered | BatchRefusal,
  expected: Expected,
  stream: string,
): streams.BatchAppendResp {
  const response = new streamsPb.BatchAppendResp().setStreamIdentifier(identifierOf(stream));
  if (typeof outcome === 'string') return response.setError(batchRefusal(outcome, stream));
  if (outcome.kind === 'wrong-version') {
    return response.setError(batchWrongVersion(outcome, expected));
  }
  const position = new sharedPb.AllStreamPosition();
  position.setCommitPosition(`${outcome.position}`).setPreparePosition(`${outcome.position}`);
  const success = new streamsPb.BatchAppendResp.Success().setPosition(position);
  if (outcome.revision < 0n) success.setNoStream(new emptyPb.Empty());
  else success.setCurrentRevision(`${outcome.revision}`);
  return response.setSuccess(success);
}

function batchRefusal(refusal: BatchRefusal, stream: string): statusPb.Status {
  const deleted = new sharedPb.StreamDeleted().setStreamIdentifier(identifierOf(stream));
  const [code, name, details] = (
    {
      'too-large': [3, 'MaximumAppendSizeExceeded', new sharedPb.MaximumAppendSizeExceeded()],
      'bad-request': [3, 'BadRequest', new sharedPb.BadRequest()],
      timeout: [4, 'Timeout', new sharedPb.Timeout()],
      deleted: [5, 'StreamDeleted', deleted],
      denied: [7, 'AccessDenied', new sharedPb.AccessDenied()],
    } as const
  )[refusal];
  return statusOf(code, name, details.serializeBinary());
}

function statusOf(code: number, name: string, details: Uint8Array): statusPb.Status {
  const any = new anyPb.Any();
  any.pack(details, `event_store.client.${name}`);
  return new statusPb.Status().setCode(code).setMessage(name).setDetails(any);
}

function batchWrongVersion(outcome: { current: bigint | undefined }, expected: Expected) {
  const wrong = new sharedPb.WrongExpectedVersion();
  if (outcome.current === undefined) wrong.setCurrentNoStream(new emptyPb.Empty());
  else wrong.setCurrentStreamRevision(`${outcome.current}`);
  if (typeof expected === 'bigint') wrong.setExpectedStreamPosition(`${expected}`);
  else if (expected === 'no-stream') wrong.setExpectedNoStream(new emptyPb.Empty());
  else if (expected === 'exists') wrong.setExpectedStreamExists(new emptyPb.Empty());
  else wrong.setExpectedAny(new emptyPb.Empty());
  return statusOf(6, 'WrongExpectedVersion', wrong.serializeBinary());
}

export function eventResponse(event: StoredEvent): streams.ReadResp {
  const recorded = new streamsPb.ReadResp.ReadEvent.RecordedEvent();
  recorded.setId(new sharedPb.UUID().setString(event.id));
  recorded.setStreamIdentifier(identifierOf(event.stream));
  recorded.setStreamRevision(`${event.revision}`);
  recorded.setCommitPosition(`${event.position}`).setPreparePosition(`${event.position}`);
  recorded.getMetadataMap().set('type', event.type);
  recorded.getMetadataMap().set('content-type', event.contentType);
  recorded.getMetadataMap().set('created', `${event.created}`);
  recorded.setData(event.data).setCustomMetadata(event.metadata);
  const read = new streamsPb.ReadResp.ReadEvent();
  read.setEvent(recorded).setCommitPosition(`${event.position}`);
  return new streamsPb.ReadResp().setEvent(read);
}

/** A stream read of an old server, which does not know positions. */
export function withoutPosition(response: streams.ReadResp): streams.ReadResp {
  const recorded = response.getEvent()?.getEvent();
  recorded?.setCommitPosition(unknownPosition).setPreparePosition(unknownPosition);
  response.getEvent()?.setNoPosition(new sharedPb.Empty());
  return response;
}

export function notFoundResponse(stream: string): streams.ReadResp {
  const notFound = new streamsPb.ReadResp.StreamNotFound();
  return new streamsPb.ReadResp().setStreamNotFound(
    notFound.setStreamIdentifier(identifierOf(stream)),
  );
}

export const firstPositionResponse = (revision: bigint): streams.ReadResp =>
  new streamsPb.ReadResp().setFirstStreamPosition(`${revision}`);

export const lastPositionResponse = (revision: bigint): streams.ReadResp =>
  new streamsPb.ReadResp().setLastStreamPosition(`${revision}`);

export function confirmationResponse(id: string): streams.ReadResp {
  const confirmation = new streamsPb.ReadResp.SubscriptionConfirmation();
  return new streamsPb.ReadResp().setConfirmation(confirmation.setSubscriptionId(id));
}

export function checkpointResponse(position: bigint): streams.ReadResp {
  const checkpoint = new streamsPb.ReadResp.Checkpoint();
  checkpoint.setCommitPosition(`${position}`).setPreparePosition(`${position}`);
  return new streamsPb.ReadResp().setCheckpoint(checkpoint);
}

export const caughtUpResponse = (): streams.ReadResp =>
  new streamsPb.ReadResp().setCaughtUp(new streamsPb.ReadResp.CaughtUp());
