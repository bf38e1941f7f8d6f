import { type AnyOperation, operation } from '../contract/operation.ts';
import { letterCaveats } from '../contract/permits.ts';
import { Type } from '../ground/type.ts';
import { callerRefOf } from '../limits/turn.ts';
import { languages } from '../postal/stationery.ts';
import { presentCertificate } from '../presenters/certificate.ts';
import { LetterId, OneOf } from '../presenters/common.ts';
import { preferredOf } from '../presenters/preferred-language.ts';
import { Proof, presentProof } from '../presenters/proof.ts';
import type { LetterReadPorts } from './letter-read-ports.ts';
import type { OwnLetters } from './own-letters.ts';

export const getProof = (ports: LetterReadPorts, letters: OwnLetters): AnyOperation =>
  operation({
    name: 'get_proof',
    method: 'GET',
    path: '/api/proof/{letter_id}',
    tag: 'Tracking and proof',
    summary: 'Proof of sending and delivery',
    description:
      '`Accept: application/pdf` returns a certificate with the same facts, in the `language` of the query, the language of `Accept-Language`, or the language of the letter. The code on it opens a page where every holder can read and verify it.',
    access: 'read',
    permit: { about: 'letter-in-path', honours: letterCaveats },
    payable: true,
    input: {
      params: Type.Object({ letter_id: LetterId }),
      query: Type.Exact({
        language: Type.Optional(OneOf(languages, 'Language of the certificate.')),
      }),
    },
    responses: {
      200: {
        description: 'The facts and their proof',
        schema: Proof,
        produces: ['application/json', 'application/pdf'],
      },
    },
    errors: ['letter_not_found', 'audit_too_long'],
    async handle({ params, query, caller, address, accept, acceptLanguage }) {
      const record = await letters.own(params.letter_id, caller);
      const { version } = record;
      const personal = await letters.personalOf(record);
      const proof = presentProof(record, personal, await ports.attest(record.letterId));
      if (accept !== 'application/pdf') return { body: proof, version };
      const ofLetter = personal?.stationery?.language;
      const language = query.language ?? preferredOf(acceptLanguage) ?? ofLetter ?? 'en';
      const certificate = presentCertificate(proof, record, personal, {
        language,
        service: ports.serviceName,
        verifyUrl: ports.baseUrl + ports.certificateLinks.pathOf(record.letterId),
      });
      const headers = {
        'Content-Disposition': `inline; filename="proof-${record.letterId}.pdf"`,
        'Content-Language': language,
      };
      return {
        body: await ports.renderCertificate(certificate, callerRefOf(caller, address)),
        headers,
        version,
      };
    },
  });
