/** Records of the settings plane that /v1 resources refer to. D-22. */

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

export const DIMENSIONS = ['count', 'mass', 'volume', 'length', 'time'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

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
  readonly isActive: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
}

export const USER_ROLES = ['admin', 'manager', 'staff'] as const;
export const USER_STATUSES = ['invited', 'active', 'deactivated'] as const;
export interface UserRecord {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: (typeof USER_ROLES)[number];
  readonly status: (typeof USER_STATUSES)[number];
  readonly createdAt: string;
  readonly updatedAt: string;
}
