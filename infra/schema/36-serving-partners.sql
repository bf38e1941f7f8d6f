-- Only the print house that took a job may remember it, so a restore must know which ones may have taken some.
alter table reactors.log_generations
  add column partner text,           -- prints live letters, with the address of a house over HTTP
  add column earlier_partners text[]; -- all that may have printed since the backup that it began with; null: unknown
