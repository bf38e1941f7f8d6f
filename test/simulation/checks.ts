/** Checks at the end of every run. Each check returns sentences about its violations. */
import { type AnyEvent, decodeEvent } from '../../events/envelope.ts';
import type { LetterEvent } from '../../events/letter.ts';
import { isLetterStream, letterIdIn } from '../../events/letter.ts';
import { notificationOf } from '../../events/notifications.ts';
import { letterIdOf } from '../../events/registry.ts';
import { amountsIn, letterOf, placeOfWallet, type WalletEvent } from '../../events/wallet.ts';
import { previousOf } from '../../identity/event-credential.ts';
import { sum } from '../../money/buckets.ts';
import { chargeOfCents, totalOf } from '../../money/charge.ts';
import type { Known } from './customers.ts';
import type { World } from './world.ts';

type Letter = { accountId: string; status: string; price: bigint };

/** The letters by the log itself, without the fold of the commands. */
const lettersIn = (events: readonly AnyEvent[]): Map<string, Letter> => {
  const letters = new Map<string, Letter>();
  for (const event of events) {
    if (!isLetterStream(event.stream)) continue;
    const letterId = letterIdIn(event.stream);
    const { type, data } = event as LetterEvent;
    if (type === 'LetterDrafted' || type === 'LetterQueued') {
      const { accountId, price } = data.terms;
      const total = totalOf(chargeOfCents(price.charge));
      const status = type === 'LetterQueued' ? 'queued' : 'draft';
      letters.set(letterId, { accountId, status, price: total });
    }
    const letter = letters.get(letterId);
    if (!letter) continue;
    if (type === 'LetterUpdated') {
      letter.price = totalOf(chargeOfCents(data.terms.price.charge));
    } else if (type === 'LetterProcessingStarted') letter.status = 'produced';
    else if (type === 'LetterCancelled' || type === 'LetterFailed') letter.status = 'paid back';
  }
  return letters;
};

/** The amounts that production took, less those that were given back. */
const spentIn: Partial<Record<WalletEvent['type'], bigint>> = {
  FundsCaptured: 1n,
  FundsRefunded: -1n,
};

const signOf: Partial<Record<WalletEvent['type'], bigint>> = {
  FundsReserved: -1n,
  FundsReleased: 1n,
  FundsRefunded: 1n,
};

/**
 * Money of each account: the income, the rest, and the amount that each letter took and did not give back.
 */
const moneyIn = (events: readonly AnyEvent[]) => {
  const accounts = new Map<string, { credited: bigint; available: bigint }>();
  const [taken, spent] = [new Map<string, bigint>(), new Map<string, bigint>()];
  /** Attempts that hold money, by letter. */
  const held = new Map<string, Set<string>>();
  const twice: string[] = [];
  const count = (sums: Map<string, bigint>, letterId: string, amount: bigint): void =>
    void sums.set(letterId, (sums.get(letterId) ?? 0n) + amount);
  for (const event of events) {
    if (!event.stream.startsWith('wallet-')) continue;
    const { accountId } = placeOfWallet(event.stream);
    const account = accounts.get(accountId) ?? { credited: 0n, available: 0n };
    accounts.set(accountId, account);
    const { type, data } = event as WalletEvent;
    if (type === 'FundsCredited') {
      account.credited += BigInt(data.amountMicro);
      account.available += BigInt(data.amountMicro);
    }
    if (!('purpose' in data) || !('cryptoMicro' in data)) continue;
    const amount = sum(amountsIn(data));
    const letterId = letterOf(data.purpose) ?? '';
    const holding = held.get(letterId) ?? new Set();
    held.set(letterId, holding);
    if (type === 'FundsReleased') holding.clear();
    if (type === 'FundsReserved') {
      if (holding.has(data.attemptId)) twice.push(`${letterId} is paid twice by one attempt`);
      holding.add(data.attemptId);
    }
    count(spent, letterId, (spentIn[type] ?? 0n) * amount);
    const sign = signOf[type] ?? 0n;
    account.available += sign * amount;
    count(taken, letterId, -sign * amount);
  }
  return { accounts, taken, spent, twice };
};

