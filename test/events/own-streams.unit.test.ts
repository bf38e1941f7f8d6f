import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { RecordedEvent } from '../../events/event-store.ts';
import { hasOwnEvents } from '../../events/own-streams.ts';
import { asPosition } from '../../events/position.ts';

/** How the streams begin that the modules of events name. */
const prefixesIn = (): string[] => {
  const folder = new URL('../../events/', import.meta.url);
  const named =
    /(?:=> `([a-z-]+-)\$\{|(?:streamPrefix|mechRequestPrefix|volumeContractPrefix) = '([a-z-]+-)')/g;
  return readdirSync(folder)
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [...readFileSync(new URL(file, folder), 'utf8').matchAll(named)])
    .map(([, first, second]) => first ?? second ?? '');
};

const eventOf = (stream: string, type: string): RecordedEvent => ({
  stream,
  type,
  id: '0b6c6a52-7d5c-5a3e-9d55-2f8d9b1c7e11',
  version: 0n,
  position: asPosition(1n),
  data: '{}',
  metadata: '{}',
});

const isFound = (event: RecordedEvent): Promise<boolean> =>
  hasOwnEvents({
    readStream: async () => [],
    readAll: async ({ after }) => (after === 0n ? [event] : []),
  });

describe('a log that holds events of the service', () => {
  it('is known by any stream that a module of events names', async () => {
    const prefixes = prefixesIn();
    expect(prefixes).to.include.members(['letter-', 'account-', 'tracking-link-', 'mech-day-']);
    for (const prefix of prefixes) {
      expect(await isFound(eventOf(`${prefix}1`, 'LetterQueued')), prefix).to.equal(true);
    }
  });

  it('is not one that holds those of others only', async () => {
    expect(await isFound(eventOf('invoice-1', 'LetterQueued'))).to.equal(false);
    expect(await isFound(eventOf('letter-1', 'InvoiceSent'))).to.equal(false);
  });
});
