import { letterStream } from '../../events/letter.ts';
import type { Traces } from '../../events/traces.ts';
import { inSpan, linksTo, SpanKind } from '../../ground/tracing.ts';
import type { PrintPartner } from '../../reactors/print-partner.ts';

/** A print partner with a span for each hand-over, linked to the request that made the letter. */
export const tracedPartner = <P extends PrintPartner>(
  partner: P,
  traces: Pick<Traces, 'of'>,
): P => ({
  ...partner,
  submit: (job) => {
    const { letter_id: letterId, service, pages, test } = job.ticket;
    const attributes = {
      'letters.letter_id': letterId,
      'letters.service': service,
      'letters.pages': pages,
      'letters.test': test,
      'letters.print_partner': partner.name,
    };
    return inSpan('print.submit', { kind: SpanKind.CLIENT, attributes }, async (span) => {
      if (span.isRecording()) {
        span.addLinks(linksTo((await traces.of([letterStream(letterId)])).values()));
      }
      await partner.submit(job);
    });
  },
});
