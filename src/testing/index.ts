/// <reference lib="esnext.disposable" preserve="true" />
/** For tests of programs that use the service: `import { startStockroom } from 'stockroom/testing'`. */
import type { AdminOperation } from '../contract/admin.ts';
import type { LoadedDemoTenant } from '../contract/admin/demo.ts';
import type { Input } from '../contract/schema.ts';
import type { keyDraft } from '../contract/admin/keys.ts';
import type { Tenant, tenantDraft } from '../contract/admin/tenants.ts';
import type { Plan } from '../contract/scopes.ts';
import type { StockroomClient } from '../client/index.ts';
import type { Methods } from '../client/methods.ts';

export { ApiError, Unreachable } from '../client/errors.ts';
export type { StockroomClient } from '../client/index.ts';
export { startStockroom } from './start.ts';

export interface StockroomOptions {
  /** Also load the demo tenants; the first of them is then the tenant of `apiKey` and `client`. */
  readonly demo?: boolean;
  /** Plan of the tenant; without effect with `demo`. Default: `enterprise`, which may do everything. */
  readonly plan?: Plan;
  /** Requests a minute of the keys made here. Default: the largest limit there is, so that no test is slowed down. */
  readonly requestsPerMinute?: number;
  /** Where the clock begins; it goes on from there. Default: now. */
  readonly now?: Date | string;
  /** Seconds before each retry of a webhook delivery, instead of the default schedule. */
  readonly webhookRetries?: readonly number[];
}

/** Somebody who may call the service. */
export interface Access {
  readonly apiKey: string;
  /** Never waits: a refused request is thrown at once, 429 included. */
  readonly client: StockroomClient;
}

export interface RecordedEvent {
  readonly id: string;
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly occurredAt: string;
}

/** A running service in this process, with nothing of it outside a temporary directory. */
export interface Stockroom extends Access, AsyncDisposable {
  readonly url: string;
  readonly tenant: Tenant;
  /** With their keys; empty without `demo`. */
  readonly demo: readonly LoadedDemoTenant[];
  /** The settings plane, every operation as a method: `admin.users.invite(…)`, `admin.webhooks.deliveries.resend(…)`. */
  readonly admin: Methods<AdminOperation>;
  /** Another tenant with a key for everything. */
  addTenant(draft: Input<typeof tenantDraft>): Promise<Access & { readonly tenant: Tenant }>;
  /** Another key of the tenant, or of the one with this slug. Without `scopes` it may do everything. */
  addKey(draft?: Input<typeof keyDraft>, tenant?: string): Promise<Access>;
  /** Generates items with suppliers and recipes, contacts and orders; the same numbers make the same data. */
  seed(amounts: { readonly items: number; readonly orders?: number; readonly seed?: number }): Promise<void>;
  /** The time of the service. */
  now(): Date;
  /** Moves the clock forward, by `25h` or by milliseconds: everything that waits for a time follows it. Resolves with the new time. */
  advance(by: string | number): Promise<Date>;
  /** Puts the clock to an instant, also an earlier one; it goes on from there. */
  setTime(at: Date | string): Promise<Date>;
  /** What the tenant recorded, oldest first: what webhooks would be told of. */
  events(): Promise<readonly RecordedEvent[]>;
  /** Resolves when every webhook delivery that is due has been attempted; rejects when the service is stopped before. */
  settled(): Promise<void>;
  /** Stops and removes everything; `await using` does it by itself. */
  stop(): Promise<void>;
}
