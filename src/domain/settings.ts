/** Records of the settings plane that /v1 resources refer to. D-22. */
import type { Dimension } from '../contract/admin/units.ts';
import type { UserRole, UserStatus } from '../contract/admin/users.ts';

export type { Dimension };

export interface SiteRecord {
  readonly id: string;
  readonly name: string;
  readonly code: string;
  readonly address: string;
  /** Exactly one per tenant. */
  readonly isDefault: boolean;
  readonly isActive: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface UnitRecord {
  readonly id: string;
  readonly name: string;
  readonly symbol: string;
  readonly dimension: Dimension;
  /** Exact factor to the base unit of the dimension. */
  readonly factorNum: number;
  readonly factorDen: number;
  /** Decimals of a quantity in this unit, 0 to 6. */
  readonly precision: number;
  readonly isActive: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface CategoryRecord {
  readonly id: string;
  readonly name: string;
  readonly parentId: string | null;
  /** The parent, or `TOP`: with the name a unique key, so that no two categories of one parent look alike. */
  readonly under: string;
  readonly isActive: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export interface UserRecord {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: UserRole;
  readonly status: UserStatus;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** What a category without parent stands under. */
export const TOP = 'top';

/** A rate-limit tier that was set here; the built-in ones need no record. Belongs to the service, not to a tenant. */
export interface TierRecord {
  /** The name. */
  readonly id: string;
  readonly requestsPerMinute: number;
  readonly updatedAt: string;
}
