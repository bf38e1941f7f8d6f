/** The page on which a recipient follows a letter, and the link to it. */
import { createTrackingLinks } from '../../commands/letters/tracking-links.ts';
import { trackingUrlOf } from '../../presenters/tracking-link.ts';
import { createLinkTokens } from '../../read-api/link-tokens.ts';
import { trackingPageOperation } from '../../read-api/tracking-page.ts';
import { trackingLinkOperations } from '../../write-api/tracking-links.ts';
import type { Commands } from '../foundation/basics.ts';
import type { DerivedKeys } from '../foundation/keys.ts';
import type { Wing } from '../foundation/wing.ts';
import { pageServiceOf } from './page-service.ts';

type Ports = { keys: DerivedKeys; commands: Pick<Commands, 'handler'> };

const trackingLinksOf = ({ keys, commands: { handler } }: Ports) =>
  createTrackingLinks({ handler, codes: createLinkTokens(keys.derive('tracking-links')) });

/** The address of a letter's tracking page; undefined once its link was revoked. */
export const trackingPageOf = (ports: Ports, baseUrl: string) => {
  const links = trackingLinksOf(ports);
  return async (letterId: string): Promise<string | undefined> => {
    const token = await links.currentToken(letterId);
    return token === undefined ? undefined : trackingUrlOf(baseUrl, letterId, token);
  };
};

export const tracking: Wing = {
  name: 'tracking',
  open: (site) => {
    const links = trackingLinksOf(site);
    const { readLetter, currentLetter } = site.shared.letterReader;
    const { clock, baseUrl } = site;
    return {
      write: () => trackingLinkOperations({ links, readLetter, baseUrl }),
      read: () => [
        trackingPageOperation({
          currentLetter,
          opens: links.opens,
          service: pageServiceOf(site),
          clock,
        }),
      ],
    };
  },
};
