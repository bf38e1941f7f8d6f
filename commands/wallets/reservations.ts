/**
 * The reservations of a wallet in little memory: most of them are for a letter, with one payment attempt, and take about
 * 140 bytes instead of 600.
 */
import type { LetterCount } from '../../events/policy.ts';
import type { PaymentAttempt, Purpose } from '../../events/wallet.ts';
import { type PersistentMap, persistentMap } from '../../ground/persistent-map.ts';
import { isUuid, readUuid, uuidBytes, writeUuid } from '../../ground/uuid.ts';
import type { Amounts } from '../../money/buckets.ts';

/** `held`: reserved for its purpose. `captured`: spent on it, refundable. */
export type Reservation = Amounts & {
  purpose: Purpose;
  attempts: readonly PaymentAttempt[];
  state: 'held' | 'captured';
  /** When it was made or captured. */
  since: string;
  /** Its counts against the limits of policies, by attempt; absent: none. */
  counts?: readonly LetterCount[] | undefined;
  /** The rules that alerted of the letter: `subject rule`. */
  alerted?: readonly string[] | undefined;
};

/** One that is packed, or one of another shape as it is. */
type Kept = string | Reservation;

const letterPrefix = 'letter-';

/** Places in a packed reservation: its state, its attempt, its time, and six amounts in micro-dollars. */
const [stateAt, attemptAt, sinceAt, amountsAt, numberBytes] = [0, 1, 17, 23, 6];
const packedBytes = amountsAt + 6 * numberBytes;

/** The buffer for packing and unpacking. It is reused, because a send looks up its reservation several times. */
const bytes = Buffer.allocUnsafeSlow(packedBytes);

/** No other key begins with this character. */
const packedMark = '\0';

const packedKey = (key: string): string => {
  const id = key.slice(letterPrefix.length);
  if (!key.startsWith(letterPrefix) || !isUuid(id)) return key;
  bytes.writeUInt8(packedMark.charCodeAt(0), 0);
  writeUuid(id, bytes, packedMark.length);
  return bytes.toString('latin1', 0, packedMark.length + uuidBytes);
};

const unpackedKey = (key: string): string => {
  if (!key.startsWith(packedMark)) return key;
  bytes.write(key, 0, 'latin1');
  return letterPrefix + readUuid(bytes, packedMark.length);
};
const mostInNumber = 2 ** (8 * numberBytes) - 1;

const fits = (number: number): boolean =>
  Number.isInteger(number) && number >= 0 && number <= mostInNumber;

/**
 * The members that have a place in a packed reservation. The types name every other member, so that a new one is
 * not forgotten.
 */
type PlainAttempt = Required<Omit<PaymentAttempt, 'commitmentId' | 'held'>>;
type PlainReservation = Required<Omit<Reservation, 'counts' | 'alerted' | 'attempts'>> & {
  attempts: readonly [PlainAttempt];
};

/** Whether everything in it has a place in a packed reservation. */
const isPlain = (
  { purpose, counts, alerted }: Reservation,
  { attemptId, commitmentId, held }: PaymentAttempt,
): boolean =>
  purpose.kind === 'letter' &&
  (counts ?? alerted ?? commitmentId ?? held) === undefined &&
  isUuid(purpose.id) &&
  isUuid(attemptId);

const amountsOf = ({ crypto, fiat }: Reservation, attempt: PaymentAttempt): number[] => [
  Number(crypto),
  Number(fiat),
  attempt.cryptoMicro,
  attempt.fiatMicro,
  attempt.commissionCryptoMicro,
  attempt.commissionFiatMicro,
];

const pack = (reservation: Reservation): Kept => {
  const { attempts, state, since } = reservation;
  const [attempt, ...later] = attempts;
  if (!attempt || later.length > 0 || !isPlain(reservation, attempt)) return reservation;
  const amounts = amountsOf(reservation, attempt);
  const ms = Date.parse(since);
  const isExact = fits(ms) && new Date(ms).toISOString() === since && amounts.every(fits);
  if (!isExact) return reservation;
  bytes.writeUInt8(state === 'captured' ? 1 : 0, stateAt);
  writeUuid(attempt.attemptId, bytes, attemptAt);
  bytes.writeUIntBE(ms, sinceAt, numberBytes);
  amounts.forEach((amount, index) => {
    bytes.writeUIntBE(amount, amountsAt + index * numberBytes, numberBytes);
  });
  return bytes.toString('latin1');
};

const unpackPlain = (key: string, kept: string): PlainReservation => {
  const id = unpackedKey(key).slice(letterPrefix.length);
  bytes.write(kept, 0, 'latin1');
  const amount = (index: number): number =>
    bytes.readUIntBE(amountsAt + index * numberBytes, numberBytes);
  const attempt = {
    attemptId: readUuid(bytes, attemptAt),
    cryptoMicro: amount(2),
    fiatMicro: amount(3),
    commissionCryptoMicro: amount(4),
    commissionFiatMicro: amount(5),
  };
  return {
    crypto: BigInt(amount(0)),
    fiat: BigInt(amount(1)),
    purpose: { kind: 'letter', id },
    attempts: [attempt],
    state: bytes.readUInt8(stateAt) === 1 ? 'captured' : 'held',
    since: new Date(bytes.readUIntBE(sinceAt, numberBytes)).toISOString(),
  };
};

