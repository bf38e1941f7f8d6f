import { createSendLetter } from '../../commands/letters/send-letter.ts';
import { createFileWork } from '../../commands/preparation/file-work.ts';
import { createLetterFiles } from '../../commands/preparation/letter-files.ts';
import { fontMetrics } from '../../documents/render/font-metrics.ts';
import { defaultLimits } from '../../limits/table.ts';
import { usualPrices } from '../../postal/pricing.ts';
import { digest } from './digest.ts';
import { documentsOf } from './letter-world.ts';

type Given = Pick<
  Parameters<typeof createSendLetter>[0],
  'handler' | 'dataKeys' | 'clock' | 'cancellationWindowMs'
> &
  Partial<Pick<Parameters<typeof createSendLetter>[0], 'discountOf'>> &
  Pick<Parameters<typeof createLetterFiles>[0], 'blobs'>;

/** How a process of a simulation sends letters. */
export const playedLetters = ({ blobs, ...given }: Given) => {
  const { dataKeys } = given;
  const work = createFileWork();
  const files = createLetterFiles({ blobs, dataKeys, claim: async () => {}, work });
  return createSendLetter({
    discountOf: async () => undefined,
    ...given,
    files,
    isKnownRecipient: async () => false,
    documents: documentsOf(),
    metrics: fontMetrics(),
    logos: { read: async () => Buffer.alloc(0) },
    prices: () => usualPrices,
    limits: defaultLimits,
    indexOf: digest,
  });
};