const checkLetters = (letters: Map<string, Letter>, world: World, known: Known): string[] => {
  const copies = new Map<string, number>();
  for (const jobId of world.house.printed) copies.set(jobId, (copies.get(jobId) ?? 0) + 1);
  const wrong: string[] = [];
  for (const [letterId, status] of known.letters) {
    const letter = letters.get(letterId);
    if (!letter) wrong.push(`letter ${letterId} was acknowledged and is lost`);
    else if (status === 'queued' && letter.status === 'draft') {
      wrong.push(`letter ${letterId} was acknowledged as queued and is a draft`);
    }
  }
  for (const [letterId, { status }] of letters) {
    const count = copies.get(letterId) ?? 0;
    if (status === 'queued') wrong.push(`letter ${letterId} is still queued`);
    if (count > 1) wrong.push(`letter ${letterId} is printed ${count} times`);
    if (count > 0 && status !== 'produced')
      wrong.push(`letter ${letterId} is printed and ${status}`);
    if (count === 0 && status === 'produced')
      wrong.push(`letter ${letterId} is paid and not printed`);
  }
  return wrong;
};

const checkMoney = (
  events: readonly AnyEvent[],
  letters: Map<string, Letter>,
  known: Known,
): string[] => {
  const { accounts, taken, spent, twice } = moneyIn(events);
  const wrong: string[] = [];
  for (const [accountId, { credited, available }] of accounts) {
    const paid = known.paid.get(accountId) ?? 0n;
    if (credited !== paid) wrong.push(`${accountId} paid ${paid} and was credited ${credited}`);
    if (available < 0n) wrong.push(`${accountId} has ${available}`);
  }
  for (const letterId of new Set([...letters.keys(), ...taken.keys()])) {
    const letter = letters.get(letterId);
    const due = letter?.status === 'produced' || letter?.status === 'queued' ? letter.price : 0n;
    const took = taken.get(letterId) ?? 0n;
    if (took !== due) {
      wrong.push(`letter ${letterId} (${letter?.status ?? 'none'}) took ${took}, not ${due}`);
    }
    const used = spent.get(letterId) ?? 0n;
    const wanted = letter?.status === 'produced' ? due : 0n;
    if (used !== wanted) wrong.push(`letter ${letterId} spent ${used}, not ${wanted}`);
  }
  return [...wrong, ...twice];
};

const checkCredentials = (events: readonly AnyEvent[], { database }: World): string[] => {
  const { credentials } = database;
  const issued = credentials.map(({ eventId }) => eventId);
  const happened = events.map(({ id }) => id);
  if (new Set(issued).size < issued.length) return ['an event has two credentials'];
  if (issued.join() !== happened.join()) {
    return [`${happened.length} events have ${issued.length} credentials, or in another order`];
  }
  const last = credentials.at(-1);
  return last && previousOf(last.jwt).subject.sequence !== last.sequence
    ? ['a sequence is wrong']
    : [];
};

/** Every delivery belongs to an account with a webhook, and those of a letter come in order. */
const checkWebhooks = (
  events: readonly AnyEvent[],
  letters: Map<string, Letter>,
  { received }: World,
): string[] => {
  const expected = new Set<string>();
  const routed = new Set<string>();
  for (const event of events) {
    if (event.type === 'SettingsChanged') routed.add(event.data.accountId);
    if (notificationOf(event) === undefined) continue;
    const letter = letters.get(letterIdOf(event) ?? '');
    const accountId = event.stream.startsWith('wallet-')
      ? placeOfWallet(event.stream).accountId
      : letter?.accountId;
    if (accountId !== undefined && routed.has(accountId)) expected.add(`${accountId} ${event.id}`);
  }
  const subjects = new Map(events.map((event) => [event.id, letterIdOf(event) ?? 'account']));
  const wrong: string[] = [];
  for (const key of expected) if (!received.has(key)) wrong.push(`webhook ${key} never came`);
  for (const key of received.keys())
    if (!expected.has(key)) wrong.push(`webhook ${key} came in vain`);
  const places = new Map<string, bigint>();
  for (const { endpointId, eventId, position, type } of received.values()) {
    const subject = subjects.get(eventId);
    const key = `${endpointId} ${subject}`;
    if (position < (places.get(key) ?? 0n)) {
      wrong.push(`webhook ${type} of ${subject} came too late`);
    }
    places.set(key, position);
  }
  return wrong;
};

/** All violations. */
export const problemsOf = async (world: World, known: Known): Promise<string[]> => {
  const recorded = await world.store.readAll({ after: 0n, limit: 100_000 });
  const events = recorded.map(decodeEvent);
  const letters = lettersIn(events);
  return [
    ...new Set(world.database.problems),
    ...checkLetters(letters, world, known),
    ...checkMoney(events, letters, known),
    ...checkCredentials(events, world),
    ...checkWebhooks(events, letters, world),
  ];
};
