import type { Reactor } from './reactor.ts';

/** Forgets the image of a deleted logo and exported copies of it, also if the deleting process died in between. */
export const createEraseLogos = (ports: {
  erase(blob: string): Promise<void>;
  /** Removes archives of the account that may contain the logo. Those that are being made start again. */
  leaveOutOfExports(accountId: string, erasedAt: Date): Promise<void>;
}): Reactor => ({
  name: 'erase-logos',
  react(event) {
    if (event.type !== 'LogoDeleted') return undefined;
    const { accountId, blob } = event.data;
    return async () => {
      await ports.erase(blob);
      await ports.leaveOutOfExports(accountId, new Date(event.metadata.at));
    };
  },
});
