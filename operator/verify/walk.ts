import { accountStream } from '../../events/account.ts';
import type { DataKeys } from '../../events/data-keys.ts';
import type { AnyEvent, DecodedEvent } from '../../events/envelope.ts';
import type { EventStore, RecordedEvent } from '../../events/event-store.ts';
import { isLetterStream, type LetterEvent } from '../../events/letter.ts';
import { type MechRequestEvent, mechRequestPrefix } from '../../events/mech.ts';
import type { PayerEvent, PaymentEvent } from '../../events/payment.ts';
import { volumeContractPrefix } from '../../events/volume-contract.ts';
import type { WalletEvent } from '../../events/wallet.ts';
import type { TransactionalDb } from '../../ground/db.ts';
import { messageOf } from '../../ground/message-of.ts';
import { createChain } from './chain.ts';
import { createContractCheck } from './contracts.ts';
import { type CredentialPorts, createCredentialCheck } from './credentials.ts';
import { createFindings } from './findings.ts';
import { createLedgerCheck } from './ledger.ts';
import { createLetterCheck } from './letters.ts';
import { createPersonalCheck } from './personal.ts';
import { contractSnapshot, ledgerSnapshot, walletSnapshot } from './read-model.ts';
import { createWalletCheck } from './wallets.ts';

const batchLimit = 1_000;

type Checks = {
  wallets: ReturnType<typeof createWalletCheck>;
  ledger: ReturnType<typeof createLedgerCheck>;
  letters: ReturnType<typeof createLetterCheck>;
  contracts: ReturnType<typeof createContractCheck>;
};

/** Gives an event to the checks of its stream. */
const checkStream = (
  { wallets, ledger, letters, contracts }: Checks,
  event: DecodedEvent,
): void => {
  const { stream } = event;
  if (stream.startsWith('wallet-')) {
    wallets.check(event as DecodedEvent<WalletEvent>);
    ledger.check(event as DecodedEvent<WalletEvent>);
  } else if (stream.startsWith('payment-')) {
    ledger.checkPayment(event as DecodedEvent<PaymentEvent>);
  } else if (stream.startsWith('payer-')) {
    ledger.checkPayer(event as DecodedEvent<PayerEvent>);
  } else if (stream.startsWith(mechRequestPrefix)) {
    ledger.checkMech(event as DecodedEvent<MechRequestEvent>);
  } else if (isLetterStream(stream)) {
    letters.check(event as DecodedEvent<LetterEvent>);
    contracts.check(event as AnyEvent);
  } else if (stream.startsWith(volumeContractPrefix)) {
    contracts.check(event as AnyEvent);
  }
};

/** Whether a stream, or that of its account, says that it was erased. */
const erasedIn =
  (store: Pick<EventStore, 'readStream'>) =>
  async (stream: string, accountId: string | undefined): Promise<boolean> => {
    const all = await store.readStream(stream);
    if (all.some(({ type }) => type === 'LetterErased')) return true;
    const account = accountId === undefined ? [] : await store.readStream(accountStream(accountId));
    return account.some(({ type }) => type === 'AccountErasureBegun');
  };

/**
 * Walks the log once, up to where it ended when the walk began. Memory grows with streams and letters, not with
 * events: about 1 kB for each letter.
 */
export const walkLog = async (ports: {
  store: EventStore;
  dataKeys: DataKeys;
  db: TransactionalDb;
  issued: CredentialPorts;
}) => {
  const { store, dataKeys, db } = ports;
  const findings = createFindings();
  const chain = createChain({ dense: store.dense, findings });
  const personal = createPersonalCheck({ dataKeys, findings });
  const wallets = createWalletCheck(findings);
  const ledger = createLedgerCheck(findings);
  const letters = createLetterCheck(findings, wallets);
  const contracts = createContractCheck(findings, wallets);
  const credentials = await createCredentialCheck(ports.issued, findings);
  const walletRows = await walletSnapshot(db);
  const books = await ledgerSnapshot(db);
  const contractRows = await contractSnapshot(db);
  /** Comparisons to make when the walk passes the position of a read model. */
  const comparisons = [
    walletRows && { at: walletRows.position, compare: () => wallets.compareRows(walletRows.rows) },
    books && { at: books.position, compare: () => ledger.compare(books) },
    contractRows && {
      at: contractRows.position,
      compare: () => contracts.compareRows(contractRows.rows),
    },
  ]
    .filter((one) => one !== undefined)
    .sort((a, b) => Number(a.at - b.at));
  const head = await store.head();
  let events = 0;

  const compareBefore = (position?: bigint): void => {
    for (let [due] = comparisons; due; [due] = comparisons) {
      if (position !== undefined && due.at >= position) return;
      due.compare();
      comparisons.shift();
    }
  };

  const checkOne = (recorded: RecordedEvent): DecodedEvent | undefined => {
    compareBefore(recorded.position);
    const event = chain.check(recorded);
    if (!event) return undefined;
    try {
      checkStream({ wallets, ledger, letters, contracts }, event);
    } catch (error) {
      findings.add(event.position, `${event.stream} does not fold: ${messageOf(error)}`);
    }
    return event;
  };

  while (chain.position() < head) {
    const batch = await store.readAll({ after: chain.position(), limit: batchLimit });
    const upToHead = batch.filter(({ position }) => position <= head);
    if (upToHead.length === 0) {
      findings.add(chain.position(), `the log ends here, its head says ${head}`);
      break;
    }
    events += upToHead.length;
    await credentials.check(upToHead);
    await personal.check(upToHead.map(checkOne).filter((event) => event !== undefined));
  }
  compareBefore();
  wallets.finish();
  letters.finish();
  await credentials.finish();
  await personal.finish(erasedIn(store));
  return {
    findings,
    head,
    events,
    streams: chain.streams(),
    personal: personal.totals(),
    letters: letters.totals(),
    credentials: credentials.totals(),
    live: wallets.totals(false),
    test: wallets.totals(true),
    walletsAt: walletRows?.position,
    ledgerAt: books?.position,
    contracts: contracts.totals(),
    contractsAt: contractRows?.position,
  };
};
