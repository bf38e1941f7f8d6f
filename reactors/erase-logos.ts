import type { Reactor } from './reactor.ts';

/** Forgets the image of a deleted logo, also if the deleting process died in between. */
export const createEraseLogos = (ports: { erase(blob: string): Promise<void> }): Reactor => ({
  name: 'erase-logos',
  react(event) {
    if (event.type !== 'LogoDeleted') return undefined;
    const { blob } = event.data;
    return () => ports.erase(blob);
  },
});
