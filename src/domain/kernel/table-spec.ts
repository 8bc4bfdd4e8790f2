/** How an area declares its tables. */
import type { Row, TableSpec } from './ports.ts';

/** A table specification with defaults for what the table does not need. */
export function defineTable<R extends Row>(
  spec: Omit<TableSpec<R>, 'row' | 'unique' | 'filters' | 'arrayFilters' | 'columns' | 'search'> & Partial<TableSpec<R>>,
): TableSpec<R> {
  return { unique: {}, filters: [], arrayFilters: [], columns: [], search: [], ...spec };
}

export const BY_CREATED_AT = [{ field: 'createdAt' }] as const;
export const BY_UPDATED_AT = [{ field: 'updatedAt' }] as const;
export const BY_NAME = [{ field: 'name', fold: true }] as const;
