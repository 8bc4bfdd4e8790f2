/** What the steps of one operation share. Their order is in `server.ts`, their execution in `run-operation.ts`. */
import type { Request } from '@hapi/hapi';
import type { Caller, UntypedHandler, UsageMeters } from '../../api/handler.ts';
import type { Operation } from '../../contract/operation.ts';
import type { Tx } from '../../domain/tables.ts';
import type { TenantRecord } from '../../domain/kernel/tenant.ts';
import type { Reply } from '../response/reply.ts';
import type { Service } from '../service.ts';
import type { RequestInput, RequestValidators } from './validate-request.ts';

/** What an operation reads of a request. Tool calls have it, too. */
export interface OperationRequest extends Pick<Request, 'method' | 'path' | 'headers' | 'params' | 'query' | 'payload'> {
  readonly app: Pick<Request['app'], 'requestId'>;
  readonly info: Pick<Request['info'], 'remoteAddress'>;
  /** Only HTTP requests. */
  readonly raw?: { readonly req: { readonly rawHeaders: readonly string[] } };
}

/** An operation with everything that its calls have in common. */
export interface OperationTarget {
  readonly service: Service;
  readonly operation: Operation;
  readonly handler: UntypedHandler;
  readonly meters: UsageMeters;
  /** Larger bodies are rejected unparsed. */
  readonly maxBodyValues: number;
  /** Created with the first call: most operations are never called, and all validators together take a noticeable part of a start. */
  validators: RequestValidators | undefined;
}

/** One call of an operation. Each step reads what earlier steps have set. */
export interface OperationCall {
  readonly target: OperationTarget;
  readonly request: OperationRequest;
  readonly caller: Caller;
  /** The parsed JSON body; set by 'parse body'. */
  body: unknown;
  /** Set by 'read Idempotency-Key'. */
  idempotency: { readonly replyId: string; readonly earlierReplyId?: string; readonly fingerprint: string } | undefined;
  /** Set while the key is locked. */
  lockedKey: string | undefined;
  /** Set by 'validate request'. */
  input: RequestInput | undefined;
  /** As the transaction sees it; set by 'check key again'. */
  tenant: TenantRecord | undefined;
  /** What the latest asynchronous step has resolved with. */
  result: unknown;
  /** Set by 'find stored reply' or 'create reply'. */
  reply: Reply | undefined;
  /** Set by 'find stored reply': no further steps run. */
  isFinished: boolean;
}

interface StepOptions {
  readonly name: string;
  /** Which operations take the step; by default all of them. */
  readonly appliesTo?: (operation: Operation) => boolean;
}

interface PlainStep extends StepOptions {
  readonly inTransaction?: never;
  readonly run: (call: OperationCall) => undefined;
}

/** Needs the read or the transaction of the operation. All later steps run inside it, too. */
interface TransactionStep extends StepOptions {
  readonly inTransaction: true;
  readonly run: (call: OperationCall, tx: Tx) => Promise<unknown> | undefined;
}

export type OperationStep = PlainStep | TransactionStep;
