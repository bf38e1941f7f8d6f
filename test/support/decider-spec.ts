import { expect } from 'chai';
import { type AppError, type ErrorCode, isAppError } from '../../contract/errors.ts';

type Decider<S, E, C> = {
  initialState(): S;
  evolve(state: S, event: E, at: string): S;
  decide(state: S, command: C): E[];
};

type Verbs<S, E> = Record<string, (state: S, command: never) => E[]>;

/** The commands that the functions of a decider take. */
export type CommandOf<V extends Verbs<never, unknown>> = {
  [Name in keyof V]: Parameters<V[Name]>[1];
}[keyof V];

/** The functions of a decider as one, by the type of the command. */
export const decideBy =
  <S, E, V extends Verbs<S, E>>(verbs: V & Verbs<S, E>) =>
  (state: S, command: CommandOf<V>): E[] => {
    const { type } = command as { type: string };
    const verb = verbs[type];
    if (verb === undefined) throw new Error(`there is no command ${type}`);
    return verb(state, command as never);
  };

/** When the events of a specification happened. */
export const specTime = '2026-03-01T12:00:00.000Z';

/** Sentences about a decider: `given(...events).when(command).then(...events)`. */
export const describeDecider = <S, E extends { type: string; data: object }, C>(
  decider: Decider<S, E, C>,
) => ({
  given: (...history: E[]) => ({
    when(command: C) {
      const state = history.reduce(
        (folded, event) => decider.evolve(folded, event, specTime),
        decider.initialState(),
      );
      return {
        // biome-ignore lint/suspicious/noThenProperty: a specification reads given, when, then; it is never awaited
        then(...expected: E[]): void {
          expect(decider.decide(state, command)).to.deep.equal(expected);
        },
        /** The types alone, where the data are said elsewhere. */
        thenTypes(...types: E['type'][]): void {
          expect(decider.decide(state, command).map((event) => event.type)).to.deep.equal(types);
        },
        thenNothing(): void {
          expect(decider.decide(state, command)).to.deep.equal([]);
        },
        thenRefuses(code: ErrorCode): void {
          expect(refusalOf(() => decider.decide(state, command))).to.equal(code);
        },
        thenThrows(message: RegExp): void {
          expect(() => decider.decide(state, command)).to.throw(message);
        },
      };
    },
  }),
});

/** The refusal by which `act` ends; undefined if it succeeds. Other errors pass through. */
export const refusedBy = (act: () => unknown): AppError | undefined => {
  try {
    act();
    return undefined;
  } catch (error) {
    if (isAppError(error)) return error;
    throw error;
  }
};

/** The code of that refusal. */
export const refusalOf = (act: () => unknown): ErrorCode | undefined => refusedBy(act)?.code;

/** The same for what is promised. */
export const rejectionOf = async (work: Promise<unknown>): Promise<ErrorCode | undefined> => {
  try {
    await work;
    return undefined;
  } catch (error) {
    if (isAppError(error)) return error.code;
    throw error;
  }
};
