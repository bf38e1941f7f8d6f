/** The page that shows a recipient where a letter is: for the holder of its link. */

import { type AnyOperation, operation } from '../contract/operation.ts';
import type { Clock } from '../ground/clock.ts';
import { dayOf } from '../ground/day.ts';
import {
  type TrackingPage,
  trackingNotFoundPage,
  trackingPage,
} from '../pages/tracking/tracking-page.ts';
import { expectedDeliveryOf } from '../presenters/expected-delivery.ts';
import { presentTracked } from '../presenters/letter.ts';
import { preferredLanguage } from '../presenters/preferred-language.ts';
import { trackingEndsOn } from '../presenters/tracking-link.ts';
import type { LetterRecord } from '../projections/letters/query.ts';
import { linkToLetter, noPageResponse, pageHeaders, pageResponse } from './audit-page.ts';

type TrackingPagePorts = {
  /** By the stream of the letter: a deleted letter is no longer shown. */
  currentLetter(letterId: string): Promise<LetterRecord | undefined>;
  opens(token: string, letterId: string): Promise<boolean>;
  service: TrackingPage['service'];
  clock: Clock;
};

const hasEnded = ({ doc }: LetterRecord, nowMs: number): boolean =>
  dayOf(nowMs) > trackingEndsOn(expectedDeliveryOf(doc));

export const trackingPageOperation = (ports: TrackingPagePorts): AnyOperation => {
  /** Undefined for every reason why the link shows nothing: they look the same. */
  const opened = async (letterId: string, token = ''): Promise<LetterRecord | undefined> => {
    if (!(await ports.opens(token, letterId))) return undefined;
    const record = await ports.currentLetter(letterId);
    if (!record || record.doc.erased || record.status === 'draft') return undefined;
    return hasEnded(record, ports.clock()) ? undefined : record;
  };

  return operation({
    name: 'view_tracking',
    method: 'GET',
    path: '/track/{letter_id}',
    tag: 'Tracking and proof',
    summary: 'Show the recipient the tracking page of a letter',
    description:
      'Shows status, expected days, tracking number and the dates of the letter, without names and addresses. The link ends 60 days after the expected delivery, when it is revoked or replaced, and when the letter is deleted. After that, or with a wrong token, the answer is 404.',
    access: 'public',
    input: linkToLetter({ maxLength: 64, description: 'The token in the link.' }),
    responses: { ...pageResponse, ...noPageResponse },
    errors: [],
    async handle({ params, query, acceptLanguage }) {
      const language = query.language ?? preferredLanguage(acceptLanguage);
      const record = await opened(params.letter_id.toLowerCase(), query.token);
      if (!record) {
        const body = Buffer.from(trackingNotFoundPage(language, ports.service.prefix));
        return { status: 404, body, headers: pageHeaders };
      }
      const { service: serviceId, country } = record.doc.terms;
      const letter = { ...presentTracked(record), service: serviceId, country };
      const page = trackingPage({ letter, service: ports.service, language });
      return { body: Buffer.from(page), headers: pageHeaders };
    },
  });
};
