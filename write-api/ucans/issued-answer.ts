import type { IssuedUcan as Issued } from '../../commands/ucans/issue-ucan.ts';
import { IssuedUcan, presentIssuedUcan } from '../../presenters/ucan.ts';

export const issuedResponses = {
  201: { description: 'The token; it is a secret', schema: IssuedUcan },
};

export const issuedAnswer = (issued: Issued) => ({
  body: presentIssuedUcan(issued),
  position: issued.position,
  replayed: issued.replayed,
  answeredAt: issued.answeredAt,
});
