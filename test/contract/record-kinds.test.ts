/** Ids in requests: each names the kind of record that it refers to, so that commands can look up names. */
import { expect, test } from 'vitest';
import { ADMIN_OPERATIONS } from '../../src/contract/admin/index.ts';
import { OPERATIONS } from '../../src/contract/index.ts';
import type { Operation } from '../../src/contract/operation.ts';
import { RECORD_LISTS } from '../../src/contract/record-lists.ts';
import type { AnySchema } from '../../src/contract/schema/builder.ts';
import { RECORD_KINDS, type RecordKind } from '../../src/contract/schema/record-kinds.ts';

const all: readonly Operation[] = [...OPERATIONS, ...ADMIN_OPERATIONS];
/** Positions in a list, and records without a name. */
const UNNAMED = ['query/cursor_id', 'body/after/id', 'params/delivery_id', 'params/replay_id'];

function listUnreferencedIds(schema: AnySchema | undefined, path: string): string[] {
  if (schema === undefined) return [];
  if (schema.kind === 'array') return listUnreferencedIds(schema.items, path);
  if (schema.kind === 'object')
    return Object.entries(schema.properties).flatMap(([name, field]) => listUnreferencedIds(field, `${path}/${name}`));
  return schema.kind === 'string' && schema.format === 'uuid' && schema.refersTo === undefined ? [path] : [];
}

test('every id in a request names the kind of record that it refers to', () => {
  const found = all.flatMap(({ id, params, query, body }) =>
    Object.entries({ params, query, body })
      .flatMap(([part, schema]) => listUnreferencedIds(schema, part))
      .filter((path) => !UNNAMED.includes(path))
      .map((path) => `${id} ${path}`),
  );
  expect(found).toEqual([]);
});

/** The schema at a dotted path. */
const findField = (schema: AnySchema | undefined, path: string): AnySchema | undefined =>
  path.split('.').reduce<AnySchema | undefined>((at, name) => (at?.kind === 'object' ? at.properties[name] : undefined), schema);

test('the rows of the lists for names have an id and the fields with names', () => {
  for (const kind of Object.keys(RECORD_KINDS) as RecordKind[]) {
    const { operation, adminOperation = operation, remoteOperation = operation, filters = {} } = RECORD_LISTS[kind];
    for (const { id, result, query } of [operation, adminOperation, remoteOperation]) {
      const data = findField(result ?? undefined, 'data');
      const row = data?.kind === 'array' ? data.items : undefined;
      for (const field of ['id', ...Object.keys(RECORD_KINDS[kind].fields)]) expect(findField(row, field), `${id} ${field}`).toBeDefined();
      for (const name of Object.values(filters)) expect(query?.properties, id).toHaveProperty(name);
    }
  }
});
