/** Every list supports `search` or says in its description that it does not. */
import { expect, test } from 'vitest';
import { ADMIN_OPERATIONS } from '../../src/contract/admin/index.ts';
import { OPERATIONS } from '../../src/contract/index.ts';
import { DEFAULT_URL } from '../../src/platform/local-paths.ts';
import { buildApiDocument } from '../../src/contract/openapi/api-document.ts';
import { type Operation, pagination } from '../../src/contract/operation.ts';
import type { ApiDocument } from '../support/contract/openapi-checks.ts';

const STATEMENT = 'This list does not support `search`.';
const { paths } = buildApiDocument(DEFAULT_URL) as unknown as ApiDocument;

const hasSearch = ({ query }: Operation): boolean => query?.properties['search'] !== undefined;
const isList = ({ method, result }: Operation): boolean =>
  method === 'GET' && result?.kind === 'object' && result.properties['data']?.kind === 'array';
const isPaged = ({ result }: Operation): boolean => result?.kind === 'object' && result.properties['pagination'] === pagination;

test('the description of every list states that it has no search, unless it has', () => {
  for (const op of OPERATIONS as readonly Operation[]) {
    const description = String((paths[op.path]?.[op.method.toLowerCase()] as { description?: string } | undefined)?.description);
    expect([op.id, description.includes(STATEMENT)]).toEqual([op.id, isList(op) && !hasSearch(op)]);
  }
});

test('all paged lists have search, except order lines, movements and deliveries', () => {
  const without = (operations: readonly Operation[]) =>
    operations.filter((op) => isList(op) && isPaged(op) && !hasSearch(op)).map(({ id }) => id);
  expect(without(OPERATIONS)).toEqual(['orders.lines.list', 'stock_movements.list', 'webhooks.deliveries.list']);
  expect(without(ADMIN_OPERATIONS)).toEqual([]);
});
