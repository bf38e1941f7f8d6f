import { hash } from 'node:crypto';
import type { RecordedEvent } from '../../events/event-store.ts';
import { messageOf } from '../../ground/message-of.ts';
import { numberOf } from '../../ground/plural.ts';
import type { CheckpointNote } from '../../identity/credential-log.ts';
import type { PublicKey } from '../../identity/keys.ts';
import { leafHash } from '../../identity/merkle.ts';
import { NoteError, openCheckpoint } from '../../identity/note.ts';
import { appendLeaves, rangeRoot, tileWidth } from '../../identity/tiles.ts';
import type { CredentialStore } from '../../infra/identity/credential-store.ts';
import { createEventIssuer, type IssuerPorts } from '../../reactors/event-issuer.ts';
import type { LogPlace } from '../../reactors/issue-credentials.ts';
import type { Findings } from './findings.ts';

/** Credentials over those of a batch's events that are looked at: of events that are missing. */
const spare = 100;

export type CredentialPorts = IssuerPorts & {
  credentials: Pick<CredentialStore, 'range' | 'tile' | 'checkpoints'>;
  place(): Promise<LogPlace>;
  /** Every key that checkpoints were signed with. */
  logKeys(): PublicKey[];
};

type Stored = Awaited<ReturnType<CredentialStore['range']>>[number];

const isSigned = ({ note, size, root }: CheckpointNote, keys: PublicKey[]): boolean => {
  try {
    const opened = openCheckpoint(note, note.slice(0, note.indexOf('\n')), keys);
    return opened.size === size && opened.root.equals(root);
  } catch (error) {
    if (error instanceof NoteError) return false;
    throw error;
  }
};

/** The tree over the credentials as they are read, compared with the tiles and checkpoints that are stored. */
const createTreeCheck = (
  ports: CredentialPorts,
  checkpoints: CheckpointNote[],
  /** Where findings about the log as a whole are said to be. */
  end: bigint,
  findings: Findings,
) => {
  const edge = new Map<string, Buffer>();
  const keys = ports.logKeys();
  let size = 0;
  let next = 0;

  const compareTile = async (level: number, index: number, hashes: Buffer): Promise<void> => {
    const stored = await ports.credentials.tile(level, index, hashes.length / 32);
    if (!stored?.equals(hashes)) {
      findings.add(end, `tile ${level}/${index} of the credential log is not what its leaves make`);
    }
  };

  const grow = async (leaves: Buffer[]): Promise<void> => {
    const changed = appendLeaves(size, ({ level, index }) => edge.get(`${level}/${index}`), leaves);
    for (const { level, index, hashes } of changed.values()) {
      edge.delete(`${level}/${index}`);
      if (hashes.length < tileWidth * 32) edge.set(`${level}/${index}`, hashes);
      else await compareTile(level, index, hashes);
    }
    size += leaves.length;
    const due = checkpoints[next];
    if (due?.size !== size) return;
    next++;
    const tiles = new Map([
      ...edge,
      ...[...changed].map(([id, { hashes }]) => [id, hashes] as const),
    ]);
    const root = rangeRoot([0, size], ({ level, index }) => tiles.get(`${level}/${index}`));
    if (!root.equals(due.root)) {
      findings.add(
        end,
        `the checkpoint of ${numberOf(size, 'credential')} has another root than they make`,
      );
    }
    if (!isSigned(due, keys)) {
      findings.add(
        end,
        `the checkpoint of ${numberOf(size, 'credential')} is not signed by a key of the log`,
      );
    }
  };

  return {
    async append(leaves: Buffer[]): Promise<void> {
      let rest = leaves;
      while (rest.length > 0) {
        const due = (checkpoints[next]?.size ?? Number.MAX_SAFE_INTEGER) - size;
        await grow(rest.slice(0, due));
        rest = rest.slice(due);
      }
    },
    async finish(): Promise<void> {
      for (const [id, hashes] of edge) {
        const [level = 0, index = 0] = id.split('/').map(Number);
        await compareTile(level, index, hashes);
      }
      for (const { size: missing } of checkpoints.slice(next)) {
        findings.add(end, `a checkpoint speaks of ${missing} credentials, there are ${size}`);
      }
    },
  };
};

/**
 * Every event has exactly one credential, in the order of the log, with the bytes that issuing gives; the
 * log over them is what the checkpoints say. Events behind where issuing was when the walk began are
 * counted only.
 */
export const createCredentialCheck = async (ports: CredentialPorts, findings: Findings) => {
  const checkpoints = await ports.credentials.checkpoints();
  const place = await ports.place();
  const tree = createTreeCheck(ports, checkpoints, place.position, findings);
  const issuer = createEventIssuer(ports);
  let checked = 0;
  let waiting = 0;

  /** Matches events and credentials by position. Whether each has the other, and nothing is over. */
  const match = (events: RecordedEvent[], stored: Stored[]): boolean => {
    const credentials = new Map(stored.map((credential) => [credential.position, credential]));
    let matched = true;
    const wrong = (position: bigint, detail: string): void => {
      findings.add(position, detail);
      matched = false;
    };
    for (const { position, id } of events) {
      const found = credentials.get(position);
      credentials.delete(position);
      if (found?.eventId !== id) wrong(position, 'the event has no credential in its place');
    }
    for (const position of credentials.keys()) wrong(position, 'a credential is of no event');
    for (const [n, { logIndex, position }] of stored.entries()) {
      if (logIndex !== checked + n) wrong(position, `leaf ${checked + n} of the log is missing`);
    }
    return matched;
  };

  const compareBytes = async (events: RecordedEvent[], stored: Stored[]): Promise<void> => {
    const { credentials, keep } = await issuer.issue(events, checked);
    for (const [n, { position, jwt, hash: stated }] of stored.entries()) {
      if (credentials[n]?.jwt !== jwt) {
        findings.add(position, 'the credential of the event is not the one that issuing gives');
      } else if (!hash('sha256', jwt, 'buffer').equals(stated)) {
        findings.add(position, 'the credential of the event is stored under another hash');
      }
    }
    keep();
  };

  const compare = async (events: RecordedEvent[], last: bigint): Promise<void> => {
    const read = await ports.credentials.range(checked, events.length + spare);
    const stored = read.filter(({ position }) => position <= last);
    if (match(events, stored)) {
      await compareBytes(events, stored).catch((error: unknown) => {
        const why = messageOf(error);
        findings.add(events[0]?.position ?? 0n, `the credentials cannot be issued again: ${why}`);
        issuer.forget();
      });
    } else {
      issuer.forget();
    }
    await tree.append(stored.map(({ jwt }) => leafHash(jwt)));
    checked = (stored.at(-1)?.logIndex ?? checked - 1) + 1;
  };

  return {
    async check(events: RecordedEvent[]): Promise<void> {
      const issued = events.filter(({ position }) => position <= place.position);
      waiting += events.length - issued.length;
      const last = issued.at(-1);
      if (last) await compare(issued, last.position);
    },
    async finish(): Promise<void> {
      if (checked !== place.size) {
        findings.add(
          place.position,
          `there are ${checked} credentials, ${place.size} are said to be`,
        );
      }
      await tree.finish();
    },
    totals: () => ({ checked, waiting }),
  };
};
