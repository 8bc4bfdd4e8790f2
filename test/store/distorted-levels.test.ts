/** A data directory whose levels the release of dfd3c18 distorted: it opens, `doctor` names the levels, and its repair books variances. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { StockDocument } from '../../src/contract/resources/stock-documents.ts';
import { startAdmin, type TestAdmin } from '../support/service/admin.ts';
import { checkLineValues } from '../support/resources/line-values.ts';
import type { DistortedStore } from './distorted-store.ts';

interface Level {
  readonly item: { readonly sku: string };
  readonly site: { readonly name: string };
  readonly onHand: number;
  readonly averageCost: number | null;
  readonly stockValue: number;
}

const readFixture = async (): Promise<DistortedStore> => {
  const compressed = await readFile(join(import.meta.dirname, 'formats/distorted-levels.json.br'));
  return JSON.parse(brotliDecompressSync(compressed).toString()) as DistortedStore;
};

/** The service on a copy of the data directory, soon after that was written. */
async function open({ files, replies }: DistortedStore): Promise<TestAdmin> {
  const contents = Object.fromEntries(Object.entries(files).map(([name, text]) => [name, Buffer.from(text, 'base64')]));
  const times = [...JSON.stringify(replies).matchAll(/"updatedAt":"([^"]+)"/gu)].map(([, at]) => Date.parse(at!));
  return startAdmin({ service: { files: contents, startAt: new Date(Math.max(...times)) } });
}

async function listLevels({ s }: TestAdmin, key: string): Promise<Record<string, readonly (number | null)[]>> {
  const { data } = (await s.get('/v1/stock-levels?include_zero=true', { key })).body as { data: readonly Level[] };
  return Object.fromEntries(
    data.map(({ item, site, onHand, averageCost, stockValue }) => [
      site.name === 'Second' ? `${item.sku} second` : item.sku,
      [onHand, averageCost, stockValue],
    ]),
  );
}

/** The replies of the earlier release, for which a level below zero was not low without a reorder point. */
const withOversoldAsLow = (reply: object): object =>
  JSON.parse(JSON.stringify(reply), (_key, value: { available?: number; isLow?: boolean } | null) =>
    value?.isLow === false && Number(value.available) < 0 ? { ...value, isLow: true } : value,
  ) as object;

const DISTORTED = {
  EMPTY: [0, 1_000, 0],
  COUNTED: [5, 1_000, 5_000],
  FEW: [1, 545.5, 545.5],
  OWED: [-1, 836.363636, -836.363636],
};
const SOUND = { MOVED: [10, 100, 1_000], 'MOVED second': [0, 19, 0], HEALTHY: [2, 7, 14] };
const REPAIRED = { EMPTY: [0, null, 0], COUNTED: [5, 10, 50], FEW: [1, 100, 100], OWED: [-1, 10, -10] };

test('a store with levels that an earlier release distorted opens with its values, and a line names what the reversal of a transfer lost', async () => {
  const fixture = await readFixture();
  await using a = await open(fixture);
  const key = fixture.apiKey;
  for (const [path, reply] of Object.entries(fixture.replies))
    expect((await a.s.get(path, { key })).body, path).toMatchObject(withOversoldAsLow(reply as object));
  expect(await listLevels(a, key)).toMatchObject({ ...DISTORTED, ...SOUND });
  const { data } = (await a.s.get(`/v1/stock-documents/${fixture.transferId}?include=lines`, { key })).body as { data: StockDocument };
  expect(data).toMatchObject({
    totalVariance: null,
    lines: [{ postedVariance: 0, reversedVariance: 0, otherLevels: [{ postedValue: 1_000, reversedValue: -190, reversedVariance: -810 }] }],
  });
});

test('doctor names distorted levels, and its repair sets their averages and books the difference as a variance', async () => {
  const fixture = await readFixture();
  await using a = await open(fixture);
  const key = fixture.apiKey;
  const doctor = async () => {
    const { checks } = (await a.get('/admin/doctor')).body.data as { checks: { name: string; ok: boolean; detail: string }[] };
    return checks.filter(({ ok }) => !ok);
  };
  const [problem, ...others] = await doctor();
  expect(others).toEqual([]);
  expect(problem?.name).toBe('stock levels');
  for (const sku of Object.keys(DISTORTED)) expect(problem?.detail).toContain(sku);
  for (const sku of ['MOVED', 'HEALTHY']) expect(problem?.detail).not.toContain(sku);

  const dry = (await a.post('/admin/doctor/repair', { dryRun: true })).body.data;
  const changes = dry.levels.map(
    ({ item, newAverageCost, valueChange }: { item: { sku: string }; newAverageCost: number | null; valueChange: number }) => [
      item.sku,
      newAverageCost,
      valueChange,
    ],
  );
  expect(changes.toSorted()).toEqual([
    ['COUNTED', 10, -4_950],
    ['EMPTY', null, 0],
    ['FEW', 100, -445.5],
    ['OWED', 10, 826.363636],
  ]);
  expect(await listLevels(a, key)).toMatchObject(DISTORTED);

  const done = (await a.post('/admin/doctor/repair', {})).body.data;
  expect(await listLevels(a, key)).toMatchObject({ ...REPAIRED, ...SOUND });
  expect(await doctor()).toEqual([]);
  expect((await a.post('/admin/doctor/repair', {})).body.data.levels).toEqual([]);
  const { data } = (await a.s.get('/v1/stock-documents?type=revaluation', { key })).body as { data: StockDocument[] };
  const [document] = data;
  expect(document).toMatchObject({ status: 'approved', reason: 'correction', totalVariance: 4_569.136364, lineCount: 4 });
  expect(new Set(done.levels.map(({ documentNumber }: { documentNumber: string }) => documentNumber))).toEqual(
    new Set([document?.documentNumber]),
  );
});

test('stock that is found after a distortion does not have the cost of a reversed receipt', async () => {
  const fixture = await readFixture();
  await using a = await open(fixture);
  const key = fixture.apiKey;
  const [item] = (await a.s.get('/v1/items?sku=EMPTY', { key })).body.data;
  const call = async (path: string, body: object) => {
    const reply = await a.s.post(path, body, { key });
    expect(reply.status, reply.text).toBeLessThan(300);
    return reply.body.data;
  };
  const { id } = await call('/v1/stock-documents', { type: 'count', lines: [{ itemId: item.id, countedQuantity: 5 }] });
  await call(`/v1/stock-documents/${id}/submit`, {});
  await call(`/v1/stock-documents/${id}/approve`, {});
  expect((await listLevels(a, key))['EMPTY']).toEqual([5, 10, 50]);
  await a.post('/admin/doctor/repair', {});
  expect((await a.get('/admin/doctor')).body.data).toMatchObject({ ok: true });
  await checkLineValues(a.s);
});
