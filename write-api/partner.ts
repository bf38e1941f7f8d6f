import { PartnerReport, type ReportPorts, takeReport } from '../commands/letters/partner-report.ts';
import { type AnyOperation, operation, type SignedRequest } from '../contract/operation.ts';
import { presentTakenReport, TakenReport } from '../presenters/partner.ts';

type PartnerPorts = Omit<ReportPorts, 'partner'> & {
  /** @throws AppError partner_signature_invalid */
  checkSignature: (request: SignedRequest) => void;
};

/** Operations for the print house. Absent without a secret that it can sign with. */
export const partnerOperations = (ports: PartnerPorts | undefined): AnyOperation[] => {
  if (!ports) return [];
  return [
    operation({
      name: 'report_print_job',
      method: 'POST',
      path: '/partner/events',
      tag: 'Print house',
      summary: 'Report what happened to a print job',
      description:
        'For the print house. The request is signed by Standard Webhooks (`webhook-id`, `webhook-timestamp`, `webhook-signature`) over the raw body, with the shared secret; it needs no API key. A late, repeated or out-of-order report answers 200 and changes nothing.',
      access: 'public',
      checkSignature: ports.checkSignature,
      input: { body: PartnerReport },
      responses: { 200: { description: 'Taken', schema: TakenReport } },
      errors: ['partner_signature_invalid', 'job_not_found', 'body_too_large', 'conflict'],
      examples: [
        {
          summary: 'Handed to the postal operator',
          body: {
            job_id: '6f1c2f6e-6d0c-4f3c-9d0f-0d1c2b3a4f5e',
            status: 'posted',
            tracking_number: 'RR123456785DE',
          },
          response: { job_id: '6f1c2f6e-6d0c-4f3c-9d0f-0d1c2b3a4f5e', changed: true },
        },
        {
          summary: 'Delivered',
          body: {
            job_id: '6f1c2f6e-6d0c-4f3c-9d0f-0d1c2b3a4f5e',
            status: 'delivered',
            source: 'carrier',
            evidence: 'signature',
            occurred_at: '2026-11-20T09:12:00+01:00',
          },
        },
      ],
      async handle({ body, command }) {
        const context = { commandId: command.commandId, actor: 'partner:http' };
        const { changed, position } = await takeReport(
          { ...ports, partner: 'http' },
          body,
          context,
        );
        const answer = presentTakenReport(body.job_id, changed);
        return { body: answer, position: changed ? position : 0n };
      },
    }),
  ];
};
