/** Units of measure with exact factors between those of one dimension. D-9, D-22. */
import { NAME_MAX_CHARS, NUMBER_DECIMALS, UNIT_FACTOR_MAX, UNIT_SYMBOL_MAX_CHARS } from '../limits.ts';
import { one, operation, pageOf } from '../operation.ts';
import { type Infer, t } from '../schema.ts';
import { activeFilter, tenantListQuery, tenantQuery } from './common.ts';

export const DIMENSIONS = ['count', 'mass', 'volume', 'length', 'time'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

const factor = () => t.int({ min: 1, max: UNIT_FACTOR_MAX });
const precision = () => t.int({ min: 0, max: NUMBER_DECIMALS });

export const unit = t.object({
  id: t.uuid(),
  name: t.string(),
  symbol: t.string(),
  dimension: t.enums(DIMENSIONS),
  factorNum: factor(),
  factorDen: factor(),
  precision: precision(),
  isActive: t.bool(),
  createdAt: t.timestamp(),
  updatedAt: t.timestamp(),
});
export type Unit = Infer<typeof unit>;

export const unitDraft = t.object({
  name: t.line(NAME_MAX_CHARS),
  symbol: t.about(t.line(UNIT_SYMBOL_MAX_CHARS), { description: 'Unique within the tenant, whatever its case.', example: 'bag60' }),
  dimension: t.withDefault(t.enums(DIMENSIONS), 'count'),
  factorNum: t.about(t.withDefault(factor(), 1), {
    description: 'One of this unit is factorNum ÷ factorDen of the base unit: piece, kilogram, litre, metre or hour.',
  }),
  factorDen: t.withDefault(factor(), 1),
  precision: t.about(t.withDefault(precision(), 0), { description: 'Decimals of a quantity in this unit.' }),
  isActive: t.withDefault(t.bool(), true),
});
export type UnitDraft = Infer<typeof unitDraft>;
export const unitPatch = t.partial(unitDraft);
export type UnitPatch = Infer<typeof unitPatch>;

const byId = t.object({ unit_id: t.uuid() });

export const listUnits = operation({
  id: 'units.list',
  method: 'GET',
  path: '/admin/units',
  scope: null,
  summary: 'List units',
  query: t.object({ ...tenantListQuery(['name', 'symbol', 'created_at']), ...activeFilter }),
  status: 200,
  result: pageOf(unit),
});

export const createUnit = operation({
  id: 'units.create',
  method: 'POST',
  path: '/admin/units',
  scope: null,
  summary: 'Create a unit',
  query: tenantQuery,
  body: unitDraft,
  status: 201,
  result: one(unit),
  errors: ['DUPLICATE_VALUE'],
  example: { body: { name: 'Bag of 60 kg', symbol: 'bag60', dimension: 'mass', factorNum: 60 } },
});

export const getUnit = operation({
  id: 'units.get',
  method: 'GET',
  path: '/admin/units/{unit_id}',
  scope: null,
  summary: 'Read a unit',
  params: byId,
  query: tenantQuery,
  status: 200,
  result: one(unit),
});

export const updateUnit = operation({
  id: 'units.update',
  method: 'PATCH',
  path: '/admin/units/{unit_id}',
  scope: null,
  summary: 'Change a unit; what quantities depend on is fixed once it is used',
  params: byId,
  query: tenantQuery,
  body: unitPatch,
  status: 200,
  result: one(unit),
  errors: ['DUPLICATE_VALUE', 'RESOURCE_IN_USE'],
});

export const deleteUnit = operation({
  id: 'units.delete',
  method: 'DELETE',
  path: '/admin/units/{unit_id}',
  scope: null,
  summary: 'Delete a unit that nothing refers to',
  params: byId,
  query: tenantQuery,
  status: 204,
  result: null,
  errors: ['RESOURCE_IN_USE'],
});

export const unitOperations = [listUnits, createUnit, getUnit, updateUnit, deleteUnit] as const;
