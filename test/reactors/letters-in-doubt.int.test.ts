import { expect } from 'chai';
import { letterAggregate } from '../../commands/letters/letter.ts';
import { acceptJob, startProduction } from '../../commands/letters/letter-production.ts';
import { createLettersAtHand } from '../../commands/letters/letters-at-hand.ts';
import { takeHandedOver } from '../../reactors/letters-in-doubt.ts';
import { PartnerUnavailable, type PrintPartner } from '../../reactors/print-partner.ts';
import { centsOf, createLetterWorld, letterTo, plainly } from '../support/letter-world.ts';
import { nothingRestored } from '../support/nothing-restored.ts';

describe('letters that a print house may have after a restore', () => {
  it('are taken into production if they are queued and it has them, and asked for once if it has not', async () => {
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

  it('are paid back if it gave them back after the backup, and it is asked once for those that it keeps', async () => {
    const world = createLetterWorld();
    await world.fund(10_000n);
    const jobs = new Map<string, 'accepted' | 'recalled'>();
    const calls: string[] = [];
    const partner = {
      name: 'house',
      house: 'https://house.example/',
      remembersJobs: true,
      async status(jobId) {
        calls.push(jobId);
        return jobs.get(jobId) ?? 'unknown';
      },
    } as PrintPartner;
    const handedOver = async (name: string, house?: string): Promise<string> => {
      const { letterId } = await world.letters.send(letterTo(), plainly, world.asked(name));
      const job = { partner: 'house', house, jobId: letterId };
      await world.handler.handle(letterAggregate, letterId, world.context(), (letter) =>
        startProduction(letter, { type: 'StartProduction', source: 'partner', ...job }),
      );
      await world.handler.handle(letterAggregate, letterId, world.context(), (letter) =>
        acceptJob(letter, { type: 'AcceptJob', ...job }),
      );
      await world.settle(letterId);
      return letterId;
    };
    const [given, kept] = [await handedOver('given'), await handedOver('kept')];
    const elsewhere = await handedOver('elsewhere', 'https://earlier.example/');
    for (const letterId of [given, elsewhere]) jobs.set(letterId, 'recalled');
    jobs.set(kept, 'accepted');
    const ports = {
      letters: createLettersAtHand(world.process().handler),
      restored: nothingRestored,
      partner,
      partners: [partner],
    };
    const asked = new Set<string>();
    for (let look = 0; look < 2; look++) {
      await takeHandedOver(ports, [given, kept, elsewhere], asked);
    }
    expect(calls).to.deep.equal([given, kept]);
    expect((await world.letter(given)).status).to.equal('failed');
    for (const letterId of [kept, elsewhere]) {
      expect((await world.letter(letterId)).status).to.equal('processing');
    }
    const before = centsOf((await world.wallet()).available);
    await world.settle(given);
    expect(centsOf((await world.wallet()).available) > before).to.equal(true);
  });
});
