/** The findings of `operator verify` about the money of letters in the log of one service. At the end nothing is open. */
import type { DecodedEvent } from '../../events/envelope.ts';
import { isLetterStream, type LetterEvent } from '../../events/letter.ts';
import type { WalletEvent } from '../../events/wallet.ts';
import { createFindings } from '../../operator/verify/findings.ts';
import { createLetterCheck } from '../../operator/verify/letters.ts';
import { createWalletCheck } from '../../operator/verify/wallets.ts';

export const verifyMoney = (log: readonly DecodedEvent[]): string[] => {
  const findings = createFindings();
  const money = createWalletCheck(findings);
  const letters = createLetterCheck(findings, money);
  for (const event of log) {
    if (event.stream.startsWith('wallet-')) money.check(event as DecodedEvent<WalletEvent>);
    else if (isLetterStream(event.stream)) letters.check(event as DecodedEvent<LetterEvent>);
  }
  money.finish();
  letters.finish();
  const { open } = letters.totals();
  return [
    ...findings.list().map(({ position, detail }) => `verify: ${position}: ${detail}`),
    ...(open === 0 ? [] : [`verify: ${open} letters are not settled`]),
  ];
};
