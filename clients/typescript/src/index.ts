export { type Client, createClient, type FullAnswer, type Operations } from './client.ts';
export {
  ApprovalError,
  type ErrorData,
  type Finding,
  FrozenError,
  type PaymentOffer,
  type PaymentRequired,
  type PolicyDenial,
  PolicyDeniedError,
  ServiceError,
} from './errors.ts';
export {
  type CallOptions,
  createExecutor,
  type Execute,
  execute,
  type ToolArguments,
  type ToolFailure,
  type ToolResult,
  type ToolSpec,
  tools,
} from './execute.ts';
export type { operations } from './generated/operations.ts';
export type {
  AnswerOf,
  BodyOf,
  DryRunName,
  DryRunOf,
  InputOf,
  ListName,
  OperationName,
  PathOf,
  QueryOf,
  RowOf,
} from './operation-types.ts';
export type { ClientOptions } from './options.ts';
export type { Payer, SignedPayment } from './payment.ts';
export { type AgentTool, type ConfirmCall, letterTools, type ToolOptions } from './tools.ts';
export type { Letter, LetterStatus, WaitOptions } from './wait-for.ts';
