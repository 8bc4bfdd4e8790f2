/** Units of measure, with exact conversion factors within a dimension. D-9, D-22. */
import { NAME_MAX_CHARS, UNIT_SYMBOL_MAX_CHARS } from '../limits.ts';
import { single, defineAdminOperation, paginated } from '../operation.ts';
import { type Infer, describe, t } from '../schema/builder.ts';
import { DIMENSIONS, activeFilter, unit, unitFactor as factor, unitPrecision as precision } from '../resources/setting-records.ts';
import { tenantListQuery, defineTenantOperation } from './shared-schemas.ts';

export const unitDraft = t.object({
  name: t.annotate(t.line(NAME_MAX_CHARS), { description: 'Name of the unit.' }),
  symbol: t.annotate(t.line(UNIT_SYMBOL_MAX_CHARS), { description: 'Symbol; unique within the tenant, ignoring case.', example: 'bag60' }),
  dimension: describe(t.withDefault(t.enums(DIMENSIONS), 'count'), 'Dimension of the unit; units convert only within it.'),
  factorNum: t.annotate(t.withDefault(factor(), 1), {
    description: 'Numerator of the factor: one unit is `factorNum` ÷ `factorDen` base units (piece, kilogram, litre, metre or hour).',
  }),
  factorDen: describe(t.withDefault(factor(), 1), 'Denominator of the factor; see `factorNum`.'),
  precision: t.annotate(t.withDefault(precision(), 0), { description: 'Decimal places of quantities in this unit.' }),
  isActive: describe(t.withDefault(t.bool(), true), 'Whether new items can use it.'),
});
export type UnitDraft = Infer<typeof unitDraft>;
export const unitPatch = t.partial(unitDraft);
export type UnitPatch = Infer<typeof unitPatch>;

const byId = t.object({ unit_id: t.id('unit') });

/** The units of a new tenant: each base unit, and the gram. */
export const COMMON_UNITS = [
  { name: 'Piece', symbol: 'pcs', dimension: 'count', factorNum: 1, factorDen: 1, precision: 0 },
  { name: 'Kilogram', symbol: 'kg', dimension: 'mass', factorNum: 1, factorDen: 1, precision: 6 },
  { name: 'Gram', symbol: 'g', dimension: 'mass', factorNum: 1, factorDen: 1_000, precision: 3 },
  { name: 'Litre', symbol: 'l', dimension: 'volume', factorNum: 1, factorDen: 1, precision: 6 },
  { name: 'Metre', symbol: 'm', dimension: 'length', factorNum: 1, factorDen: 1, precision: 3 },
  { name: 'Hour', symbol: 'h', dimension: 'time', factorNum: 1, factorDen: 1, precision: 2 },
] as const;

export const listUnits = defineAdminOperation('units.list', 'GET', '/admin/units', {
  summary: 'List units',
  query: t.object({ ...tenantListQuery(['name', 'symbol', 'created_at', 'updated_at']), ...activeFilter }),
  result: paginated(unit),
});

export const createUnit = defineTenantOperation('units.create', 'POST', '/admin/units', {
  summary: 'Create a unit',
  body: unitDraft,
  status: 201,
  result: single(unit),
  errors: ['DUPLICATE_VALUE'],
  example: { body: { name: 'Bag of 60 kg', symbol: 'bag60', dimension: 'mass', factorNum: 60 } },
});

export const getUnit = defineTenantOperation('units.get', 'GET', '/admin/units/{unit_id}', {
  summary: 'Get a unit',
  params: byId,
  result: single(unit),
});

export const updateUnit = defineTenantOperation('units.update', 'PATCH', '/admin/units/{unit_id}', {
  summary: 'Update a unit',
  description:
    'Omitted fields are unchanged. Once the unit is in use, its dimension and factors are fixed and its precision can only increase.',
  params: byId,
  body: unitPatch,
  result: single(unit),
  errors: ['DUPLICATE_VALUE', 'RESOURCE_IN_USE'],
});

export const deleteUnit = defineTenantOperation('units.delete', 'DELETE', '/admin/units/{unit_id}', {
  summary: 'Delete an unused unit',
  params: byId,
  result: null,
  errors: ['RESOURCE_IN_USE'],
});

export const unitOperations = [listUnits, createUnit, getUnit, updateUnit, deleteUnit] as const;
