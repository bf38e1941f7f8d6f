import { createLinkTokens } from '../../read-api/link-tokens.ts';
import type { DerivedKeys } from '../foundation/keys.ts';

type Ports = { keys: Pick<DerivedKeys, 'derive'> };

/** Tokens that open the page of an order. */
export const orderTokensOf = ({ keys }: Ports) => createLinkTokens(keys.derive('order-links'));

/** The address of the page that shows an order to its payer. */
export const orderPageOf = (ports: Ports, baseUrl: string) => {
  const tokens = orderTokensOf(ports);
  return (orderId: string): string =>
    `${baseUrl}/order/${orderId}?secret=${tokens.tokenOf(orderId)}`;
};
