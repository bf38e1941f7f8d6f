import { type DataKeys, subjectOf } from '../../events/data-keys.ts';
import { type DecodedEvent, openPersonal } from '../../events/envelope.ts';
import { letterStream } from '../../events/letter.ts';
import { type OrderEvent, orderPrefix } from '../../events/order.ts';
import { registry } from '../../events/registry.ts';
import { placeOfWallet } from '../../events/wallet.ts';
import { messageOf } from '../../ground/message-of.ts';
import type { Findings } from './findings.ts';

/** `erasedIn`: the stream that says that it was erased. */
type Keyless = { position: bigint; accountId: string | undefined; erasedIn: string };
type Keys = Awaited<ReturnType<DataKeys['getMany']>>;

/** The account that an event is about, where it says so. */
const accountOf = ({ stream, data }: DecodedEvent): string | undefined => {
  if (stream.startsWith('wallet-')) return placeOfWallet(stream).accountId;
  return 'accountId' in data && typeof data.accountId === 'string' ? data.accountId : undefined;
};

/** The address of the payer of an order is erased with the letter. */
const erasureStreamOf = (event: DecodedEvent): string => {
  if (!event.stream.startsWith(orderPrefix)) return event.stream;
  const order = event as DecodedEvent<OrderEvent>;
  return order.type === 'OrderPlaced' ? letterStream(order.data.letterId) : event.stream;
};

/** Opens every personal part whose key is there; a key may only be gone where the log says so. */
export const createPersonalCheck = (options: { dataKeys: DataKeys; findings: Findings }) => {
  const { dataKeys, findings } = options;
  /** Accounts whose erasure began. */
  const erasedAccounts = new Set<string>();
  /** Streams whose key is gone, with the first position that misses it. */
  const keyless = new Map<string, Keyless>();
  let opened = 0;
  let erased = 0;

  const checkOne = (event: DecodedEvent, keys: Keys): void => {
    if (event.type === 'LetterErased') keyless.delete(event.stream);
    if (event.type === 'AccountErasureBegun') erasedAccounts.add(accountOf(event) ?? '');
    if (event.metadata.sealed === undefined) return;
    const key = keys.get(subjectOf(event.stream));
    if (!key) {
      erased++;
      // Kept to repeat an answer, for minutes.
      if (event.type === 'UcanRequested') return;
      // Until their time is over, by the calendar.
      if (event.type === 'BooksKept') return;
      if (keyless.has(event.stream)) return;
      keyless.set(event.stream, {
        position: event.position,
        accountId: accountOf(event),
        erasedIn: erasureStreamOf(event),
      });
      return;
    }
    try {
      const { type, data, personal } = openPersonal(event, key);
      registry.check({ type, data, personal });
      opened++;
    } catch (error) {
      const why = messageOf(error);
      findings.add(event.position, `${event.stream}: the personal part does not open: ${why}`);
    }
  };

  return {
    async check(events: DecodedEvent[]): Promise<void> {
      const sealed = events.filter(({ metadata }) => metadata.sealed !== undefined);
      const subjects = sealed.map(({ stream }) => subjectOf(stream));
      const keys: Keys = subjects.length > 0 ? await dataKeys.getMany(subjects) : new Map();
      for (const event of events) checkOne(event, keys);
    },
    /** @param isErased whether the stream, or that of its account, says so after where the walk ended */
    async finish(
      isErased: (stream: string, accountId: string | undefined) => Promise<boolean>,
    ): Promise<void> {
      for (const [stream, { position, accountId, erasedIn }] of keyless) {
        if (erasedAccounts.has(accountId ?? '') || (await isErased(erasedIn, accountId))) continue;
        findings.add(
          position,
          `the data key of ${subjectOf(stream)} is gone, but nothing was erased`,
        );
      }
    },
    totals: () => ({ opened, erased }),
  };
};
