/** The values that document lines show, compared with the values of levels (D-13). */
import { expect } from 'vitest';
import type { StockDocument } from '../../../src/contract/resources/stock-documents.ts';
import type { TestService } from '../service/service.ts';

/** Value in micro-units by item and site, without zeros. */
type Values = Readonly<Record<string, number>>;

interface ShownValue {
  readonly itemId: string;
  readonly siteId: string;
  readonly postedValue: number | null;
  readonly reversedValue: number | null;
}

/** Requires the values of all lines of an item and site to add up to the value of the level, for these items or all. */
export async function checkLineValues(s: TestService, itemIds?: readonly string[]): Promise<void> {
  const isChecked = (itemId: string): boolean => itemIds?.includes(itemId) ?? true;
  expect(await sumLineValues(s, isChecked)).toEqual(await listStockValues(s, isChecked));
}

/** The sum of posted and reversed values over the lines of all documents. */
async function sumLineValues(s: TestService, isChecked: (itemId: string) => boolean): Promise<Values> {
  const { rows } = await s.service.store.read(s.tenant.id, (tx) => tx.stockDocuments.listAfter({ limit: 10_000 }));
  const sums: Record<string, number> = {};
  for (const { id } of rows.filter(({ itemIds }) => itemIds.some(isChecked))) {
    const { siteId, lines = [] } = (await s.get(`/v1/stock-documents/${id}?include=lines`)).body.data as StockDocument;
    const shown = lines.flatMap((line): ShownValue[] => [{ ...line, siteId }, ...line.otherLevels]);
    for (const value of shown.filter(({ itemId }) => isChecked(itemId))) {
      const level = `${value.itemId} ${value.siteId}`;
      sums[level] = (sums[level] ?? 0) + toMicro(value.postedValue ?? 0) + toMicro(value.reversedValue ?? 0);
    }
  }
  return withoutZeros(Object.entries(sums));
}

/** `stockValue` of all levels. */
async function listStockValues(s: TestService, isChecked: (itemId: string) => boolean): Promise<Values> {
  const { rows } = await s.service.store.read(s.tenant.id, (tx) => tx.stockLevels.listAfter({ limit: 10_000 }));
  return withoutZeros(rows.filter(({ itemId }) => isChecked(itemId)).map(({ id, stockValue }) => [id, stockValue]));
}

const toMicro = (value: number): number => Math.round(value * 1_000_000);
const withoutZeros = (values: readonly [string, number][]): Values => Object.fromEntries(values.filter(([, value]) => value !== 0));
