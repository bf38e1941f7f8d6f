/** The body of a webhook: ids and states, nothing personal. */

/** The notification as the API names it. */
export const notificationIdOf = (eventId: string): string => `ntf_${eventId.replaceAll('-', '')}`;

type StatusMessage = {
  eventId: string;
  type: string;
  letterId: string | null;
  status: string | null;
  at: string;
};

/** The approval that a message is about. */
export type ApprovalMessage = { approvalId: string; url: string };

/** Body of a status webhook. `test`: of a test account. */
export const statusBody = (
  message: StatusMessage,
  test: boolean,
  approval?: ApprovalMessage,
): string =>
  JSON.stringify({
    type: message.type,
    timestamp: message.at,
    data: {
      notification_id: notificationIdOf(message.eventId),
      letter_id: message.letterId,
      status: message.status,
      ...(approval ? { approval_id: approval.approvalId, approval_url: approval.url } : {}),
      test,
    },
  });

/** Of a test message, to either kind of webhook. */
export const testType = 'webhook.test';

type CredentialMessage = {
  /** The kind of event, as the delivery lists it. */
  type: string;
  eventId: string;
  letterId: string | null;
  at: string;
  /** Place of the event in its stream, from 1. */
  sequence: number;
  /** The credential of the event (VC-JWT), which says the rest. */
  jwt: string;
  inclusionProof: string | null;
  /** The generation of the log that the event is of. */
  logId: string;
};

/** Body of an audit webhook. `status`: the letter's after the event, as the credential says. */
export const credentialBody = (message: CredentialMessage, status: string | null): string =>
  JSON.stringify({
    type: message.type === testType ? testType : 'letter.event.credential',
    timestamp: message.at,
    data: {
      letter_id: message.letterId,
      event_id: message.eventId,
      sequence: message.sequence,
      status,
      credential: message.jwt,
      inclusion_proof: message.inclusionProof,
      log_id: message.logId,
    },
  });
