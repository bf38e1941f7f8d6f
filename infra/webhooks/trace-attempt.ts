import { letterStream } from '../../events/letter.ts';
import type { Traces } from '../../events/traces.ts';
import { inSpan, linksTo, type Span, SpanKind } from '../../ground/tracing.ts';
import type { AttemptResult } from '../../reactors/delivery-schedule.ts';
import type { DueMessage } from './messages.ts';

const describe = (span: Span, message: DueMessage, result: AttemptResult): void => {
  span.setAttributes({
    'letters.event_type': message.type,
    'letters.attempt': message.attempts + 1,
    ...('error' in result
      ? { 'error.type': result.error }
      : { 'http.response.status_code': result.status }),
  });
};

/**
 * One attempt in a span, linked to what appended the event and to what made the letter. The address of the webhook is
 * personal and not in it.
 */
export const inAttemptSpan = (
  traces: Pick<Traces, 'of'> | undefined,
  message: DueMessage,
  attempt: () => Promise<AttemptResult>,
): Promise<AttemptResult> =>
  inSpan('webhook.attempt', { kind: SpanKind.CLIENT }, async (span) => {
    if (!span.isRecording()) return attempt();
    const { eventId, letterId } = message;
    const keys = letterId === null ? [eventId] : [eventId, letterStream(letterId)];
    span.addLinks(linksTo((await traces?.of(keys))?.values() ?? []));
    const result = await attempt();
    describe(span, message, result);
    return result;
  });
