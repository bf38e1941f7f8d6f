-- The block from which transfers to us are taken: after a restore, blocks are read again, but none before it.
alter table payments.block_cursors add column first_block bigint;
update payments.block_cursors set first_block = block;
