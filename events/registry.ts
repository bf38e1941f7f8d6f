import { OutdatedProgram } from '../contract/store-refusals.ts';
import { type AccountEvent, accountEvents } from './account.ts';
import { type AuditLinkEvent, auditLinkEvents } from './audit-link.ts';
import { type BooksEvent, booksEvents } from './books.ts';
import { type CommitmentEvent, commitmentEvents } from './commitment.ts';
import {
  compileValidators,
  type DomainEvent,
  type EventDefinition,
  type EventDefinitions,
} from './definition.ts';
import { isLetterStream, type LetterEvent, letterEvents, letterIdIn } from './letter.ts';
import { type LogoEvent, logoEvents } from './logo.ts';
import { type MailEvent, mailEvents } from './mail.ts';
import { type MechEvent, mechEvents } from './mech.ts';
import { type OrderEvent, orderEvents } from './order.ts';
import {
  type PayerEvent,
  type PaymentEvent,
  paymentEvents,
  type TransferEvent,
} from './payment.ts';
import { type ServiceIdentityEvent, serviceIdentityEvents } from './service-identity.ts';
import { type AnnouncedAmountEvent, type TopUpEvent, topUpEvents } from './top-up.ts';
import { type TrackingLinkEvent, trackingLinkEvents } from './tracking-link.ts';
import { type UcanEvent, ucanEvents } from './ucan.ts';
import { type VolumeContractEvent, volumeContractEvents } from './volume-contract.ts';
import { letterOf, type WalletEvent, walletEvents } from './wallet.ts';

/** Every event type that there is, by its stable name. */
export const definitions: EventDefinitions = {
  ...accountEvents,
  ...letterEvents,
  ...walletEvents,
  ...mailEvents,
  ...paymentEvents,
  ...topUpEvents,
  ...orderEvents,
  ...mechEvents,
  ...serviceIdentityEvents,
  ...ucanEvents,
  ...auditLinkEvents,
  ...trackingLinkEvents,
  ...volumeContractEvents,
  ...commitmentEvents,
  ...logoEvents,
  ...booksEvents,
};

/** Any event there is. */
export type AnyDomainEvent =
  | AccountEvent
  | LetterEvent
  | WalletEvent
  | MailEvent
  | PaymentEvent
  | TopUpEvent
  | AnnouncedAmountEvent
  | OrderEvent
  | MechEvent
  | TransferEvent
  | PayerEvent
  | ServiceIdentityEvent
  | UcanEvent
  | AuditLinkEvent
  | TrackingLinkEvent
  | VolumeContractEvent
  | CommitmentEvent
  | LogoEvent
  | BooksEvent;

/** The letter that an event is about, if it is about one. */
export const letterIdOf = ({ stream, data }: AnyDomainEvent & { stream: string }) => {
  if (isLetterStream(stream)) return letterIdIn(stream);
  if ('purpose' in data && typeof data.purpose === 'object') return letterOf(data.purpose);
  return 'letterId' in data ? data.letterId : undefined;
};

const validators = compileValidators(definitions);

/** An event type that this version of the program does not know. */
export class UnknownEventType extends Error {
  constructor(type: string) {
    super(`unknown event type ${type}`);
    this.name = 'UnknownEventType';
  }
}

/** A stored event whose schema only a newer version of the program knows. */
class NewerSchema extends OutdatedProgram {
  override readonly name = 'NewerSchema';
  constructor(type: string, schema: number) {
    super(`${type} version ${schema} is newer than this program knows`);
  }
}

/** The schema version in which this program writes each event type. */
export const eventVersions: Readonly<Record<string, number>> = Object.fromEntries(
  Object.entries(definitions).map(([type, { version }]) => [type, version]),
);

const definitionOf = (type: string): EventDefinition => {
  const definition = Object.hasOwn(definitions, type) ? definitions[type] : undefined;
  if (!definition) throw new UnknownEventType(type);
  return definition;
};

export const registry = {
  /** Checks data and personal part against their schemas. @throws Error naming the place */
  check(event: DomainEvent): EventDefinition {
    const definition = definitionOf(event.type);
    const validator = validators.get(event.type);
    validator?.data(event.data);
    if (event.personal !== undefined) {
      if (!validator?.personal) throw new Error(`${event.type} has no personal part`);
      validator.personal(event.personal);
    }
    return definition;
  },

  /** Whether a newer version of the program wrote it. Unknown for types that are not registered. */
  isNewer: (type: string, schema: number): boolean =>
    Object.hasOwn(definitions, type) && schema > definitionOf(type).version,

  /** Brings data of an older schema version up to the current one. */
  upcast(type: string, schema: number, data: Record<string, unknown>): Record<string, unknown> {
    const definition = definitionOf(type);
    if (schema > definition.version) throw new NewerSchema(type, schema);
    let current = data;
    for (let version = schema; version < definition.version; version++) {
      const upcaster = definition.upcasters?.[version];
      if (!upcaster) throw new Error(`${type} has no upcaster from version ${version}`);
      current = upcaster(current);
    }
    return current;
  },
};
