import { Ajv, type ValidateFunction } from 'ajv';
import type { Static, TSchema } from 'typebox';

/**
 * One version of one event type: its stored form, and how an older version becomes it. `data` are public
 * facts. `personal` is sealed under the data key of the stream's subject.
 */
export type EventDefinition<
  D extends TSchema = TSchema,
  P extends TSchema | undefined = TSchema | undefined,
> = {
  /** Current schema version; every older one has an upcaster to its successor. */
  version: number;
  data: D;
  personal?: P;
  /** `upcasters[n]` turns the data of version n into that of n + 1. Pure. */
  upcasters?: Record<number, (data: Record<string, unknown>) => Record<string, unknown>>;
};

export type EventDefinitions = Record<string, EventDefinition>;

type PersonalOf<X> = X extends { personal: infer P extends TSchema }
  ? { personal?: Static<P> }
  : { personal?: undefined };

/** The closed union of the events of one kind of stream. */
export type EventUnion<T extends EventDefinitions> = {
  [K in keyof T & string]: { type: K; data: Static<T[K]['data']> } & PersonalOf<T[K]>;
}[keyof T & string];

/** Any event as a decider makes it, before it has an id, a time and a place. */
export type DomainEvent = { type: string; data: object; personal?: object | undefined };

type Validator = (value: unknown) => void;

/**
 * Validators of a set of definitions, each compiled for the first event that it checks: a program that only reads
 * needs none of them. Throws an Error naming type and path if data does not fit.
 */
export const compileValidators = (definitions: EventDefinitions) => {
  // A test checks that the definitions are JSON Schema; each process would compile the schema of schemas for that.
  const ajv = new Ajv({ strict: false, allErrors: false, validateSchema: false });
  const compile = (name: string, schema: TSchema): Validator => {
    let compiled: ValidateFunction | undefined;
    return (value) => {
      compiled ??= ajv.compile(schema);
      const check = compiled;
      if (check(value)) return;
      const first = check.errors?.[0];
      throw new Error(
        `${name}${first?.instancePath ?? ''} ${first?.message ?? 'does not validate'}`,
      );
    };
  };
  const validators = new Map<string, { data: Validator; personal: Validator | undefined }>();
  for (const [type, definition] of Object.entries(definitions)) {
    validators.set(type, {
      data: compile(type, definition.data),
      personal: definition.personal && compile(`${type}.personal`, definition.personal),
    });
  }
  return validators;
};
