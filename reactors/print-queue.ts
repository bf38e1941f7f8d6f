/**
 * The queue of rendered letters in front of each print partner. Letters are rendered while others wait for
 * their partner. A slow partner stops the rendering when what waits for it takes up the memory that is set
 * aside for it.
 */

import { createSlots } from '../limits/slots.ts';
import { defaultLimits } from '../limits/table.ts';
import type { PrintPartner } from './print-partner.ts';

const defaults = {
  rendering: defaultLimits.letterRendering,
  atPartner: defaultLimits.callsPerPrintPartner,
  bytes: defaultLimits.renderedBytes,
};

type Render = (make: () => Promise<Buffer>) => Promise<Buffer>;

export const createPrintQueue = (most: typeof defaults = defaults) => {
  const rendering = createSlots(most.rendering);
  const partners = createSlots(most.atPartner);
  const waitingForRoom: (() => void)[] = [];
  let bytes = 0;

  const room = async (): Promise<void> => {
    while (bytes >= most.bytes) await new Promise<void>((resolve) => waitingForRoom.push(resolve));
  };

  const leave = (size: number): void => {
    bytes -= size;
    for (const look of waitingForRoom.splice(0)) look();
  };

  return {
    /**
     * Hands a letter over. The document that `render` made counts as waiting until then, even if the
     * hand-over fails: it is rendered again for the next try.
     */
    async pass<T>(handOver: (render: Render) => Promise<T>): Promise<T> {
      let size = 0;
      const render: Render = (make) =>
        rendering.whenFree(async () => {
          await room();
          const pdf = await make();
          size += pdf.length;
          bytes += pdf.length;
          return pdf;
        });
      try {
        return await handOver(render);
      } finally {
        leave(size);
      }
    },

    /**
     * The partner, asked and given letters in turn. `assertOwner` runs when it is a letter's turn, right
     * before the partner gets it.
     */
    inTurn(
      partner: PrintPartner,
      assertOwner: () => Promise<void>,
    ): Pick<PrintPartner, 'status' | 'submit'> {
      return {
        status: (jobId) => partners.whenFree(() => partner.status(jobId), partner.name),
        submit: (job) =>
          partners.whenFree(async () => {
            await assertOwner();
            await partner.submit(job);
          }, partner.name),
      };
    },
  };
};
