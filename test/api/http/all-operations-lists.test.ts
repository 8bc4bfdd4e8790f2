/** Pagination and sorting of every list operation, over real HTTP. See `all-operations.test.ts`. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from '../../../src/contract/limits.ts';
import type { Operation } from '../../../src/contract/operation.ts';
import { foldCase } from '../../../src/domain/kernel/text.ts';
import type { Parts } from '../../support/contract/operation-fixtures.ts';
import { type Matrix, getFixture, openMatrix, operationsWith, problemsIn } from '../../support/contract/operation-matrix.ts';
import { type TenantClient, openTenantClient } from '../../support/service/tenant-client.ts';

/** More than one page of the default size. */
const ROWS = PAGE_SIZE_DEFAULT + 5;

let m: Matrix;
beforeAll(async () => {
  m = await openMatrix();
});
afterAll(() => m[Symbol.asyncDispose]());

type Row = Readonly<Record<string, unknown>>;
interface Page {
  readonly data: readonly Row[];
  readonly pagination: { readonly page: number; readonly pageSize: number; readonly total: number; readonly totalPages: number };
}

interface CursorPage {
  readonly data: readonly Row[];
  readonly pagination: { readonly nextCursor: string | null; readonly hasMore: boolean; readonly pageSize: number };
}

describe.each(operationsWith(({ query }) => query?.properties['page'] !== undefined))('list %s', (id, op) => {
  let tenantClient: TenantClient;
  let parts: Parts;
  beforeAll(async () => {
    tenantClient = await openTenantClient(m.s, id.replaceAll('.', '-'));
    const { list } = getFixture(op);
    parts = (await list?.rows(tenantClient, ROWS)) ?? {};
  }, 60_000);

  const ask = (query: Readonly<Record<string, string>>) =>
    m.send(op, { ...parts, query: { ...parts.query, ...query } }, { key: tenantClient.key });
  const page = async (query: Readonly<Record<string, string>> = {}): Promise<Page> => {
    const reply = await ask(query);
    expect(reply.status, reply.text).toBe(200);
    return reply.body as Page;
  };

  /** All rows, by cursors. */
  const walk = async (query: Readonly<Record<string, string>>, size: number): Promise<Row[]> => {
    const rows: Row[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const reply = await ask({ ...query, cursor, page_size: String(size) });
      expect(reply.status, reply.text).toBe(200);
      const { data, pagination } = reply.body as CursorPage;
      expect(pagination).toEqual({
        nextCursor: cursor === null ? null : pagination.nextCursor,
        hasMore: pagination.nextCursor !== null,
        pageSize: size,
      });
      expect(data.length === size || pagination.nextCursor === null).toBe(true);
      rows.push(...data);
      cursor = pagination.nextCursor;
    }
    return rows;
  };

  test(`returns the first ${String(PAGE_SIZE_DEFAULT)} rows by default`, async () => {
    const { data, pagination } = await page();
    expect(data).toHaveLength(PAGE_SIZE_DEFAULT);
    expect(pagination).toMatchObject({ page: 1, pageSize: PAGE_SIZE_DEFAULT, totalPages: 2 });
    expect(pagination.total).toBeGreaterThanOrEqual(ROWS);
    expect(data).toEqual((await page({ page: '1', page_size: String(PAGE_SIZE_DEFAULT) })).data);
  });

  test('returns every row exactly once across its pages, for any page size and order', async () => {
    for (const sort of getSorts(op)) {
      const whole = await page({ sort, page_size: String(PAGE_SIZE_MAX) });
      expect(whole.data).toHaveLength(whole.pagination.total);
      expect(new Set(whole.data.map((row) => JSON.stringify(row))).size).toBe(whole.pagination.total);
      for (const size of [7, ROWS - 1]) {
        const walked: Row[] = [];
        const pages = Math.ceil(whole.pagination.total / size);
        for (let number = 1; number <= pages; number += 1) {
          const { data, pagination } = await page({ sort, page: String(number), page_size: String(size) });
          expect(pagination).toEqual({ page: number, pageSize: size, total: whole.pagination.total, totalPages: pages });
          walked.push(...data);
        }
        expect(walked).toEqual(whole.data);
      }
    }
  });

  test('returns an empty page with the same total after the last page', async () => {
    const { pagination } = await page();
    for (const number of ['3', '9007199254740991']) {
      expect(await page({ page: number })).toEqual({ data: [], pagination: { ...pagination, page: Number(number) } });
    }
  });

  test('returns 400 with the parameter for page numbers and sizes out of range', async () => {
    const wrong = { page: ['0', '-1', '1.5', 'x', '', '1e400'], page_size: ['0', String(PAGE_SIZE_MAX + 1), '-1', '2.5', 'all', ''] };
    for (const [name, values] of Object.entries(wrong)) {
      for (const value of values) {
        const reply = await ask({ [name]: value });
        expect([name, value, reply.status]).toEqual([name, value, 400]);
        expect(problemsIn(reply)[0]).toMatch(new RegExp(`^query /${name} `, 'u'));
      }
    }
    for (const page_size of ['1', String(PAGE_SIZE_MAX)]) await page({ page_size });
  });

  test.each(getSorts(op))('sorts by %s, with nulls last in ascending order', async (sort) => {
    const { data } = await page({ sort, page_size: String(PAGE_SIZE_MAX) });
    const { sorted = {} } = getFixture(op).list ?? {};
    const compare = comparison(sort, (row, key) => (sorted[key] ?? ((each: Row) => each[camelCase(key)]))(row));
    const steps = data.slice(1).map((row, at) => compare(data[at]!, row));
    expect(steps.filter((step) => step > 0)).toEqual([]);
    // Identical rows would prove nothing.
    expect(steps.filter((step) => step < 0).length).toBeGreaterThan(0);
    const [first] = getSorts(op);
    const { data: unasked } = await page({ page_size: String(PAGE_SIZE_MAX) });
    expect(sort !== first || JSON.stringify(unasked) === JSON.stringify(data)).toBe(true);
  });

  test('returns every row exactly once with cursors, for any page size, by default and in any order', async () => {
    const { data, pagination } = await page({ page_size: String(PAGE_SIZE_MAX) });
    const toKeys = (rows: readonly Row[]) => rows.map((row) => JSON.stringify(row)).toSorted();
    for (const sort of ['', ...(isInMemory(id) ? [] : getSorts(op))]) {
      for (const size of [7, PAGE_SIZE_MAX]) {
        const walked = await walk(sort === '' ? {} : { sort }, size);
        expect(toKeys(walked)).toEqual(toKeys(data));
        if (sort !== '') expect(walked).toEqual((await page({ sort, page_size: String(PAGE_SIZE_MAX) })).data);
      }
    }
    expect(pagination.total).toBe(data.length);
  });

  test('returns 400 for a cursor with a page, of another order, or that is none', async () => {
    const { pagination } = (await ask({ cursor: '', page_size: '7' })).body as CursorPage;
    const cursor = String(pagination.nextCursor);
    for (const query of [
      { cursor, page: '1' },
      { cursor: 'nonsense' },
      { cursor: '!' },
      { cursor: Buffer.from('[1,[],2]').toString('base64url') },
    ]) {
      const reply = await ask(query);
      expect([query, reply.status, problemsIn(reply)]).toEqual([
        query,
        400,
        [expect.stringMatching('page' in query ? /^query \/page not_allowed$/u : /^query \/cursor bad_format$/u)],
      ]);
    }
    const [sort, other = sort] = getSorts(op);
    const reply = await ask({ cursor: Buffer.from(JSON.stringify([sort, [1, {}], 'x'])).toString('base64url'), sort: String(other) });
    expect([reply.status, reply.body.error?.fields[0]?.in]).toEqual([400, 'query']);
  });

  test('returns 400 with the valid sort keys for an unknown one', async () => {
    for (const sort of ['', 'nonsense', '--name', 'id', `${getSorts(op)[0] ?? ''},`]) {
      const reply = await ask({ sort });
      expect([sort, reply.status, problemsIn(reply)]).toEqual([sort, 400, [expect.stringMatching(/^query \/sort (not_allowed|empty)$/u)]]);
      expect([sort, reply.body.error.message]).toEqual([sort, expect.stringContaining(sort === '' ? 'sort' : getSorts(op).join(', '))]);
    }
  });

  test('filters by updated_since and created_since', async () => {
    const { data } = await page({ page_size: String(PAGE_SIZE_MAX) });
    for (const [name, field] of [
      ['updated_since', 'updatedAt'],
      ['created_since', 'createdAt'],
    ] as const) {
      if (op.query?.properties[name] === undefined) {
        const unknown = await ask({ [name]: '2026-01-01T00:00:00Z' });
        expect([unknown.status, problemsIn(unknown)]).toEqual([400, [`query /${name} unknown_field`]]);
        continue;
      }
      const instants = data.map((row) => String(row[field])).toSorted();
      const middle = instants[Math.floor(instants.length / 2)] ?? '';
      const wanted = data.filter((row) => String(row[field]) >= middle);
      expect((await page({ [name]: middle, page_size: String(PAGE_SIZE_MAX) })).data).toEqual(wanted);
      const offset = middle.replace('Z', '+00:00');
      expect((await page({ [name]: offset })).pagination.total).toBe(wanted.length);
      const future = new Date(Date.parse(instants.at(-1) ?? '') + 1).toISOString();
      expect((await page({ [name]: future })).pagination).toEqual({ page: 1, pageSize: PAGE_SIZE_DEFAULT, total: 0, totalPages: 0 });
      for (const wrong of ['yesterday', '2026-02-30T00:00:00Z', '2026-01-01', '']) {
        const reply = await ask({ [name]: wrong });
        expect([wrong, reply.status, problemsIn(reply)[0]]).toEqual([
          wrong,
          400,
          expect.stringMatching(new RegExp(`^query /${name} `, 'u')),
        ]);
      }
    }
  });
});

