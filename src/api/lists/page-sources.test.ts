import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PageQuery } from '../../domain/kernel/ports.ts';
import { type Source, listFromSources, listRange } from './page-sources.ts';
import { checkProperty } from '../../../test/support/property.ts';

interface Numbered {
  readonly id: string;
}

/** Answers pages like the table of a store. */
const createTable = (rows: readonly Numbered[]) => ({
  listPage: ({ page: { number, size } }: PageQuery) =>
    Promise.resolve({ rows: rows.slice((number - 1) * size, number * size), total: rows.length }),
  count: () => Promise.resolve(rows.length),
});

test('the pages of several sources have the rows of each source once, one source after the other', async () => {
  const lengths = fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 4 });
  await checkProperty(
    fc.asyncProperty(lengths, fc.integer({ min: 1, max: 9 }), async (counts, size) => {
      const lists = counts.map((count, list) => Array.from({ length: count }, (_, at) => ({ id: `${String(list)}-${String(at)}` })));
      const expected = lists.flat();
      const sources = lists.map(
        (rows): Source<Numbered> =>
          (range) =>
            listRange(createTable(rows), {}, range),
      );
      for (let page = 1; page <= Math.ceil(expected.length / size) + 1; page += 1) {
        const found = await listFromSources({ page, page_size: size }, sources);
        expect(found).toEqual({ rows: expected.slice((page - 1) * size, page * size), total: expected.length });
      }
    }),
    { shortRuns: 200, longRuns: 2_000 },
  );
});
