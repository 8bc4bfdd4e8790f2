/** Which operation a command performs and which list has the values of a parameter, both read from the contract. */
import { ADMIN_OPERATIONS } from '../contract/admin.ts';
import { OPERATIONS } from '../contract/index.ts';
import type { Operation } from '../contract/operation.ts';
import type { Source } from './vocabulary.ts';

export type { Operation };

/** Other names for what a list holds: the people one buys from are contacts. */
const ALSO: Readonly<Record<string, string>> = {
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

const METHODS = ['GET', 'POST', 'PATCH', 'DELETE'];

export function operationsOf(): {
  /** Undefined for commands that are more than one operation. */
  readonly byCommand: (id: string) => Operation | undefined;
  /** Where the values of a parameter are listed; `before` are the parameters that stand to its left. */
  readonly sourceOf: (name: string, before: readonly string[]) => Source | undefined;
  /** Of the service, not of the settings. */
  readonly pathsByMethod: () => Readonly<Record<string, readonly string[]>>;
} {
  const byId = new Map<string, Operation>([...ADMIN_OPERATIONS, ...OPERATIONS].map((op) => [op.id, op]));
  const sources = [...sourcesIn(OPERATIONS, 'service'), ...sourcesIn(ADMIN_OPERATIONS, 'admin')];
  return {
    byCommand: (id) => byId.get(id.replaceAll(':', '.')) ?? byId.get(id.replace(':', '_').replaceAll(':', '.')),
    pathsByMethod: () =>
      Object.fromEntries(METHODS.map((method) => [method, OPERATIONS.filter((op) => op.method === method).map(({ path }) => path)])),
    sourceOf(name, before) {
      const fitting = (wanted: string) =>
        sources.find((source) => source.name === wanted && source.needs.every((need) => before.includes(need)));
      // Longest first: below an item, `supplier_id` is one of its links.
      const found = sources.find(
        (source) => source.name === name && source.needs.length > 0 && source.needs.every((need) => before.includes(need)),
      );
      const { plane, path } = found ?? fitting(name) ?? fitting(ALSO[name] ?? '') ?? {};
      return plane === undefined || path === undefined ? undefined : { plane, path };
    },
  };
}

function sourcesIn(operations: readonly Operation[], plane: Source['plane']): (Source & { name: string; needs: string[] })[] {
  const lists = new Set(operations.filter(({ method }) => method === 'GET').map(({ path }) => path));
  const found = operations.flatMap(({ path }) =>
    [...path.matchAll(/\/\{(\w+)\}/gu)].map(({ index, 1: name = '' }) => {
      const list = path.slice(0, index);
      return { plane, path: list, name, needs: [...list.matchAll(/\{(\w+)\}/gu)].map(([, need = '']) => need) };
    }),
  );
  return found.filter(({ path }, at) => lists.has(path) && found.findIndex((other) => other.path === path) === at);
}
