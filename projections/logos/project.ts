import type { AnyEvent } from '../../events/envelope.ts';
import type { LogoEvent } from '../../events/logo.ts';
import type { Projection } from '../projection.ts';
import { type LogoRow, logoTable } from './table.ts';

const logoStreams = 'logos-';

const isOfLogo = (event: AnyEvent): event is AnyEvent & LogoEvent =>
  event.type === 'LogoUploaded' || event.type === 'LogoDeleted';

/** The accounts of logos. The images and their use are in the stream of the account's logos. */
export const logoRows: Projection = {
  name: 'logos',
  version: 1,
  streams: [logoStreams],
  tables: [logoTable],
  async project(_source, events) {
    const rows = new Map<string, LogoRow>();
    for (const { type, data } of events.filter(isOfLogo)) {
      const { logoId, accountId } = data;
      const deleted = type === 'LogoDeleted';
      rows.set(logoId, { logo_id: logoId, account_id: accountId, deleted });
    }
    return logoTable.save(rows.values());
  },
};
