import { toTimestamp } from '../ground/clock.ts';
import type { AuditedEvent } from '../identity/audit-history.ts';
import { isCovered } from '../identity/audit-history.ts';
import type { Until } from '../infra/readers/audit-reader.ts';
import { theLetter } from '../service/operating/find-letters.ts';
import { type CommandWork, Refused, UsageError } from './command.ts';
import { defineCommand } from './define-command.ts';
import { instantIn } from './instant.ts';
import { table } from './table.ts';

const untilOf = (asOf: string | undefined): Until | undefined => {
  if (asOf === undefined) return undefined;
  if (/^[1-9]\d{0,8}$/.test(asOf)) return { sequence: Number(asOf) };
  const time = instantIn(asOf);
  if (Number.isNaN(time)) {
    throw new UsageError(
      `--as-of ${asOf} is neither a number of events nor a time with a time zone (2026-03-01T12:00:00Z)`,
    );
  }
  return { time: toTimestamp(time) };
};

const header = ['no', 'position', 'time', 'event', 'status', 'source', 'log', 'event hash'];

const rowOf = (event: AuditedEvent): string[] => [
  String(event.sequence),
  String(event.position),
  event.occurredAt,
  event.name,
  event.status,
  event.source,
  event.credential === undefined ? '' : String(event.credential.logIndex),
  event.eventHash.slice('sha-256:'.length, 'sha-256:'.length + 12),
];

/** @throws UsageError */
const replay = (positionals: string[], options: { 'as-of'?: string }): CommandWork => {
  const [name, ...rest] = positionals;
  if (name === undefined || rest.length > 0) throw new UsageError('replay takes LETTER');
  const until = untilOf(options['as-of']);
  return async (foundation, print) => {
    const { letterId } = await theLetter(foundation, name);
    const reader = foundation.shared.auditReader;
    const audit = await reader.readAudit(letterId, until === undefined ? {} : { until });
    if (!audit) throw new Refused(`there is no letter ${letterId}`);
    const { events, checkpoint } = audit.history;
    for (const line of table([header, ...events.map(rowOf)])) print(line);
    const covered = events.filter((event) => isCovered(event, checkpoint)).length;
    const state = events.at(-1)?.status || 'not there yet';
    print(`Letter ${letterId} is ${state}; ${covered} of ${events.length} events are in the log.`);
  };
};

export const replayCommand = defineCommand({
  name: 'replay',
  usage: 'LETTER [--as-of EVENTS|TIME]',
  summary:
    'Shows the events of a letter, one by one, with their entries in the log of credentials.',
  help: '--as-of: up to a number of events or a time with its time zone (2026-03-01T12:00:00Z). Shows no personal data.',
  options: { 'as-of': 'text' },
  read: replay,
});
