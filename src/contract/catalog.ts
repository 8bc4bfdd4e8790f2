/** The capability catalog. Contract parts 2 and 9. */
import { operation } from './operation.ts';
import { t } from './schema.ts';

export const API_VERSION = 'v1';
/** What the catalog says for an operation that any valid key may call. */
export const NO_SCOPE = 'none';

export const catalog = t.about(
  t.object({
    version: t.enums([API_VERSION]),
    capabilities: t.array(
      t.object({
        id: t.about(t.string(), { description: 'The operation; usage is counted under the same name.' }),
        method: t.enums(['GET', 'POST', 'PATCH', 'DELETE']),
        path: t.string(),
        scope: t.about(t.string(), { description: `\`${NO_SCOPE}\` when any valid key will do.` }),
        description: t.string(),
      }),
    ),
  }),
  { name: 'Catalog' },
);

export const getCatalog = operation({
  id: 'catalog.get',
  method: 'GET',
  path: '/v1',
  scope: null,
  summary: 'List what the key can use',
  status: 200,
  result: catalog,
});

export const catalogOperations = [getCatalog] as const;
