/** What a handler gets and what it answers. */
import type { Operation, ParamsOf, BodyOf, QueryOf, ResultOf } from '../contract/operation.ts';
import type { Context } from '../domain/context.ts';
import type { ApiKeyRecord } from '../domain/keys.ts';
import type { ReadTx, Tx } from '../domain/tables.ts';
import type { TargetPolicy } from '../domain/targets.ts';
import type { TenantRecord } from '../domain/tenants.ts';
import type { BillingPeriod } from '../domain/usage.ts';

/** Live figures that are no records: the rate window of a key, requests counted but not yet stored. */
export interface Meters {
  /** The window of this key now: its limit and what is left of it. */
  rateOf(key: ApiKeyRecord): { limit: number; remaining: number };
  /** Requests of a billing period counted for the tenant since the counters were last stored, by capability. */
  unsavedUsage(tenantId: string, period: BillingPeriod): ReadonlyMap<string, number>;
}

export interface Caller {
  /** With the scopes that count now. */
  readonly key: ApiKeyRecord;
  readonly tenant: TenantRecord;
  /** Why the partner application that holds the key may do nothing. */
  readonly disabled?: string;
}

interface Common<O> {
  readonly caller: Caller;
  readonly meters: Meters;
  /** Where webhooks may send. */
  readonly targets: TargetPolicy;
  readonly params: ParamsOf<O>;
  readonly query: QueryOf<O>;
  readonly body: BodyOf<O>;
  /** The If-Match header, when sent. */
  readonly ifMatch: string | undefined;
}
/** A read sees one state of the store; a write gets a transaction and the context of its change. */
export type Call<O> = Common<O> &
  (O extends { method: 'GET' } ? { readonly tx: ReadTx; readonly now: Date } : { readonly tx: Tx; readonly context: Context });

/** JSON text that is already the body: what rows kept serialised are joined to. */
export class JsonText {
  readonly text: string;
  /** Its length in UTF-8, when that is known without looking. */
  readonly bytes: number | undefined;
  constructor(text: string, bytes?: number) {
    this.text = text;
    this.bytes = bytes;
  }
}

/** A body with headers of its own. */
export class Answer<T> {
  readonly body: T | JsonText;
  readonly headers: { readonly etag?: string; readonly location?: string };
  constructor(body: T | JsonText, headers: { etag?: string; location?: string } = {}) {
    this.body = body;
    this.headers = headers;
  }
}

export type Handler<O> = (call: Call<O>) => Promise<ResultOf<O> | JsonText | Answer<ResultOf<O>>>;

/** One handler per operation: a missing one does not compile. */
export type Handlers<Ops extends readonly Operation[]> = { readonly [O in Ops[number] as O['id']]: Handler<O> };

/** What the server calls: the types of one operation forgotten, because its schemas have checked the parts. */
export type AnyHandler = (call: {
  readonly caller: Caller;
  readonly meters: Meters;
  readonly targets: TargetPolicy;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly ifMatch: string | undefined;
  readonly tx: ReadTx | Tx;
  readonly now?: Date;
  readonly context?: Context;
}) => Promise<unknown>;

/** The version of a record as an entity tag (D-17). */
export const etagOf = (record: { readonly updatedAt: string }): string => `"${record.updatedAt}"`;
