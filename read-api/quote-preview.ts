import { AppError } from '../contract/errors.ts';
import { type AnyOperation, operation } from '../contract/operation.ts';
import { numberOf } from '../ground/plural.ts';
import { Type } from '../ground/type.ts';
import { assertReachable } from '../identity/ucan/permits.ts';
import { type CallerRef, callerRefOf } from '../limits/turn.ts';
import { PageNumber } from '../presenters/common.ts';

type QuotePreviewPorts = {
  /**
   * A quote of the account with a document. `pages` is undefined if the document was refused.
   * @throws AppError not_found, quote_expired, store_unavailable; `draw` not_found without such a page,
   * overloaded
   */
  openQuoted: (
    quoteId: string,
    accountId: string,
  ) => Promise<{
    country: string;
    service: string;
    intent: string;
    pages: number | undefined;
    draw: (page: number, by: CallerRef) => Promise<Buffer>;
  }>;
};

export const quotePreviewOperation = ({ openQuoted }: QuotePreviewPorts): AnyOperation =>
  operation({
    name: 'preview_quote',
    method: 'GET',
    path: '/api/quotes/{quote_id}/preview/{page}.png',
    tag: 'Catalogue',
    summary: 'Preview a page of a quoted letter',
    description:
      'Shows the page as it would be printed, with the same zones as the preview of a letter, until the quote expires. A refused document is shown as it was checked, with content inside zones that must be free in dark red; the answer to its quote contains the `preview_url`.',
    access: 'read',
    permit: { about: 'account', honours: ['countries', 'services', 'intents'] },
    input: {
      params: Type.Object({
        quote_id: Type.String({
          minLength: 1,
          maxLength: 40,
          description: 'Id of a quote that was made with `content`, `document` or `document_url`.',
        }),
        page: PageNumber,
      }),
    },
    responses: {
      200: { description: 'The page', schema: Type.String(), produces: ['image/png'] },
    },
    errors: [
      'not_found',
      'quote_expired',
      'address_invalid',
      'content_not_printable',
      'document_not_supported',
      'overloaded',
      'html_unavailable',
    ],
    async handle({ params, caller, address }) {
      const page = Number(params.page);
      const quoted = await openQuoted(params.quote_id, caller.accountId);
      const { pages, country, service, intent } = quoted;
      assertReachable(caller, { country, service, intent });
      if (pages !== undefined && page > pages) {
        throw new AppError(
          'not_found',
          `The quoted letter has ${numberOf(pages, 'page')}, so there is no page ${page}.`,
        );
      }
      return { body: await quoted.draw(page, callerRefOf(caller, address)) };
    },
  });
