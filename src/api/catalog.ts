/** Handler of GET /v1: the operations that the key may call. */
import { API_VERSION, NO_SCOPE, type catalogOperations } from '../contract/resources/catalog.ts';
import { OPERATIONS } from '../contract/index.ts';
import { listStrictOperations } from '../contract/strict.ts';
import type { Operation } from '../contract/operation.ts';
import { hasPlan, hasScope } from '../domain/tenancy/access.ts';
import type { Handlers } from './handler.ts';

export const catalogHandlers: Handlers<typeof catalogOperations> = {
  'catalog.get'({ caller: { key, tenant }, isStrict }) {
    const operations: readonly Operation[] = isStrict ? listStrictOperations() : OPERATIONS;
    const usable = operations.filter((op) => hasScope(key, op) && hasPlan(tenant, op));
    const capabilities = usable.map(({ id, method, path, scope, summary }) => ({
      id,
      method,
      path,
      scope: scope ?? NO_SCOPE,
      description: summary,
    }));
    return { version: API_VERSION, capabilities };
  },
};
