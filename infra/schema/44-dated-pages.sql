-- When the pages that the print house has were set, so that the letter is shown with the date on these pages.

alter table print.hand_overs add column dated_at timestamptz; -- null: an earlier version handed the job over
