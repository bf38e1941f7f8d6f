/** Ports of the mech to the rest of the service. */
import type { Caller, SignedRequest } from '../../contract/operation.ts';
import type { Action } from './actions.ts';

/** Facts about the mech on its chain; null if not configured. */
export type MechIdentity = {
  agentId: number | null;
  componentId: number | null;
  serviceId: number | null;
  owner: string | null;
  /** Address of the mech, and of the marketplace that it serves. */
  mech: string | null;
  marketplace: string;
  network: { name: string; chainId: number };
};

/** The recorded proof that a request is paid for, and its source. */
type Proof = {
  by: 'coordinator' | 'chain' | 'none';
  /** Of `chain`: the request there. */
  chain?: { network: string; marketplace: string; requestId: string };
  /** Of `chain`: holds the request on the marketplace to what it must pay. Once is enough. */
  confirm?(): Promise<void>;
};

type ProveRequest = {
  signed: SignedRequest | undefined;
  requestId: string;
  priceWei: bigint;
};

/** A request that costs something. */
export type PaidRequest = {
  action: Exclude<Action, 'negotiate'>;
  requestId: string;
  /** The same for an id however it is written. */
  requestKey: string;
  /** Keyed digest of the request. */
  requestHash: string;
  priceWei: bigint;
  caller: Caller;
};

/** The answer of an operation. */
type Answer = Record<string, unknown>;

type KnownRequest = {
  status: 'none' | 'claimed' | 'refused' | 'served';
  /** Only for a request that was served with an answer to keep, until its letter is erased. */
  answer: Answer | undefined;
};

export type MechPorts = {
  mode: 'test' | 'live';
  /** The caller whose wallet pays. @throws AppError mech_unavailable */
  payer(): Promise<Caller>;
  /** @throws AppError mech_proof_needed, mech_unavailable */
  prove(request: ProveRequest): Promise<Proof>;
  /** The key of a request. All spellings of an id give the same key. */
  keyOf(requestId: string): Promise<string>;
  /** Keyed digest of the request, to tell a repetition from another request. */
  digest(asked: unknown): string;
  requests: {
    /** @throws AppError mech_request_reused */
    find(request: PaidRequest): Promise<KnownRequest>;
    /** Puts it on record. @throws AppError mech_request_reused, mech_cap_reached */
    begin(request: PaidRequest, proof: Proof): Promise<void>;
    /**
     * Records that the request was done. Keeps `answer` for its repetition, unless another process has kept one.
     * Returns the answer that is kept.
     */
    serve(
      request: PaidRequest,
      letterId: string,
      answer: Answer | undefined,
    ): Promise<{ position: bigint; answer: Answer | undefined }>;
    /** It was not done and costs nothing. @throws AppError mech_request_reused where another body was served */
    refuse(request: PaidRequest, code: string): Promise<void>;
    /** Whether an id was used by a request that costs something. */
    isUsed(requestKey: string): Promise<boolean>;
  };
  /** The log position of the last event of a letter that was sent through the mech; undefined for any other letter. */
  lastChangeOf(letterId: string): Promise<bigint | undefined>;
};
