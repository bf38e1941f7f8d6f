import { expect } from 'chai';
import { clocksDifferMs } from '../../ground/clock.ts';
import { createTrustedClock } from '../../ground/trusted-clock.ts';
import { seeded } from '../support/seeded.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** A machine whose clock a test sets. */
const createMachine = () => {
  const machine = { nowMs: Date.parse('2026-11-20T09:00:00Z'), upMs: 5 * dayMs };
  return {
    machine,
    clock: () => machine.nowMs,
    uptimeMs: () => machine.upMs,
    pass(ms: number): void {
      machine.nowMs += ms;
      machine.upMs += ms;
    },
    jump(ms: number): void {
      machine.nowMs += ms;
    },
  };
};

describe('a trusted clock', () => {
  it('goes on as before a jump forward until the clock has run on for an hour', () => {
    const { machine, pass, jump, ...ports } = createMachine();
    const jumps: number[] = [];
    const { now: trusted } = createTrustedClock({
      ...ports,
      jumped: (byMs) => jumps.push(byMs),
    });
    const began = machine.nowMs;
    expect(trusted()).to.equal(began);
    jump(40 * dayMs);
    expect(trusted()).to.equal(began);
    pass(hourMs - 1);
    expect(trusted()).to.equal(began + hourMs - 1);
    pass(1);
    expect(trusted()).to.equal(machine.nowMs);
    expect(jumps).to.deep.equal([40 * dayMs]);
  });

  it('takes a jump forward that is set right for nothing', () => {
    const { machine, pass, jump, ...ports } = createMachine();
    const { now: trusted } = createTrustedClock(ports);
    jump(dayMs);
    trusted();
    pass(60_000);
    jump(-dayMs);
    expect(trusted()).to.equal(machine.nowMs);
  });

  it('follows small corrections at once', () => {
    const { machine, pass, jump, ...ports } = createMachine();
    const { now: trusted } = createTrustedClock(ports);
    for (const byMs of [20_000, -30_000, 59_000]) {
      jump(byMs);
      pass(1_000);
      expect(trusted()).to.equal(machine.nowMs);
    }
  });

  it('begins with the time that is known to have passed', () => {
    const { machine, pass, jump: _, ...ports } = createMachine();
    const passedMs = machine.nowMs - 400 * dayMs;
    const { now: trusted } = createTrustedClock({ ...ports, passedMs });
    pass(1_000);
    expect(trusted()).to.equal(passedMs + 1_000);
    pass(hourMs);
    expect(trusted()).to.equal(machine.nowMs);
  });

  it('names the times that the last jump skipped, and not those after it', () => {
    const { machine, pass, jump, ...ports } = createMachine();
    const { skipped } = createTrustedClock(ports);
    expect(skipped()).to.equal(undefined);
    const began = machine.nowMs;
    pass(2_000);
    jump(dayMs);
    pass(3_000);
    // The jump may have happened just after the last look.
    const toMs = began + dayMs;
    expect(skipped()).to.deep.equal({ fromMs: began + 5_000, toMs });
    pass(hourMs - 1);
    expect(skipped()).to.deep.equal({ fromMs: began + 5_000 + hourMs - 1, toMs });
    pass(1);
    expect(skipped()).to.equal(undefined);
  });

  it('names no skipped times where the jump is set right', () => {
    const { jump, machine, pass: _, ...ports } = createMachine();
    const { skipped } = createTrustedClock(ports);
    jump(dayMs);
    expect(skipped()).to.deep.equal({ fromMs: machine.nowMs - dayMs, toMs: machine.nowMs });
    jump(-dayMs);
    expect(skipped()).to.equal(undefined);
  });

  it('shows no time of which less than an hour of the clock came before, whatever jumps', () => {
    const random = seeded(11);
    for (let round = 0; round < 300; round++) {
      const { machine, pass, jump, ...ports } = createMachine();
      const { now: trusted } = createTrustedClock(ports);
      // The model: what the clock was ahead by while it ran on, without a jump, for an hour.
      let believed = machine.nowMs - machine.upMs;
      let sinceMs = Number.NEGATIVE_INFINITY;
      for (let step = 0; step < 40; step++) {
        const isJump = random() < 0.3;
        if (isJump) {
          const sign = random() < 0.6 ? 1 : -1;
          jump(sign * (clocksDifferMs + 1 + Math.floor(random() * 90 * dayMs)));
          sinceMs = machine.upMs;
        } else pass(Math.floor(random() * hourMs));
        if (machine.upMs - sinceMs >= hourMs) believed = machine.nowMs - machine.upMs;
        expect(trusted()).to.equal(Math.min(machine.nowMs, believed + machine.upMs));
      }
    }
  });
});
