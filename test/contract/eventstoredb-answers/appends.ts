/** Appends and deletes of the EventStoreDB protocol, and what came back. */
import sharedPb from '@eventstore/db-client/generated/shared_pb.js';
import type { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streamsPb from '@eventstore/db-client/generated/streams_pb.js';
import { Metadata, type ServiceError } from '@grpc/grpc-js';
import emptyPb from 'google-protobuf/google/protobuf/empty_pb.js';
import { identifierOf } from '../../support/eventstoredb-messages.ts';
import { failureOf, idOf, type Names, type Probe, withoutNumbers } from './names.ts';

export type ExpectedRevision = 'none' | 'any' | 'exists' | bigint;

type Success = { revision: string; position: string; samePrepare?: boolean };

/** `raw`: the position as the server gave it, to be named when its event is known. */
export type AppendAnswer =
  | { success: Success; raw?: string }
  | { wrongExpectedVersion: { current: string; expected: string } }
  | { status: { code: number; message: string; kind?: string; current?: string } }
  | ReturnType<typeof failureOf>;

type ProposedMessage =
  | streamsPb.AppendReq.ProposedMessage
  | streamsPb.BatchAppendReq.ProposedMessage;

function fill<M extends ProposedMessage>(message: M, probe: Probe): M {
  message.setId(new sharedPb.UUID().setString(probe.id));
  message.setData(probe.data).setCustomMetadata(probe.metadata);
  const { type, contentType } = probe;
  if (type !== undefined) message.getMetadataMap().set('type', type);
  if (contentType !== undefined) message.getMetadataMap().set('content-type', contentType);
  return message;
}

const deadlineMs = 6_000;
const deadline = () => ({ deadline: Date.now() + deadlineMs });

const appendAnswer = (response: streamsPb.AppendResp, names: Names): AppendAnswer => {
  const success = response.getSuccess();
  if (success) {
    const raw = success.getPosition()?.getCommitPosition() ?? '';
    return {
      success: {
        revision: success.hasNoStream() ? 'no-stream' : success.getCurrentRevision(),
        position: names.positionOf(raw),
        samePrepare: raw === success.getPosition()?.getPreparePosition(),
      },
      raw,
    };
  }
  const wrong = response.getWrongExpectedVersion();
  const expected = () => {
    if (wrong?.hasExpectedNoStream()) return 'no-stream';
    if (wrong?.hasExpectedAny()) return 'any';
    return wrong?.hasExpectedStreamExists() ? 'exists' : (wrong?.getExpectedRevision() ?? '');
  };
  const current = wrong?.hasCurrentNoStream() ? 'no-stream' : (wrong?.getCurrentRevision() ?? '');
  return { wrongExpectedVersion: { current, expected: expected() } };
};

const batchAnswer = (response: streamsPb.BatchAppendResp, names: Names): AppendAnswer => {
  const success = response.getSuccess();
  if (success) {
    const raw = success.getPosition()?.getCommitPosition() ?? '';
    const revision = success.hasNoStream() ? 'no-stream' : success.getCurrentRevision();
    return { success: { revision, position: names.positionOf(raw) }, raw };
  }
  const error = response.getError();
  const kind = error?.getDetails()?.getTypeUrl().split('/').at(-1);
  const status = {
    code: error?.getCode() ?? 0,
    message: withoutNumbers(error?.getMessage() ?? ''),
    ...(kind === undefined ? {} : { kind }),
  };
  if (!kind?.endsWith('WrongExpectedVersion')) return { status };
  const details = error?.getDetails()?.getValue_asU8() ?? new Uint8Array();
  const wrong = sharedPb.WrongExpectedVersion.deserializeBinary(details);
  const current = wrong.hasCurrentNoStream() ? 'no-stream' : wrong.getCurrentStreamRevision();
  return { status: { ...status, current } };
};

export const createAppends = (client: StreamsClient, names: Names) => {
  const none = () => new sharedPb.Empty();

  const append = (stream: string, expected: ExpectedRevision, events: Probe[]) =>
    new Promise<AppendAnswer>((resolve) => {
      const call = client.append(new Metadata(), deadline(), (error, response) =>
        resolve(error ? failureOf(error) : appendAnswer(response, names)),
      );
      call.on('error', () => {});
      const options = new streamsPb.AppendReq.Options().setStreamIdentifier(identifierOf(stream));
      if (expected === 'none') options.setNoStream(none());
      else if (expected === 'any') options.setAny(none());
      else if (expected === 'exists') options.setStreamExists(none());
      else options.setRevision(`${expected}`);
      call.write(new streamsPb.AppendReq().setOptions(options));
      for (const event of events) {
        const message = fill(new streamsPb.AppendReq.ProposedMessage(), event);
        call.write(new streamsPb.AppendReq().setProposedMessage(message));
      }
      call.end();
    });

  const batch = (stream: string, expected: ExpectedRevision, events: Probe[]) =>
    new Promise<AppendAnswer>((resolve) => {
      const call = client.batchAppend(new Metadata(), deadline());
      call.on('error', (error: ServiceError) => resolve(failureOf(error)));
      call.on('data', (response: streamsPb.BatchAppendResp) => {
        resolve(batchAnswer(response, names));
        call.cancel();
      });
      const options = new streamsPb.BatchAppendReq.Options();
      options.setStreamIdentifier(identifierOf(stream));
      if (expected === 'none') options.setNoStream(new emptyPb.Empty());
      else if (expected === 'any') options.setAny(new emptyPb.Empty());
      else if (expected === 'exists') options.setStreamExists(new emptyPb.Empty());
      else options.setStreamPosition(`${expected}`);
      const request = new streamsPb.BatchAppendReq().setOptions(options).setIsFinal(true);
      request.setCorrelationId(new sharedPb.UUID().setString(idOf(`${stream} ${Math.random()}`)));
      request.setProposedMessagesList(
        events.map((event) => fill(new streamsPb.BatchAppendReq.ProposedMessage(), event)),
      );
      call.write(request);
    });

  const remove = (kind: 'delete' | 'tombstone', stream: string) =>
    new Promise<'done' | ReturnType<typeof failureOf>>((resolve) => {
      const told = (error: ServiceError | null) => resolve(error ? failureOf(error) : 'done');
      const identifier = identifierOf(stream);
      if (kind === 'delete') {
        const options = new streamsPb.DeleteReq.Options();
        options.setStreamIdentifier(identifier).setAny(none());
        client.delete(
          new streamsPb.DeleteReq().setOptions(options),
          new Metadata(),
          deadline(),
          told,
        );
      } else {
        const options = new streamsPb.TombstoneReq.Options();
        options.setStreamIdentifier(identifier).setAny(none());
        client.tombstone(
          new streamsPb.TombstoneReq().setOptions(options),
          new Metadata(),
          deadline(),
          told,
        );
      }
    });

  return { append, batch, remove };
};