/** Lists that belong to one item, whose cursors know the order of creation only. */
const isInMemory = (id: string): boolean => ['items.ingredients.list', 'items.suppliers.list'].includes(id);

/** All sort keys of a list, the default first. */
function getSorts(op: Operation): readonly string[] {
  const sort = op.query?.properties['sort'];
  if (sort?.kind !== 'enum') throw new Error(`${op.id} has pages but no order`);
  return sort.values;
}

const camelCase = (key: string): string => key.replaceAll(/_(\w)/gu, (_, letter: string) => letter.toUpperCase());

/** Compares rows by a sort key: strings ignoring case, false before true, null last. */
function comparison(sort: string, valueOf: (row: Row, key: string) => unknown): (a: Row, b: Row) => number {
  const steps = sort.split(',').map((key) => {
    const name = key.replace(/^-/u, '');
    const ascending = (a: Row, b: Row) => compareValues(valueOf(a, name), valueOf(b, name));
    return key.startsWith('-') ? (a: Row, b: Row) => ascending(b, a) : ascending;
  });
  return (a, b) => steps.reduce((order, step) => order || step(a, b), 0);
}

function compareValues(a: unknown, b: unknown): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (typeof a !== 'string' || typeof b !== 'string') return Number(a) - Number(b);
  const [x, y] = [foldCase(a), foldCase(b)];
  return x === y ? 0 : x < y ? -1 : 1;
}
