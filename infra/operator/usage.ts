export const usage = `Usage: npm run operator -- COMMAND …

  credit ACCOUNT AMOUNT --reference TEXT [--bucket fiat|crypto]
      Adds AMOUNT USD to a live wallet, once per account and reference.
      fiat (default): whole cents, commission 5 % when spent; crypto: up to 6 decimals, 2.5 %.

  advance LETTER STATUS [--evidence EVIDENCE] [--tracking NUMBER] [--reason CODE]
      Reports what happened to a live letter: processing, posted, in_transit, delivered,
      returned or failed. Steps that are skipped are added and marked as inferred.
      delivered needs --evidence: carrier_scan, signature or recipient_report.
      --tracking goes with posted, in_transit and delivered; --reason (lower case, digits, _)
      with returned and failed.

  rebuild PROJECTION|all
      Fills a read model again from the log, beside the one that is read, and flips at the head.
      Projections: accounts, letters, wallets, notifications.

  verify
      Walks the whole log: positions, versions, hash links, schemas, money, letters against
      reservations, wallet rows against the events. Names the first bad position.

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
