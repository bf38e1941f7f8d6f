import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { expect } from 'chai';
import fc from 'fast-check';
import * as tasks from '../../documents/preflight/tasks.ts';
import { machineMemoryBytes } from '../../ground/machine-memory.ts';
import { memorySharesOf } from '../../limits/memory-shares.ts';
import { defaultLimits } from '../../limits/table.ts';
import { serviceTurn } from '../../limits/turn.ts';
import { createWorkers } from '../../limits/workers.ts';
import { bomb, onePage, request, streamObject } from '../documents/preflight/samples.ts';
import { withMachineMemory } from '../support/machine-memory.ts';

const mebibyte = 1024 ** 2;
const gibibyte = 1024 ** 3;

describe('the memory of the machine', () => {
  it('is that of the container where it has a limit', async () => {
    const limited = Math.floor(totalmem() / 2);
    expect(await withMachineMemory(limited, machineMemoryBytes)).to.equal(limited);
    for (const unlimited of [0, 2 ** 64]) {
      expect(await withMachineMemory(unlimited, machineMemoryBytes)).to.equal(totalmem());
    }
  });
});

describe('the share of documents in the memory of a machine', () => {
  const sizes = fc.integer({ min: 256, max: 65_536 }).map((count) => count * mebibyte);

  it('never grows on a smaller machine, and always suffices for one ordinary letter', () => {
    fc.assert(
      fc.property(sizes, sizes, (a, b) => {
        const small = memorySharesOf(Math.min(a, b));
        const large = memorySharesOf(Math.max(a, b));
        for (const [name, value] of Object.entries(small)) {
          expect(value, name).to.be.at.most(large[name as keyof typeof large]);
        }
        expect(small.threads).to.be.within(1, defaultLimits.workerThreads);
        expect(small.browsers).to.be.within(1, defaultLimits.browsers);
        expect(small.pdfiumBytes).to.be.at.least(256 * mebibyte);
        expect(small.bytesPerBrowser).to.be.at.least(256 * mebibyte);
        expect(small.bytesOfBrowsers).to.be.at.least(small.browsers * 256 * mebibyte);
      }),
    );
  });

  it('leaves a gibibyte to all else when the browsers of two processes take all that they may', () => {
    const enough = sizes.filter((bytes) => bytes >= 1.5 * gibibyte);
    fc.assert(
      fc.property(enough, (bytes) => {
        const { bytesOfBrowsers } = memorySharesOf(bytes);
        expect(bytes - 2 * bytesOfBrowsers).to.be.at.least(gibibyte);
      }),
    );
  });

  it('is what the guide says', () => {
    const guide = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');
    const rows = [...guide.matchAll(/^\| (\d+) GB(?: or more)? \| (.*) \|$/gm)];
    expect(rows).to.have.length(4);
    for (const [, size, cells] of rows) {
      const shares = memorySharesOf(Number(size) * gibibyte);
      const { threads, browsers } = shares;
      const [pdfium, each, together] = [
        ...[shares.pdfiumBytes, shares.bytesPerBrowser, shares.bytesOfBrowsers],
      ].map((bytes) => `${bytes / mebibyte} MB`);
      expect(cells).to.equal([threads, pdfium, browsers, each, together].join(' | '));
    }
  });

  it('bounds the threads of a process', async () => {
    const workers = await withMachineMemory(gibibyte, () =>
      createWorkers({ turnOf: async () => serviceTurn }),
    );
    try {
      const module = new URL('./worker-tasks.ts', import.meta.url);
      const task = { module, name: 'work', timeoutMs: 10_000, brief: false };
      const work = () => workers.pool.run(task, { ms: 1 }, serviceTurn);
      await Promise.all(Array.from({ length: 8 }, work));
      expect(workers.pool.stats().threads).to.equal(2);
    } finally {
      await workers.close();
    }
  });

  it('bounds PDFium', async () => {
    const inflating = streamObject('/Filter /FlateDecode', bomb(300, '1 0 0 m '));
    const pdf = new Uint8Array(onePage({ content: inflating }));
    const { error } = console;
    // PDFium writes a line each time that it gets nothing.
    console.error = () => {};
    await withMachineMemory(gibibyte, tasks.open).finally(() => {
      console.error = error;
    });
    await tasks.check({ pdf, request: request() }).catch(() => undefined);
    expect(tasks.heldBytes()).to.be.within(16 * mebibyte, 256 * mebibyte);
  });
});
