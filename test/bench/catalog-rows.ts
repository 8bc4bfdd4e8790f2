/**
 * The catalogue that every arm of the bench answers from: item number `n` is the same on every machine and in every process.
 * A stored row is about 450 bytes of JSON; every third item has a preferred supplier, every one a category and a unit.
 */
import type { Item } from '../../src/contract/resources/items.ts';
import { toSupplierLinkId } from '../../src/domain/catalog/suppliers.ts';
import {
  type SupplierLinkRecord,
  type CategoryRecord,
  TOP_LEVEL,
  type UnitRecord,
  type ItemRecord,
} from '../../src/domain/catalog/records.ts';
import type { ContactRecord } from '../../src/domain/contacts/records.ts';
import { fromMicro } from '../../src/domain/kernel/numbers.ts';
import { UNIQUE } from './load.ts';

const SIZES = [
  'Small',
  'Medium',
  'Large',
  'Slim',
  'Wide',
  'Heavy',
  'Light',
  'Compact',
  'Double',
  'Long',
  'Short',
  'Mini',
  'Outdoor',
  'Classic',
  'Premium',
  'Basic',
];
const MATERIALS = [
  ['Steel', 'Brass', 'Copper', 'Aluminium', 'Titanium', 'Rubber', 'Nylon', 'Cotton', 'Walnut', 'Bamboo', 'Ceramic', 'Glass'],
  ['Leather', 'Paper', 'Cork', 'Silicone', 'Carbon', 'Felt', 'Linen', 'Maple', 'Granite', 'Acrylic', 'Wool', 'Zinc'],
].flat();
const THINGS = [
  ['Bolt', 'Washer', 'Bracket', 'Hinge', 'Gasket', 'Filter', 'Valve', 'Nozzle', 'Spring', 'Bearing', 'Pulley', 'Handle', 'Hook', 'Clamp'],
  ['Mug', 'Kettle', 'Grinder', 'Scale', 'Tray', 'Carton', 'Label', 'Pouch', 'Crate', 'Lamp', 'Socket', 'Cable', 'Battery', 'Charger'],
  ['Saddle', 'Chain', 'Pedal', 'Wheel', 'Fork', 'Tube', 'Bell', 'Basket', 'Helmet', 'Glove', 'Jersey', 'Bottle', 'Pump', 'Stand'],
].flat();
const NOTES = 'Store dry and away from direct light. Rotate stock, oldest first.';
const FIRST_DAY = Date.UTC(2026, 0, 1);
const SUPPLIERS = 200;

/** A number below 2³² that looks random and depends on `n` and `salt` alone. */
export function scatter(n: number, salt = 0): number {
  let x = Math.imul(n + 0x9e37_79b9, 0x85eb_ca6b) ^ Math.imul(salt + 1, 0xc2b2_ae35);
  x = Math.imul(x ^ (x >>> 16), 0x7feb_352d);
  x = Math.imul(x ^ (x >>> 15), 0x846c_a68b);
  return (x ^ (x >>> 16)) >>> 0;
}

const pick = <T>(values: readonly T[], number: number): T => values[number % values.length] as T;
const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0').slice(-digits);
const at = (n: number) => new Date(FIRST_DAY + n * 137).toISOString();

