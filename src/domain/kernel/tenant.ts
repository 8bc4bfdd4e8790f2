/** The tenant of a request and who acts in it: part of every context. D-22. */
import type { NEGATIVE_STOCK, OVERSELL } from '../../contract/admin/tenants.ts';
import type { ActorType } from '../../contract/resources/audit.ts';
import type { BILLING_PERIODS } from '../../contract/resources/usage.ts';
import type { Plan } from '../../contract/scopes.ts';

export interface Actor {
  readonly type: ActorType;
  readonly id: string;
}

export interface TenantRecord {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly plan: Plan;
  readonly isActive: boolean;
  /** ISO 4217, with the number of decimals of its minor unit. */
  readonly currency: string;
  readonly currencyExponent: number;
  /** IANA name. */
  readonly timezone: string;
  readonly defaultLeadDays: number;
  /** Prefixes of generated numbers by order module or document type; absent ones have the default (D-4). */
  readonly numberPrefixes: Readonly<Record<string, string>>;
  readonly negativeStock: (typeof NEGATIVE_STOCK)[number];
  readonly oversell: (typeof OVERSELL)[number];
  readonly fourEyes: boolean;
  readonly billingPeriod: (typeof BILLING_PERIODS)[number];
  /** The tenant's own company as a contact (D-3). */
  readonly houseContactId: string;
  readonly defaultSiteId: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** By how many milliseconds its clock is ahead of that of the service; absent: not at all. */
  readonly clockAheadMs?: number;
  /** A copy that is removed when the connection that asked for it closes. */
  readonly isLeased?: true;
}
