/** The capability catalog. C-2 and C-9. */
import { METHODS, defineOperation } from '../operation.ts';
import { t } from '../schema/builder.ts';

export const API_VERSION = 'v1';
/** The catalog's scope of an operation that needs none. */
export const NO_SCOPE = 'none';

export const catalog = t.component('Catalog', {
  version: t.enums([API_VERSION]),
  capabilities: t.array(
    t.object({
      id: t.annotate(t.string(), { description: 'Operation id; usage is counted under the same id.' }),
      method: t.enums(METHODS),
      path: t.string(),
      scope: t.annotate(t.string(), { description: `Required scope; \`${NO_SCOPE}\` if any valid key can call the operation.` }),
      description: t.string(),
    }),
  ),
});

export const getCatalog = defineOperation('catalog.get', 'GET', '/v1', {
  scope: null,
  summary: 'List the operations that the key can call',
  result: catalog,
});

export const catalogOperations = [getCatalog] as const;
