/// <reference lib="esnext.disposable" preserve="true" />
/** The types of `stockroom/testing`. */
import type { AdminOperation } from '../contract/admin/index.ts';
import type { LoadedDemoTenant } from '../contract/admin/demo.ts';
import type { fixtureDocument } from '../contract/admin/fixtures/schema.ts';
import type { Input } from '../contract/schema/builder.ts';
import type { keyDraft } from '../contract/admin/keys.ts';
import type { Tenant, tenantDraft } from '../contract/admin/tenants.ts';
import type { Plan } from '../contract/scopes.ts';
import type { StockroomClient } from '../client/index.ts';
import type { Methods } from '../client/methods.ts';

export interface StockroomOptions {
  /** Load the demo tenants; `tenant`, `apiKey` and `client` are then those of the first one. */
  readonly demo?: boolean;
  /** Plan of the tenant; ignored with `demo`. Default: `enterprise`, which allows every operation. */
  readonly plan?: Plan;
  /** A file of fixtures (true: that of the working directory) or their document; `tenant`, `apiKey` and `client` are then those of the first tenant. */
  readonly fixtures?: string | true | Input<typeof fixtureDocument>;
  /** Rate limit of the keys created here, in requests per minute. Default: the maximum, so that no test is slowed down. */
  readonly requestsPerMinute?: number;
  /** Initial time of the clock, which runs on from there. Default: now. */
  readonly now?: Date | string;
  /** `strict`: only what the given contract has, without the extensions of stockroom. */
  readonly contract?: 'extended' | 'strict';
  /** Seconds before each retry of a webhook delivery, instead of the default schedule. */
  readonly webhookRetries?: readonly number[];
}

/** An API key and a client that uses it. */
export interface Access {
  readonly apiKey: string;
  /** Never waits for a retry: an error response is thrown immediately, including 429. */
  readonly client: StockroomClient;
}

export interface RecordedEvent {
  readonly id: string;
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly occurredAt: string;
}

/** A running service in this process. All of its files are in a temporary directory. */
export interface Stockroom extends Access, AsyncDisposable {
  readonly url: string;
  readonly tenant: Tenant;
  /** The demo tenants with their keys; empty without `demo`. */
  readonly demo: readonly LoadedDemoTenant[];
  /** The admin API, every operation as a method: `admin.users.invite(…)`, `admin.webhooks.deliveries.resend(…)`. */
  readonly admin: Methods<AdminOperation>;
  /**
   * URL and token of the admin API on a port of its own, opened by the first call: for a program under test in another process, as
   * STOCKROOM_CONTROL_URL and STOCKROOM_CONTROL_TOKEN.
   */
  control(): Promise<{ readonly url: string; readonly token: string }>;
  /** Creates another tenant, with a key that has every scope. */
  addTenant(draft: Input<typeof tenantDraft>): Promise<Access & { readonly tenant: Tenant }>;
  /** Creates a key for the tenant, or for the tenant with this slug. Without `scopes` it has every scope. */
  addKey(draft?: Input<typeof keyDraft>, tenant?: string): Promise<Access>;
  /** Generates items with suppliers and ingredients, contacts and orders. The same arguments generate the same data. */
  seed(amounts: { readonly items: number; readonly orders?: number; readonly seed?: number }): Promise<void>;
  /** The current time of the service, or of a tenant. Receivers under test verify with it: `verifyWebhook(body, headers, secret, { now: stockroom.now })`. */
  now(tenantId?: string): Date;
  /**
   * Moves the clock forward, by a duration such as `25h` or by milliseconds, and resolves with the new time. Retries and expiry follow. With a
   * slug or id: that of this tenant only.
   */
  advance(by: string | number, tenant?: string): Promise<Date>;
  /** Sets the clock, or that of a tenant, also to an earlier time; it runs on from there. */
  setTime(at: Date | string, tenant?: string): Promise<Date>;
  /** The events of the tenant, oldest first: those that webhooks receive. */
  events(): Promise<readonly RecordedEvent[]>;
  /** Resolves when every due webhook delivery has been attempted; rejects when the service is stopped first. */
  settled(): Promise<void>;
  /** Stops the service and removes its files. `await using` calls it automatically. */
  stop(): Promise<void>;
}
