-- Indexes with which the work for one webhook or account reads none of the messages of others.

-- Instead of messages_open: also finds all open messages of a webhook. It contains the lane, as an index without
-- it could be chosen for a look-up by lane while the statistics are old.
create index messages_open_of_endpoint
  on deliveries.messages (kind, endpoint_id, lane, position) where state in ('due', 'waiting');
-- Messages that were put off as their credential is missing: without an attempt, and due in the future.
create index messages_put_off
  on deliveries.messages (next_at, position) where kind = 'audit' and state = 'due' and attempts = 0;
-- For the erasure of an account.
create index messages_of_account on deliveries.messages (account_id);
drop index deliveries.messages_open;
