/** Letters by their recipient. Name and address travel in the body, because addresses of requests are logged. */
import type { Static } from 'typebox';
import type { LetterStatus } from '../contract/letter-status.ts';
import { type AnyOperation, operation } from '../contract/operation.ts';
import { mapInSlices } from '../ground/slices.ts';
import { Type } from '../ground/type.ts';
import { limitTable } from '../limits/table.ts';
import { checkAddress } from '../postal/addresses/index.ts';
import type { Address } from '../postal/types.ts';
import { presentLetter } from '../presenters/letter.ts';
import { LetterDetail } from '../presenters/letter-schemas.ts';
import { RecipientAddress } from '../presenters/policy.ts';
import { type LetterRecord, lettersById, listLetters } from '../projections/letters/query.ts';
import type { LetterReadPorts } from './letter-read-ports.ts';

const mostFound = limitTable.searchedLetters.usual;

/** An address as letters store it. */
export type Recipient = Omit<Address, 'country'> & { country: string };

/** As it was typed, and as letters that were sent to it have it. */
const spellingsOf = ({ postal_code: postalCode, ...rest }: RecipientAddress): Address[] => {
  const typed = { ...rest, postalCode };
  return [typed, checkAddress(typed).normalized];
};

export type RecipientSearch = {
  /** Keyed digest of a recipient, for one account. */
  digestOf: (accountId: string, recipient: Recipient) => string;
  /** Ids of letters whose production began, the latest first. */
  lettersTo: (accountId: string, digest: string, limit: number) => Promise<string[]>;
};

type SearchPorts = Pick<LetterReadPorts, 'db' | 'openLetters'> & { recipients: RecipientSearch };

/** States of letters that the index does not have, because their production did not begin. Each group has its own limit. */
const unindexed: LetterStatus[][] = [
  ['draft', 'queued'],
  ['cancelled', 'failed'],
];

/** Letters that may be to the recipient: the index proposes them, and it has no letters before production. */
const candidates = async (
  { db, recipients }: SearchPorts,
  accountId: string,
  digests: readonly string[],
): Promise<LetterRecord[]> => {
  const [proposed, others] = await Promise.all([
    Promise.all(digests.map((one) => recipients.lettersTo(accountId, one, mostFound))),
    Promise.all(
      unindexed.map((status) => listLetters(db, { accountId, status, limit: mostFound })),
    ),
  ]);
  const found = await lettersById(db, [...new Set(proposed.flat())]);
  for (const record of others.flat()) found.set(record.letterId, record);
  return [...found.values()].filter(
    ({ accountId: owner, doc }) => owner === accountId && !doc.deleted && !doc.erased,
  );
};

const newestFirst = (a: LetterRecord, b: LetterRecord): number =>
  a.createdPosition < b.createdPosition ? 1 : -1;

const LettersFound = Type.Named('LettersFound', { data: Type.Array(LetterDetail) });

/** The search of the console and of programs. An erased letter is in no answer. */
export const searchLettersOperation = (ports: SearchPorts): AnyOperation =>
  operation({
    name: 'search_letters',
    method: 'POST',
    path: '/api/letters/search',
    tag: 'Letters',
    summary: 'Find the letters to a recipient',
    description:
      'Finds letters to exactly this name and address. Upper case and spaces do not matter. Letters whose production began are found by a keyed digest. Drafts and queued letters are found among the newest 100 of the account, and letters that were cancelled or failed before production among another 100.',
    access: 'read',
    permit: { about: 'account' },
    readsOwnWrites: true,
    input: {
      body: Type.Exact({ recipient: RecipientAddress }),
    },
    responses: { 200: { description: 'Up to 100 letters, newest first', schema: LettersFound } },
    errors: [],
    async handle({ caller, body }): Promise<{ body: Static<typeof LettersFound> }> {
      const { accountId } = caller;
      const { digestOf } = ports.recipients;
      const digests = [
        ...new Set(spellingsOf(body.recipient).map((one) => digestOf(accountId, one))),
      ];
      const records = await candidates(ports, accountId, digests);
      const personal = await ports.openLetters(records);
      const found = await mapInSlices(records.toSorted(newestFirst), (record) => {
        const opened = personal.get(record.letterId);
        if (!opened || !digests.includes(digestOf(accountId, opened.to))) return [];
        return [presentLetter(record, opened, { content: false })];
      });
      return { body: { data: found.flat().slice(0, mostFound) } };
    },
  });
