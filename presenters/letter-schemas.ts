/** The JSON schemas of a letter as callers see it. presenters/letter.ts makes the letters. */

import { letterStatuses } from '../contract/letter-status.ts';
import { Type } from '../ground/type.ts';
import { findingCodes } from '../postal/preflight-findings.ts';
import { languages } from '../postal/stationery.ts';
import { countryCodes, intents, serviceIds } from '../postal/types.ts';
import { Day, LetterId, Nullable, OneOf, Timestamp, Usd } from './common.ts';

export const DiscountTaken = Type.Object(
  {
    contract_id: Type.String(),
    rate: Type.Number({ description: 'Discount on printing: 0.1 is 10 %.' }),
    amount: Type.Number({ description: 'USD.' }),
  },
  {
    title: 'Discount',
    description:
      'The discount of a volume contract on printing. The lines already include it: do not subtract it again.',
  },
);

export const Price = Type.Named('Price', {
  postage: Usd,
  printing: Usd,
  handling: Type.Number({ description: 'Surcharge of the intent class and commission, USD.' }),
  commission: Type.Number({ description: 'The commission in `handling`, USD.' }),
  total: Type.Number({ description: 'postage + printing + handling, USD.' }),
  currency: Type.Literal('USD'),
  discount: Type.Optional(DiscountTaken),
});

export const Warning = Type.Named('Warning', {
  pointer: Type.String(),
  code: Type.String(),
  detail: Type.String(),
});

const Millimetres = Type.Number({ description: 'mm' });

/** A finding of preflight about one place of a document. */
export const Finding = Type.Named('Finding', {
  code: OneOf(findingCodes),
  severity: OneOf(['error', 'warning']),
  page: Nullable(Type.Integer({ description: 'From 1; null: the whole document.' })),
  zone: Nullable(Type.String({ description: 'The zone that must be free.' })),
  box_mm: Nullable(
    Type.Object(
      { x: Millimetres, y: Millimetres, width: Millimetres, height: Millimetres },
      { description: 'The content in the zone, measured from the top left of the page.' },
    ),
  ),
  move_mm: Nullable(
    Type.Object(
      { x: Millimetres, y: Millimetres },
      { description: 'The smallest shift that clears the zone; null if no shift is enough.' },
    ),
  ),
  hint: Type.String(),
});

const Abilities = Type.Object(
  {
    update: Type.Boolean(),
    cancel: Type.Boolean(),
    delete: Type.Boolean(),
    send: Type.Boolean(),
  },
  { title: 'Abilities', description: 'What can be done with the letter now.' },
);

const DeliveryWindow = Type.Object(
  { earliest: Day, latest: Day },
  {
    title: 'DeliveryWindow',
    description:
      'The days on which delivery is expected. They stay when the letter is cancelled or fails.',
  },
);

const CancellableUntil = Nullable(
  Type.String({
    format: 'date-time',
    description:
      'Until then the letter can be cancelled for sure. The time stays when the letter is cancelled or fails: `abilities.cancel` says whether it can be cancelled now. Null for a draft.',
  }),
);

/** Null where there is no `content`: a PDF. */
export const ContentType = Nullable(
  OneOf(['text', 'html'], 'The type detected for `content`; null without content.'),
);

export const SlaDays = Type.Integer({
  description: 'Business days from hand-over to domestic delivery.',
});

const Status = OneOf(letterStatuses);
const Service = OneOf(serviceIds);
const Intent = OneOf(intents);

/** The answer to a send. */
export const SentLetter = Type.Named('SentLetter', {
  letter_id: LetterId,
  status: Status,
  service: Service,
  intent: Intent,
  sla_days: SlaDays,
  content_type: ContentType,
  price: Price,
  message: Type.String(),
  pages: Type.Integer(),
  sheets: Type.Integer(),
  reference: Nullable(Type.String()),
  hold_reason: Nullable(OneOf(['requested', 'funds', 'approval'])),
  cancellable_until: CancellableUntil,
  expected_delivery: DeliveryWindow,
  abilities: Abilities,
  warnings: Type.Array(Warning),
  test: Type.Boolean(),
});

const side = <P extends 'to' | 'from'>(prefix: P) =>
  ({
    [`${prefix}_name`]: Type.String(),
    [`${prefix}_company`]: Nullable(Type.String()),
    [`${prefix}_line1`]: Type.String(),
    [`${prefix}_line2`]: Nullable(Type.String()),
    [`${prefix}_city`]: Type.String(),
    [`${prefix}_state`]: Nullable(Type.String()),
    [`${prefix}_postal_code`]: Type.String(),
    [`${prefix}_country`]: OneOf(countryCodes),
  }) as const;

