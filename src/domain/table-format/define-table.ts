/** How an area declares its tables. */
import type { Row, TableSpec } from '../kernel/ports.ts';

/** The type of a field of `R`, where it can be stated. */
type FieldTypes<R> = {
  readonly [K in keyof R]?: NonNullable<R[K]> extends number ? 'number' : NonNullable<R[K]> extends boolean ? 'boolean' : never;
};

/** A table specification with defaults for what the table does not need. */
export function defineTable<R extends Row>(
  spec: Omit<TableSpec<R>, 'row' | 'unique' | 'filters' | 'arrayFilters' | 'columns' | 'search' | 'types'> &
    Partial<Omit<TableSpec<R>, 'types'>> & { readonly types?: FieldTypes<R> },
): TableSpec<R> {
  const types: Readonly<Record<string, 'number' | 'boolean' | undefined>> = spec.types ?? {};
  return { unique: {}, filters: [], arrayFilters: [], columns: [], search: [], ...spec, types: types as TableSpec<R>['types'] };
}

export const BY_CREATED_AT = [{ field: 'createdAt' }] as const;
export const BY_UPDATED_AT = [{ field: 'updatedAt' }] as const;
export const BY_NAME = [{ field: 'name', fold: true }] as const;
