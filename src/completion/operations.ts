/** Looks up, in the contract, the operation of a command and the list with the values of a parameter. */
import { ADMIN_OPERATIONS } from '../contract/admin/index.ts';
import { OPERATIONS } from '../contract/index.ts';
import { METHODS, type Operation } from '../contract/operation.ts';

export type { Operation };

/** A list to read values from, of the service or of the admin API. */
export interface Source {
  readonly plane: 'service' | 'admin';
  /** Contains `{name}` for each argument before. */
  readonly path: string;
}

/** Parameters whose values are in the list of another: suppliers are contacts. */
const ALIASES: Readonly<Record<string, string>> = {
  supplier_id: 'contact_id',
  ingredient_item_id: 'item_id',
  purchase_unit_id: 'unit_id',
  to_site_id: 'site_id',
  site: 'site_id',
  parent_id: 'category_id',
  source_order_id: 'order_id',
  assigned_to: 'user_id',
  webhook: 'webhook_id',
};

/** Without settings, which commands read over the admin API. */
const SERVICE_OPERATIONS = OPERATIONS.filter(({ id }) => !id.startsWith('settings.'));

export function indexOperations() {
  const byId = new Map<string, Operation>([...ADMIN_OPERATIONS, ...OPERATIONS].map((op) => [op.id, op]));
  const sources = [...listSources(SERVICE_OPERATIONS, 'service'), ...listSources(ADMIN_OPERATIONS, 'admin')];
  return {
    /** Returns undefined for commands that are not a single operation. */
    byCommand: (id: string): Operation | undefined =>
      byId.get(id.replaceAll(':', '.')) ?? byId.get(id.replace(':', '_').replaceAll(':', '.')),
    /** The paths of the service, without the admin API. */
    pathsByMethod: (): Readonly<Record<string, readonly string[]>> =>
      Object.fromEntries(METHODS.map((method) => [method, OPERATIONS.filter((op) => op.method === method).map(({ path }) => path)])),
    /** Finds the list with the values of a parameter. `before`: the parameters to its left. */
    findSource(name: string, before: readonly string[]): Source | undefined {
      const findList = (wanted: string) =>
        sources.find((source) => source.name === wanted && source.requiredParams.every((param) => before.includes(param)));
      // Nested lists first: below an item, `supplier_id` is one of its supplier links.
      const found = sources.find(
        (source) =>
          source.name === name && source.requiredParams.length > 0 && source.requiredParams.every((param) => before.includes(param)),
      );
      const { plane, path } = found ?? findList(name) ?? findList(ALIASES[name] ?? '') ?? {};
      return plane === undefined || path === undefined ? undefined : { plane, path };
    },
  };
}

function listSources(operations: readonly Operation[], plane: Source['plane']): (Source & { name: string; requiredParams: string[] })[] {
  const lists = new Set(operations.filter(({ method }) => method === 'GET').map(({ path }) => path));
  const found = operations.flatMap(({ path }) =>
    [...path.matchAll(/\/\{(\w+)\}/gu)].map(({ index, 1: name = '' }) => {
      const list = path.slice(0, index);
      return { plane, path: list, name, requiredParams: [...list.matchAll(/\{(\w+)\}/gu)].map(([, param = '']) => param) };
    }),
  );
  return found.filter(({ path }, at) => lists.has(path) && found.findIndex((other) => other.path === path) === at);
}
