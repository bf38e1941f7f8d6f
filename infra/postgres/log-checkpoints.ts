/**
 * Every checkpoint and position in the event log that this database holds. It is the one list for the comparison
 * of log and database at the start, for `copy-log` and for `rebuild --accept-log`.
 */
import { liveTables } from '../identity/credential-tables.ts';

type Held = {
  table: string;
  column: string;
  /** SQL for the name of a consumer whose row also holds the last event that it took. */
  consumer?: string;
  /** Only these rows hold a position in the event log. */
  where?: string;
  /** When the log was copied: the position is translated, or the owner of the table does it. */
  onCopy: 'translate' | 'owner';
  /** When the database is set back: the position is, or rows of later events go, or the owner does it. */
  onSetBack: 'set' | 'delete' | 'owner';
};

export const logCheckpoints: readonly Held[] = [
  {
    table: 'read_models.checkpoints',
    column: 'position',
    onCopy: 'owner',
    onSetBack: 'owner',
    consumer: "'the read model ' || name",
  },
  {
    table: 'reactors.checkpoints',
    column: 'position',
    onCopy: 'translate',
    onSetBack: 'set',
    consumer: "'the reactor ' || name",
    // That one is a position in the log of credentials.
    where: "name <> 'publish-credentials'",
  },
  {
    table: 'deliveries.progress',
    column: 'position',
    onCopy: 'translate',
    onSetBack: 'set',
    consumer: "'the webhooks'",
  },
  { table: 'deliveries.progress', column: 'tell_after', onCopy: 'translate', onSetBack: 'set' },
  { table: 'deliveries.messages', column: 'position', onCopy: 'translate', onSetBack: 'delete' },
  { table: 'reactors.parked', column: 'before', onCopy: 'translate', onSetBack: 'delete' },
  { table: 'reactors.log_generations', column: 'head', onCopy: 'translate', onSetBack: 'owner' },
  { table: liveTables.log, column: 'position', onCopy: 'translate', onSetBack: 'owner' },
  { table: liveTables.issued, column: 'position', onCopy: 'owner', onSetBack: 'owner' },
];

/** The columns of the last event that a consumer took. */
export const markColumns = ['event_position', 'event_id'] as const;
