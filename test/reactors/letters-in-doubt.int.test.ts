import { expect } from 'chai';
import { createLettersAtHand } from '../../commands/letters/letters-at-hand.ts';
import { takeHandedOver } from '../../reactors/letters-in-doubt.ts';
import { PartnerUnavailable, type PrintPartner } from '../../reactors/print-partner.ts';
import { createLetterWorld, letterTo, plainly } from '../support/letter-world.ts';
import { nothingRestored } from '../support/nothing-restored.ts';

describe('queued letters that a print house may have after a restore', () => {
  it('are taken into production if it has them, and asked for once if it has not', async () => {
    const world = createLetterWorld();
    await world.fund(10_000n);
    const letterIds: string[] = [];
    for (const name of ['taken', 'free']) {
      letterIds.push((await world.letters.send(letterTo(), plainly, world.asked(name))).letterId);
    }
    const [taken, free] = letterIds;
    const calls: string[] = [];
    let isAway = true;
    const partner = {
      name: 'house',
      remembersJobs: true,
      async status(jobId) {
        if (isAway) throw new PartnerUnavailable('down', true);
        calls.push(jobId);
        return jobId === taken ? 'accepted' : 'unknown';
      },
    } as PrintPartner;
    const ports = {
      letters: createLettersAtHand(world.process().handler),
      restored: nothingRestored,
      partner,
      partners: [partner],
    };
    const asked = new Set<string>();
    const failure = await takeHandedOver(ports, letterIds, asked).catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(PartnerUnavailable);
    isAway = false;
    await takeHandedOver(ports, letterIds, asked);
    await takeHandedOver(ports, letterIds, asked);
    expect(calls).to.deep.equal([taken, free]);
    expect((await world.letter(taken ?? '')).status).to.equal('processing');
    expect((await world.letter(free ?? '')).status).to.equal('queued');
  });
});
