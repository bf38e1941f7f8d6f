export const usage = `Usage: npm run operator -- COMMAND …

  credit ACCOUNT AMOUNT --reference TEXT [--bucket fiat|crypto]
      Adds AMOUNT USD to a live wallet, once per account and reference.
      fiat (default): whole cents, commission 5 % when spent; crypto: up to 6 decimals, 2.5 %.

  adjust ACCOUNT AMOUNT --credit REFERENCE --reason TEXT [--below-zero]
      Makes the credit under REFERENCE what it should have been: AMOUNT, 0 to take it back. What
      was spent meanwhile is taken with --below-zero only; the wallet shows TEXT for ever.

  accounts [--blocked] [--limit N]
      Lists accounts, the newest first.

  account ACCOUNT
      Shows an account with its wallet, letters and keys. In this command and those below, ACCOUNT
      is an id, the e-mail address or agent_id that it was registered with, the id of one of its
      letters, or a letter's reference.

  new-key ACCOUNT [--scope full|send|read] [--label TEXT]
      Makes a key for whoever lost theirs, and shows it once.

  revoke-keys ACCOUNT [--key KEY_ID | --keep KEY_ID]
      Ends all keys, one, or all but one, and the UCANs that they issued.

  confirm-email ACCOUNT [--keep KEY_ID,…|all]
      Confirms the address that it was registered with. Keys of before may read and nothing else,
      but for those to keep.

  block ACCOUNT --reason TEXT
  unblock ACCOUNT
      A blocked account may read, cancel, delete and revoke, and nothing else.

  quotas ACCOUNT [--live-letters N] [--test-letters N] [--drafts N] [--bytes N]
      Shows what an account may do in place of the service's limits, or sets it; N or default.

  letters [--status STATUS,…] [--older-than 90m|24h|7d] [--stale] [--test] [--limit N]
      Lists letters that have been in a state for so long, the oldest first. --stale: longer than
      usual (queued 24 h, processing 2 days, posted 30 days).

  advance LETTER STATUS [--evidence EVIDENCE] [--tracking NUMBER] [--reason CODE] [--not-printed]
      Reports what happened to a live letter: processing, posted, in_transit, delivered,
      returned or failed. Steps that are skipped are added and marked as inferred.
      delivered needs --evidence: carrier_scan, signature or recipient_report.
      --tracking goes with posted, in_transit and delivered; --reason (lower case, digits, _)
      with returned and failed. A letter in production fails, and is paid back, with --not-printed
      only: you say that the print house has not printed it and never will.

  rebuild PROJECTION|all [--accept-log]
      Fills a read model again from the log, beside the one that is read, and flips at the head.
      Projections: accounts, ledger, letters, mails, notifications, wallets.
      --accept-log goes with all, for a log that does not fit the database and is the truth from now
      on: what the database knows of events that are not in the log is given up, their credentials
      and their place in the log of credentials with them. The service must be stopped.

  restored
  restored begin
  restored printed|not-printed LETTER…|all
      After a restore from a backup. begin, before the service is started: letters that the print
      house may have got since the backup are held back. Without an action: lists them. printed: the
      print house has them. not-printed: it does not, and they are handed over.

  copy-log --from STORE --to STORE [--switch]
      Copies the event log to another store: postgres (the service's database) or esdb://…
      Events keep their order, ids and bytes. It can be stopped, and goes on where it was when it is
      run again; the service may run meanwhile. With --switch, the service being stopped, it copies
      the rest, compares both logs whole and lets the database follow the copy.

  replay LETTER [--as-of EVENTS|TIME]
      Shows what happened to a letter, event by event, with its place in the log of credentials;
      up to a number of events or a time (2026-03-01T12:00:00Z). Shows nothing personal.

  reconcile [--from-block N]
      Compares the books with the chain, the Lightning node and Stripe, receipt by receipt, and
      says where they differ. Changes nothing; exits with 1 where anything differs.

  verify
      Walks the whole log: positions, versions, hash links, schemas, money, letters against
      reservations, wallet rows against the events, credentials and the log over them against
      what issuing gives. Names the first bad position.

  keys
      Lists the service's DID and keys.

  rotate-key [PURPOSE]
      Puts a new key in the place of the active one: credential, ucan, log or webhook; all of
      them when none is named. What the old keys signed stays valid.

  revoke-key KEY_ID --compromised-at INSTANT | --trusted-log-size N
      Ends the trust in a key that may be in other hands. What it signed counts below that size
      of the log only; INSTANT takes the last checkpoint kept of before it.

  reissue-credentials
      Issues every credential again beside those that are read, and puts them in their place if
      they are the same, byte for byte.

Works beside a running service and without one, with the service's environment (DATA_DIR or
DATABASE_URL, MASTER_KEY, EVENT_STORE …). Exit codes: 0 done, 1 refused or something is wrong,
2 written wrongly.

Examples:
  npm run operator -- credit acct_4f… 250.00 --reference "bank transfer 2026-11-20 / 8841"
  npm run operator -- advance 7c1e… posted --tracking "RR 12345678 5 DE"
  npm run operator -- advance 7c1e… delivered --evidence carrier_scan
  npm run operator -- rebuild all
  npm run operator -- verify
`;
