/** The table that the file store is measured with, and its rows: number `n` is the same in every process. */
import type { TableSpec, View } from '../../src/domain/kernel/ports.ts';
import type { FileStore } from '../../src/store/file/index.ts';

/** A row of about 450 bytes. */
export interface BenchItem {
  readonly id: string;
  readonly name: string;
  readonly sku: string;
  readonly itemType: string;
  readonly categoryId: string;
  readonly supplierId: string;
  readonly isActive: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly unitId: string;
  readonly weight: number;
  readonly price: { readonly amount: number; readonly currency: string };
  readonly taxCode: null;
  readonly notes: null;
}

const items: TableSpec<BenchItem> = {
  name: 'items',
  scope: 'tenant',
  unique: { sku: { fields: ['sku'], fold: true }, barcode: { fields: ['barcode'], fold: true } },
  orders: {
    name: [{ field: 'name', fold: true }],
    sku: [{ field: 'sku', fold: true }],
    created_at: [{ field: 'createdAt' }],
    updated_at: [{ field: 'updatedAt' }],
  },
  filters: ['itemType', 'categoryId', 'unitId', 'supplierId', 'isActive'],
  types: { isActive: 'boolean' },
  arrayFilters: [],
  columns: [],
  search: ['name', 'sku', 'barcode', 'mpn'],
};
export const tables = { items };
export type Store = FileStore<typeof tables>;
export const json: View<BenchItem, string> = { name: 'json', compute: (row) => JSON.stringify(row), measure: ({ length }) => length };

const KINDS = ['Bolt', 'Nut', 'Washer', 'Screw', 'Bracket', 'Hinge', 'Bearing', 'Gasket', 'Valve', 'Sensor', 'Cable', 'Switch'];
const SHAPES = ['hex', 'flat', 'round', 'square', 'slotted', 'countersunk', 'flanged', 'threaded'];
const METALS = ['steel', 'brass', 'nylon', 'copper', 'zinc', 'titanium', 'rubber'];
/** Spreads neighbours apart, always the same way. */
export const mixed = (n: number): number => (Math.imul(n ^ (n >>> 15), 0x2c1b3c6d) >>> 0) ^ ((n * 7919) % 65_536);
export const pick = <T>(from: readonly T[], n: number): T => from[n % from.length]!;
const uuid = (n: number, salt: number): string => {
  const hex = (mixed(n * 31 + salt) >>> 0).toString(16).padStart(8, '0');
  return `${hex}-0000-4000-8000-${(n * 64 + salt).toString(16).padStart(12, '0')}`;
};

export function benchItem(n: number): BenchItem {
  const m = mixed(n) >>> 0;
  return {
    id: uuid(n, 1),
    name: `${pick(KINDS, m)} ${pick(SHAPES, m >>> 4)} ${pick(METALS, m >>> 8)} M${m % 40}x${(m >>> 3) % 200}`,
    sku: `SKU-${String(n).padStart(7, '0')}`,
    itemType: pick(['product', 'product', 'product', 'material', 'service'], m >>> 5),
    categoryId: uuid(m % 60, 2),
    supplierId: uuid(m % 500, 3),
    isActive: m % 33 !== 0,
    createdAt: new Date(1.7e12 + n * 1000).toISOString(),
    updatedAt: new Date(1.7e12 + n * 1000 + (m % 1000) * 60_000).toISOString(),
    unitId: uuid(1, 4),
    weight: m % 5000,
    price: {
      amount: m % 100_000,
      currency: 'EUR',
    },
    taxCode: null,
    notes: null,
  };
}

export async function fill(store: Store, rows: number): Promise<void> {
  for (let from = 0; from < rows; from += 2000) {
    await store.transact('t', async (tx) => {
      for (let n = from; n < Math.min(rows, from + 2000); n++) await tx.items.put(benchItem(n));
    });
  }
}
