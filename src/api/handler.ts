/** The types of /v1 handlers: their input, their responses, and the map of all handlers. */
import type { Operation, ParamsOf, BodyOf, QueryOf, ResultOf } from '../contract/operation.ts';
import type { EventRetention } from '../domain/events/event-log.ts';
import type { Context } from '../domain/kernel/context.ts';
import type { MaybePromise } from '../domain/kernel/shared-state.ts';
import type { ApiKeyRecord, UsageRecord } from '../domain/tenancy/records.ts';
import type { ReadTx, Tx } from '../domain/tables.ts';
import type { TargetPolicy } from '../domain/webhooks/target-policy.ts';
import type { TenantRecord } from '../domain/kernel/tenant.ts';
import type { BillingPeriod } from '../domain/tenancy/usage.ts';

/** Live figures kept in memory: rate-limit windows and requests counted since the last save. */
export interface UsageMeters {
  /** The limit of the key's current rate-limit window and the requests left in it. */
  getRateWindow(key: ApiKeyRecord): { limit: number; remaining: number };
  /** Requests per capability in a billing period that are not among the `stored` ones. */
  getUnsavedUsage(tenantId: string, period: BillingPeriod, stored: readonly UsageRecord[]): ReadonlyMap<string, number>;
}

/** The authenticated client of a request. */
export interface Caller {
  /** With its effective scopes. */
  readonly key: ApiKeyRecord;
  readonly tenant: TenantRecord;
  /** Why the key is refused: its application is suspended or disconnected. */
  readonly disabled?: string;
}

interface BaseCall {
  readonly caller: Caller;
  readonly meters: UsageMeters;
  /** Where webhooks may deliver to. */
  readonly targets: TargetPolicy;
  readonly eventRetention: EventRetention;
  /** Whether the service has the given contract only. */
  readonly isStrict: boolean;
  /** The If-Match header, when sent. */
  readonly ifMatch: string | undefined;
}

/** The input of a handler. Reads get a consistent snapshot of the store; writes get a transaction and the context of the change. */
export type Call<O> = BaseCall & { readonly params: ParamsOf<O>; readonly query: QueryOf<O>; readonly body: BodyOf<O> } & (O extends {
    method: 'GET';
  }
    ? { readonly tx: ReadTx; readonly now: Date }
    : { readonly tx: Tx; readonly context: Context });

/** A response body with an ETag or Location header. */
export class ApiResponse<T> {
  readonly body: T;
  readonly headers: { readonly etag?: string; readonly location?: string };
  /** Only long polls: there is nothing yet, and this query looks for what comes after it. */
  readonly pollQuery: unknown;
  constructor(body: T, headers: { etag?: string; location?: string } = {}, pollQuery?: unknown) {
    this.body = body;
    this.headers = headers;
    this.pollQuery = pollQuery;
  }
}

export type Handler<O> = (call: Call<O>) => MaybePromise<ResultOf<O> | ApiResponse<ResultOf<O>>>;

/** One handler per operation; a missing one is a compile error. */
export type Handlers<Ops extends readonly Operation[]> = { readonly [O in Ops[number] as O['id']]: Handler<O> };

/** A handler as the server calls it: without the types of its operation, whose schemas have validated the input. */
export type UntypedHandler = (
  call: BaseCall &
    Readonly<Record<'params' | 'query' | 'body', unknown>> & { readonly tx: ReadTx | Tx; readonly now?: Date; readonly context?: Context },
) => unknown;

/** A response with one record, whose ETag is its quoted `updatedAt` (D-17). `location`: the path of a record that was created. */
export const respondWithRecord = <T>(record: { readonly updatedAt: string }, body: T, location?: string): ApiResponse<T> =>
  new ApiResponse(body, { etag: `"${record.updatedAt}"`, ...(location === undefined ? {} : { location }) });
