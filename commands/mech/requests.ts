/**
 * Serves each request of the mech once. A request is put on record, and counted against the cap of its day,
 * before any work. Its letter is the command of its id, so that a repetition makes no second letter. Once
 * served, it is a receivable. If the process dies in between, the sender repeats the request, or `finish`
 * ends it.
 */

import { randomUUID } from 'node:crypto';
import { mechRequestReused } from '../../contract/refusals.ts';
import type { DataKeys } from '../../events/data-keys.ts';
import { letterStream } from '../../events/letter.ts';
import { mechDayId } from '../../events/mech.ts';
import { open, seal } from '../../events/sealing.ts';
import type { Clock } from '../../ground/clock.ts';
import { dayOf } from '../../ground/day.ts';
import type { CommandHandler } from '../handling/handle.ts';
import { countRequest, type MechCaps, mechDayAggregate, uncountRequest } from './daily-cap.ts';
import {
  assertSame,
  type Claim,
  claimRequest,
  isCorrection,
  type MechRequest,
  mechRequestAggregate,
  refuseRequest,
  serveRequest,
} from './request.ts';

/** After this time without its sender a request counts as not served. */
const givenUpAfterMs = 600_000;

type Answer = Record<string, unknown>;

/** Keeps answers until the data key of their letter is erased. */
const createAnswers = (dataKeys: Pick<DataKeys, 'get'>) => ({
  /** Undefined: the letter is erased. */
  async sealed(requestKey: string, letterId: string, answer: Answer): Promise<string | undefined> {
    const key = await dataKeys.get(letterStream(letterId));
    return key && seal(JSON.stringify(answer), key, requestKey);
  },

  /** The kept answer; undefined: no answer was kept, or the letter is erased. */
  async of(state: MechRequest): Promise<Answer | undefined> {
    if (state.status !== 'served') return undefined;
    const { letterId, sealedAnswer, answer } = state.kept;
    if (sealedAnswer === undefined && answer === undefined) return undefined;
    const key = await dataKeys.get(letterStream(letterId));
    if (key === undefined || sealedAnswer === undefined) return key && answer;
    return JSON.parse(open(sealedAnswer, key, state.claim.requestKey).toString()) as Answer;
  },
});

export const createMechRequests = (ports: {
  handler: CommandHandler;
  dataKeys: Pick<DataKeys, 'get'>;
  clock: Clock;
  caps: MechCaps;
  /** Whether the letter of a claimed request was accepted. */
  wasSent: (letterId: string) => Promise<boolean>;
}) => {
  const { handler, clock, caps, wasSent } = ports;
  const answers = createAnswers(ports.dataKeys);
  const command = () => ({ commandId: randomUUID(), actor: 'mech' });

  const claimOf = (state: MechRequest): Claim => {
    if (state.status === 'none') throw new Error('a request that was claimed is not');
    return state.claim;
  };

  const refuse = async (requestKey: string, code: string, requestHash?: string): Promise<void> => {
    const { state, events } = await handler.handle(
      mechRequestAggregate,
      requestKey,
      command(),
      (request) => refuseRequest(request, { type: 'RefuseRequest', code, requestHash }),
    );
    const claim = claimOf(state);
    const isOther = requestHash !== undefined && requestHash !== claim.requestHash;
    if (events.length === 0 && (state.status === 'served' || isOther)) return;
    await handler.handle(mechDayAggregate, mechDayId(claim.day, claim.test), command(), (day) =>
      uncountRequest(day, claim),
    );
  };

  /** `answer`: that of the first process that served the request, if it was kept. */
  const serve = async (
    requestKey: string,
    letterId: string,
    answer?: Answer,
  ): Promise<{ position: bigint; answer: Answer | undefined }> => {
    const sealedAnswer = answer && (await answers.sealed(requestKey, letterId, answer));
    const { state, position } = await handler.handle(
      mechRequestAggregate,
      requestKey,
      command(),
      (request) => serveRequest(request, { type: 'ServeRequest', letterId, sealedAnswer }),
    );
    return { position, answer: await answers.of(state) };
  };

  /** A letter that was sent under the id, by whichever body, is served. Returns whether there is one. */
  const serveSent = async ({ requestKey, letterId }: Claim): Promise<boolean> => {
    if (letterId === undefined || !(await wasSent(letterId))) return false;
    await serve(requestKey, letterId);
    return true;
  };

  return {
    /**
     * Ends a request at no cost, whose body may be corrected then.
     * @throws AppError mech_request_reused where its letter was sent with another body
     */
    async refuse(
      { requestKey, requestHash }: Pick<Claim, 'requestKey' | 'requestHash'>,
      code: string,
    ): Promise<void> {
      if (code === 'idempotency_key_reused') {
        const { state } = await handler.load(mechRequestAggregate, requestKey);
        if (await serveSent(claimOf(state))) throw mechRequestReused();
      }
      await refuse(requestKey, code, requestHash);
    },
    serve,

    /**
     * The status of the request with this id, and its kept answer.
     * @throws AppError mech_request_reused if another request had this id
     */
    async find(
      requestKey: string,
      request: Pick<Claim, 'requestHash' | 'accountId' | 'action'>,
    ): Promise<{ status: MechRequest['status']; answer: Answer | undefined }> {
      const { state } = await handler.load(mechRequestAggregate, requestKey);
      if (isCorrection(state, request) && (await serveSent(claimOf(state))))
        throw mechRequestReused();
      assertSame(state, request);
      return { status: state.status, answer: await answers.of(state) };
    },

    /**
     * Puts it on record and counts it, once. Safe to repeat.
     * @throws AppError mech_request_reused, mech_cap_reached
     */
    async begin(wanted: Omit<Claim, 'day'>): Promise<void> {
      const nowMs = clock();
      const day = dayOf(nowMs);
      const { requestKey } = wanted;
      const { state } = await handler.handle(
        mechRequestAggregate,
        requestKey,
        command(),
        (request) => claimRequest(request, { type: 'ClaimRequest', claim: { ...wanted, day } }),
      );
      if (state.status === 'served') return;
      const claim = claimOf(state);
      try {
        await handler.handle(mechDayAggregate, mechDayId(claim.day, claim.test), command(), (one) =>
          countRequest(one, claim, { caps, nowMs }),
        );
      } catch (error) {
        await refuse(requestKey, 'mech_cap_reached');
        throw error;
      }
    },

    /** Ends what its sender did not. Returns whether nothing is left to be done. */
    async finish(requestKey: string): Promise<boolean> {
      const { state } = await handler.load(mechRequestAggregate, requestKey);
      if (state.status !== 'claimed') return true;
      const { claim, claimedAt } = state;
      if (await serveSent(claim)) return true;
      if (clock() < Date.parse(claimedAt) + givenUpAfterMs) return false;
      await refuse(requestKey, 'given_up');
      return true;
    },
  };
};
