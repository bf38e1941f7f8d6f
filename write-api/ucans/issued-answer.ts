import type { IssuedUcan as Issued } from '../../commands/ucans/issue-ucan.ts';
import { IssuedUcan, presentIssuedUcan } from '../../presenters/ucan.ts';

export const issuedResponses = {
  201: { description: 'The token; keep it secret', schema: IssuedUcan },
};

export const issuedAnswer = (issued: Issued) => ({
  body: presentIssuedUcan(issued),
  position: issued.position,
  replayed: issued.replayed,
  answeredAt: issued.answeredAt,
});
