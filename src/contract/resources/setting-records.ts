/** The records of settings, which the admin API changes and /v1 reads. D-9, D-22. */
import { NUMBER_DECIMALS, UNIT_FACTOR_MAX } from '../limits.ts';
import { queryBoolean } from '../operation.ts';
import { type Infer, t } from '../schema/builder.ts';

export const activeFilter = { is_active: t.optional(t.annotate(queryBoolean(), { description: 'Only active or only inactive records.' })) };

export const site = t.component('Site', {
  id: t.uuid(),
  name: t.string(),
  code: t.string(),
  address: t.string(),
  isDefault: t.bool(),
  isActive: t.bool(),
  createdAt: t.timestamp(),
  updatedAt: t.timestamp(),
});

export const DIMENSIONS = ['count', 'mass', 'volume', 'length', 'time'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

export const unitFactor = () => t.int({ min: 1, max: UNIT_FACTOR_MAX });
export const unitPrecision = () => t.int({ min: 0, max: NUMBER_DECIMALS });

export const unit = t.component('Unit', {
  id: t.uuid(),
  name: t.string(),
  symbol: t.string(),
  dimension: t.enums(DIMENSIONS),
  factorNum: unitFactor(),
  factorDen: unitFactor(),
  precision: unitPrecision(),
  isActive: t.bool(),
  createdAt: t.timestamp(),
  updatedAt: t.timestamp(),
});
export type Unit = Infer<typeof unit>;

export const category = t.component('Category', {
  id: t.uuid(),
  name: t.string(),
  parentId: t.nullable(t.id('category')),
  isActive: t.bool(),
  createdAt: t.timestamp(),
  updatedAt: t.timestamp(),
});

export const USER_ROLES = ['admin', 'manager', 'staff'] as const;
export const USER_STATUSES = ['invited', 'active', 'deactivated'] as const;
export type UserRole = (typeof USER_ROLES)[number];
export type UserStatus = (typeof USER_STATUSES)[number];

export const user = t.component('User', {
  id: t.uuid(),
  email: t.string(),
  name: t.string(),
  role: t.enums(USER_ROLES),
  status: t.enums(USER_STATUSES),
  createdAt: t.timestamp(),
  updatedAt: t.timestamp(),
});