/** A version-7 UUID: ids rise with `n`, as those of items created one after the other do. */
function getId(kind: number, n: number): string {
  const time = hex(FIRST_DAY + n * 137, 12);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(scatter(n, kind), 3)}-8${hex(kind, 3)}-${hex(scatter(n, kind + 90), 6)}${hex(n, 6)}`;
}

export const itemId = (n: number): string => getId(1, n);
export const getSku = (n: number): string => `SKU-${String(n).padStart(7, '0')}`;
const supplierId = (n: number): string => getId(4, n);
/** A contact that can supply: any number will do. */
export const contactId = (n: number): string => supplierId(n % SUPPLIERS);

export const categories: readonly CategoryRecord[] = [
  'Fasteners',
  'Kitchen',
  'Cycling',
  'Packaging',
  'Spare parts',
  'Electrics',
  'Clothing',
  'Tools',
].map((name, n) => ({
  id: getId(2, n),
  name,
  parentId: null,
  under: TOP_LEVEL,
  isActive: true,
  createdAt: at(0),
  updatedAt: at(0),
}));

export const unit: UnitRecord = {
  id: getId(3, 0),
  name: 'Bench piece',
  symbol: 'bench-pcs',
  dimension: 'count',
  factorNum: 1,
  factorDen: 1,
  precision: 0,
  isActive: true,
  createdAt: at(0),
  updatedAt: at(0),
};

export const suppliers: readonly ContactRecord[] = Array.from({ length: SUPPLIERS }, (_, n) => ({
  id: supplierId(n),
  name: `${pick(MATERIALS, scatter(n, 11))} ${pick(THINGS, scatter(n, 12))} Supply`,
  email: `orders${String(n)}@supplier.example`,
  phone: '+351 21 000 00 00',
  company: `Supplier ${String(n)} Lda`,
  contactType: 'supplier',
  country: 'PT',
  contactGroup: '',
  isPrimaryContact: false,
  isActive: true,
  isHouse: false,
  createdAt: at(0),
  updatedAt: at(0),
}));

/** Item `n` as the store keeps it. */
export function itemRecord(n: number): ItemRecord {
  const name = `${pick(SIZES, scatter(n, 21))} ${pick(MATERIALS, scatter(n, 22))} ${pick(THINGS, scatter(n, 23))} ${String(scatter(n, 24) % 1000)}`;
  return {
    id: itemId(n),
    name,
    itemType: pick(['product', 'product', 'product', 'material', 'material', 'combo'] as const, scatter(n, 25)),
    sku: getSku(n),
    mpn: n % 2 === 0 ? `M${hex(scatter(n, 26), 6).toUpperCase()}` : null,
    barcode: String(4_000_000_000_000 + n),
    categoryId: pick(categories, scatter(n, 27)).id,
    unitId: unit.id,
    supplierId: n % 3 === 0 ? supplierId(scatter(n, 28) % SUPPLIERS) : null,
    salePrice: (scatter(n, 29) % 100_000) * 10_000,
    purchasePrice: (scatter(n, 30) % 60_000) * 10_000,
    supplierCode: n % 3 === 0 ? `SC-${hex(scatter(n, 31), 5)}` : null,
    notes: n % 4 === 0 ? NOTES : null,
    isActive: scatter(n, 32) % 33 !== 0,
    createdAt: at(n),
    updatedAt: at(n),
  };
}

/** The preferred supplier link that belongs to an item with a supplier. */
export function supplierLink(item: ItemRecord): SupplierLinkRecord | undefined {
  if (item.supplierId === null) return undefined;
  return {
    id: toSupplierLinkId(item.id, item.supplierId),
    itemId: item.id,
    supplierId: item.supplierId,
    supplierCode: item.supplierCode,
    purchasePrice: item.purchasePrice,
    purchaseUnitId: null,
    unitsPerPurchaseUnit: 1_000_000,
    minOrderQuantity: null,
    orderMultiple: null,
    leadTimeDays: 7,
    isPreferred: true,
    notes: null,
    createdAt: item.createdAt,
    updatedAt: item.updatedAt,
  };
}

const categoryById = new Map(categories.map(({ id, name }) => [id, { id, name }]));
const supplierById = new Map(suppliers.map(({ id, name, company }) => [id, { id, name, company }]));

/** A stored item as /v1 shows it. */
export function wireItem(record: ItemRecord): Item {
  const money = (micro: number | null) => (micro === null ? null : fromMicro(micro));
  const { externalId: _e, metadata: _m, ...rest } = record;
  return {
    ...rest,
    salePrice: money(record.salePrice),
    purchasePrice: money(record.purchasePrice),
    category: record.categoryId === null ? null : (categoryById.get(record.categoryId) ?? null),
    supplier: record.supplierId === null ? null : (supplierById.get(record.supplierId) ?? null),
  };
}

/** The body of a create. */
export const newItem = {
  name: `Large Brass Valve ${UNIQUE}`,
  itemType: 'product',
  sku: `NEW-${UNIQUE}`,
  mpn: 'M4C1F02',
  categoryId: categories[1]?.id ?? null,
  unitId: unit.id,
  salePrice: 12.5,
  purchasePrice: 7.35,
  notes: NOTES,
  isActive: true,
} as const;
