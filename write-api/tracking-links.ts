import type { TrackingLinks } from '../commands/letters/tracking-links.ts';
import { type AnyOperation, type Caller, operation } from '../contract/operation.ts';
import { letterDeleted, letterNotFound } from '../contract/refusals.ts';
import { Type } from '../ground/type.ts';
import { LetterId } from '../presenters/common.ts';
import { expectedDeliveryOf } from '../presenters/expected-delivery.ts';
import {
  presentTrackingLink,
  RevokedTrackingLink,
  TrackingLink,
  trackingUrlOf,
} from '../presenters/tracking-link.ts';
import type { ReadLetter } from './letters/own-letter.ts';

type TrackingLinkPorts = {
  links: TrackingLinks;
  readLetter: ReadLetter;
  baseUrl: string;
};

const path = '/api/letters/{letter_id}/tracking-link';
const input = { params: Type.Object({ letter_id: LetterId }) };
const permit = { about: 'letter-in-path', honours: ['letter_id'] } as const;
const tag = 'Tracking and proof';

/** @throws AppError letter_not_found, letter_deleted */
const ownLetterOf =
  (readLetter: ReadLetter) =>
  async (letterId: string, { accountId }: Caller) => {
    const found = await readLetter(letterId);
    if (found?.record.accountId !== accountId) {
      throw letterNotFound();
    }
    const { doc } = found.record;
    if (doc.erased || doc.deleted) throw letterDeleted();
    return { accountId, letterId, expectedDelivery: expectedDeliveryOf(doc) };
  };

export const trackingLinkOperations = (ports: TrackingLinkPorts): AnyOperation[] => {
  const { links, readLetter, baseUrl } = ports;
  const ownLetter = ownLetterOf(readLetter);

  const urlOf = (letterId: string, token: string | undefined): string | undefined =>
    token === undefined ? undefined : trackingUrlOf(baseUrl, letterId, token);

  const get = operation({
    name: 'get_tracking_link',
    method: 'GET',
    path,
    tag,
    summary: 'Get the link that shows a recipient where the letter is',
    description:
      'Every letter has one. The page shows status, expected days, tracking number and the dates of the letter, but neither names nor addresses. It opens once the letter is sent.',
    access: 'read',
    permit,
    input,
    responses: { 200: { description: 'The current link', schema: TrackingLink } },
    errors: ['letter_not_found', 'letter_deleted'],
    async handle({ params, caller }) {
      const { letterId, expectedDelivery } = await ownLetter(params.letter_id, caller);
      const url = urlOf(letterId, await links.currentToken(letterId));
      return { body: presentTrackingLink(url, expectedDelivery) };
    },
  });

  const renew = operation({
    name: 'renew_tracking_link',
    method: 'POST',
    path,
    tag,
    summary: 'Replace the tracking link; the earlier one stops working',
    description:
      'Use it after a link reached the wrong person. Send the new link to the recipient yourself: earlier mails still contain the old one.',
    access: 'send',
    permit,
    idempotent: true,
    answersSecret: true,
    withoutSecret: 'GET /api/letters/{letter_id}/tracking-link shows the link in force.',
    input,
    responses: { 201: { description: 'The new link', schema: TrackingLink } },
    errors: ['letter_not_found', 'letter_deleted', 'conflict'],
    async handle({ params, caller, command }) {
      const { expectedDelivery, ...letter } = await ownLetter(params.letter_id, caller);
      const renewed = await links.renew(letter, command);
      const { position, replayed, createdAt: answeredAt } = renewed;
      const url = urlOf(letter.letterId, renewed.token);
      return { body: presentTrackingLink(url, expectedDelivery), position, replayed, answeredAt };
    },
  });

  const revoke = operation({
    name: 'revoke_tracking_link',
    method: 'DELETE',
    path,
    tag,
    summary: 'Revoke the tracking link',
    description:
      'Links in earlier mails stop working too. Later mails contain no link until you make a new one.',
    access: 'send',
    permit,
    input,
    responses: { 200: { description: 'The link is revoked', schema: RevokedTrackingLink } },
    errors: ['letter_not_found', 'letter_deleted', 'conflict'],
    async handle({ params, caller, command }) {
      const { expectedDelivery: _, ...letter } = await ownLetter(params.letter_id, caller);
      const { position } = await links.revoke(letter, command);
      return { body: { revoked: true as const }, position };
    },
  });

  return [get, renew, revoke];
};