export const Tracking = Type.Named('Tracking', {
  tracking_class: OneOf(['none', 'sync', 'async']),
  carrier: Type.String(),
  tracking_number: Nullable(Type.String()),
  tracking_url: Nullable(Type.String()),
});

const OccurredAt = Type.Optional(
  Type.String({
    format: 'date-time',
    description:
      'When it happened, as the print house or carrier reports it. `at` is when it was recorded.',
  }),
);

const Inferred = Type.Optional(
  Type.Boolean({
    description: 'Inferred from a later report: nobody reported this step, nor when it happened.',
  }),
);

const TimelineEntry = Type.Named('TimelineEntry', {
  status: OneOf([...letterStatuses, 'returned']),
  at: Timestamp,
  source: Type.String({ description: 'api, partner, carrier, operator or simulator.' }),
  inferred: Inferred,
  occurred_at: OccurredAt,
});

export const LetterDetail = Type.Named('Letter', {
  letter_id: LetterId,
  status: Status,
  service: Service,
  intent: Intent,
  ...side('to'),
  ...side('from'),
  sla_days: SlaDays,
  content_type: ContentType,
  content: Type.Optional(Nullable(Type.String())),
  reference: Nullable(Type.String()),
  metadata: Type.Record(Type.String(), Type.String()),
  language: Nullable(
    OneOf(
      languages,
      'Language of the text that the service prints and mails, such as the date; null once the letter is erased.',
    ),
  ),
  color: Type.Boolean(),
  duplex: Type.Boolean(),
  pages: Type.Integer(),
  sheets: Type.Integer(),
  price: Price,
  pricing_version: Type.String(),
  send_date: Nullable(Day),
  hold_reason: Nullable(OneOf(['requested', 'funds', 'approval'])),
  cancellable_until: CancellableUntil,
  expected_delivery: DeliveryWindow,
  tracking: Tracking,
  timeline: Type.Array(TimelineEntry),
  production: Nullable(
    Type.Object(
      { state: OneOf(['waiting_for_partner', 'with_partner']), since: Timestamp },
      {
        title: 'Production',
        description:
          'While the letter is `processing`: whether the print partner already has the job. If the partner cannot be reached, the letter waits and is handed over later.',
      },
    ),
  ),
  documents: Type.Array(
    Type.Object({
      kind: Type.Literal('letter'),
      format: OneOf(['text', 'html', 'pdf']),
      pages: Type.Integer(),
      cover_page: Type.Boolean({
        description: 'The service added an address page as the first page.',
      }),
      address_placement: Nullable(OneOf(['stamp', 'in_document', 'insert_page'])),
      commitment: Type.String({
        description:
          'sha256(salt ‖ document as sent), base64url. A text has line feeds as line ends and is in NFC.',
      }),
    }),
  ),
  abilities: Abilities,
  delivery_outcome: Nullable(OneOf(['delivered', 'returned'])),
  failure: Nullable(
    Type.Object({
      code: Type.String(),
      stage: Type.String(),
      retryable: Type.Boolean(),
      detail: Type.String(),
      at: Timestamp,
    }),
  ),
  cancellation: Nullable(
    Type.Object({
      status: OneOf(['requested', 'accepted', 'rejected']),
      at: Timestamp,
      reason: Nullable(Type.String()),
    }),
  ),
  warnings: Type.Array(Warning),
  test: Type.Boolean(),
  created_at: Timestamp,
  updated_at: Timestamp,
});

export const TrackedLetter = Type.Named('TrackedLetter', {
  letter_id: LetterId,
  status: Status,
  tracking_class: OneOf(['none', 'sync', 'async']),
  carrier: Type.String(),
  tracking_number: Nullable(Type.String()),
  tracking_url: Nullable(Type.String()),
  expected_delivery: DeliveryWindow,
  delivery_outcome: Nullable(OneOf(['delivered', 'returned'])),
  evidence: Nullable(OneOf(['carrier_scan', 'signature', 'recipient_report', 'simulated'])),
  events: Type.Array(
    Type.Object({
      status: OneOf([...letterStatuses, 'returned']),
      at: Timestamp,
      inferred: Inferred,
      occurred_at: OccurredAt,
      detail: Type.String(),
      source: Type.String(),
      location: Nullable(Type.String()),
    }),
  ),
  test: Type.Boolean(),
});

export const DeletedLetter = Type.Named('DeletedLetter', {
  letter_id: LetterId,
  deleted: Type.Literal(true),
});
