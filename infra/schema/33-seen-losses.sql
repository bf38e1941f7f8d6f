-- Payments that a restore made unknown and that an operator has dealt with: `reconcile` no longer counts them.
create table operation.seen_losses (
  receipt_id text collate "C" primary key,       -- of the rail: a checkout or the hash of an invoice
  seen_by    text not null,                      -- the operator, in their own words
  seen_at    timestamptz not null default now()
);