const unpack = (key: string, kept: Kept): Reservation =>
  typeof kept === 'string' ? unpackPlain(key, kept) : kept;

/** About how many bytes it takes with its key. Measured: a packed one takes 157, another with one attempt 580. */
const bytesOf = (kept: Kept | undefined): number => {
  if (kept === undefined) return 0;
  if (typeof kept === 'string') return 160;
  const { attempts, counts = [], alerted = [] } = kept;
  return 300 + 300 * attempts.length + 200 * counts.length + 80 * alerted.length;
};

type Counted = Pick<LetterCount, 'amountMicro' | 'letters'>;

/** Sums over all reservations, so that nobody has to look at each of them. */
type Sums = {
  /** Of the counts of those that are held, by counter and slot. */
  held: PersistentMap<string, Counted>;
  /** How many use a commitment. */
  uses: PersistentMap<string, number>;
};

const slotOf = (counter: number, since: number): string => `${counter} ${since}`;

const commitmentsOf = ({ attempts }: Reservation): Set<string> =>
  new Set(attempts.flatMap(({ commitmentId }) => commitmentId ?? []));

/** The sums with a reservation more (`times` 1) or less (-1). A packed one adds nothing to them. */
const withOne = (sums: Sums, kept: Kept | undefined, times: 1 | -1): Sums => {
  if (kept === undefined || typeof kept === 'string') return sums;
  let { held, uses } = sums;
  const counts = kept.state === 'held' ? (kept.counts ?? []) : [];
  for (const { counter, since, amountMicro, letters } of counts) {
    const slot = slotOf(counter, since);
    const before = held.get(slot) ?? { amountMicro: 0, letters: 0 };
    const after = {
      amountMicro: before.amountMicro + times * amountMicro,
      letters: before.letters + times * letters,
    };
    const isEmpty = after.amountMicro === 0 && after.letters === 0;
    held = isEmpty ? held.without(slot) : held.with(slot, after);
  }
  for (const commitmentId of commitmentsOf(kept)) {
    const after = (uses.get(commitmentId) ?? 0) + times;
    uses = after === 0 ? uses.without(commitmentId) : uses.with(commitmentId, after);
  }
  return { held, uses };
};

export type Reservations = Omit<PersistentMap<string, Reservation>, 'with' | 'without'> & {
  with(key: string, reservation: Reservation): Reservations;
  without(key: string): Reservations;
  /** About how many bytes of memory they take. */
  readonly bytes: number;
  /** Amounts and letters that the held ones count in a slot of a counter; undefined: none. */
  heldIn(counter: number, since: number): Counted | undefined;
  /** How many use a commitment. */
  usesOf(commitmentId: string): number;
};

class PackedReservations implements Reservations {
  readonly bytes: number;
  private readonly kept: PersistentMap<string, Kept>;
  private readonly sums: Sums;

  constructor(kept: PersistentMap<string, Kept>, bytes: number, sums: Sums) {
    this.kept = kept;
    this.bytes = bytes;
    this.sums = sums;
  }

  get size(): number {
    return this.kept.size;
  }

  get(key: string): Reservation | undefined {
    const packed = packedKey(key);
    const kept = this.kept.get(packed);
    return kept === undefined ? undefined : unpack(packed, kept);
  }

  has(key: string): boolean {
    return this.kept.has(packedKey(key));
  }

  with(key: string, reservation: Reservation): Reservations {
    const packed = packedKey(key);
    const [before, kept] = [this.kept.get(packed), pack(reservation)];
    const bytes = this.bytes - bytesOf(before) + bytesOf(kept);
    const sums = withOne(withOne(this.sums, before, -1), kept, 1);
    return new PackedReservations(this.kept.with(packed, kept), bytes, sums);
  }

  without(key: string): Reservations {
    const packed = packedKey(key);
    const before = this.kept.get(packed);
    const [bytes, sums] = [this.bytes - bytesOf(before), withOne(this.sums, before, -1)];
    return new PackedReservations(this.kept.without(packed), bytes, sums);
  }

  heldIn(counter: number, since: number): Counted | undefined {
    return this.sums.held.get(slotOf(counter, since));
  }

  usesOf(commitmentId: string): number {
    return this.sums.uses.get(commitmentId) ?? 0;
  }

  *keys(): IterableIterator<string> {
    for (const key of this.kept.keys()) yield unpackedKey(key);
  }

  *values(): IterableIterator<Reservation> {
    for (const [key, kept] of this.kept) yield unpack(key, kept);
  }

  *[Symbol.iterator](): IterableIterator<[string, Reservation]> {
    for (const [key, kept] of this.kept) yield [unpackedKey(key), unpack(key, kept)];
  }
}

/** By `keyOf` their purpose, which is that of the reservation. */
export const packedReservations = (): Reservations =>
  new PackedReservations(persistentMap(), 0, { held: persistentMap(), uses: persistentMap() });
