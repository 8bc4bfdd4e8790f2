/** What planned faults do to the data of a service: as another program, or the time, would. */
import type { FaultActions } from '../../domain/faults/fault-plan.ts';
import type { Context } from '../../domain/kernel/context.ts';
import { StockroomError } from '../../domain/kernel/errors.ts';
import type { StockroomStore, Tx } from '../../domain/tables.ts';
import { createItem, deleteItem } from '../../domain/catalog/items.ts';
import { createContact, deleteContact } from '../../domain/contacts/contacts.ts';
import { rotateKey } from '../../domain/tenancy/api-keys.ts';

interface ActionOptions {
  /** The store may be another one after a restart. */
  readonly getStore: () => StockroomStore;
  readonly tenantId: string;
  /** The key of the program: its prefix or id. */
  readonly getKey: () => string;
  readonly setKey: (secret: string) => void;
}

/** The first in lists by name. */
const ADDED_NAME = '0 added between two pages';
const ALL = { limit: Number.MAX_SAFE_INTEGER } as const;

export function createDataActions({ getStore, tenantId, getKey, setKey }: ActionOptions): Omit<FaultActions, 'restart'> {
  const change = <T>(work: (tx: Tx, context: Context) => Promise<T>): Promise<T> =>
    getStore().transact(tenantId, async (tx) => {
      const tenant = await tx.tenants.get(tenantId);
      if (!tenant) throw new Error(`tenant ${tenantId} was removed`);
      const { now, newId } = tx;
      return work(tx, { tenant, actor: { type: 'system', id: 'torture' }, requestId: newId(), ipAddress: null, now, newId });
    });
  let added = 0;
  return {
    async expireKey() {
      const secret = await change(async (tx, context) => {
        const { key, secret: next } = await rotateKey(tx, context, getKey());
        const { rows } = await tx.apiKeys.listAfter({ ...ALL, where: [{ field: 'tenantId', equals: tenantId }] });
        const before = rows.find(({ replacedBy }) => replacedBy === key.id);
        if (before) await tx.apiKeys.put({ ...before, expiresAt: context.now.toISOString() });
        return next;
      });
      setKey(secret);
    },
    async addRecord(path) {
      const name = `${ADDED_NAME} ${String((added += 1))}`;
      await change<unknown>((tx, context) =>
        path === '/v1/items' ? createItem(tx, context, { name }) : createContact(tx, context, { name }),
      );
    },
    async removeRecord(path) {
      const isItems = path === '/v1/items';
      const rows = await getStore().read(tenantId, async (tx) => (await (isItems ? tx.items : tx.contacts).listAfter(ALL)).rows);
      for (const { id } of rows.toSorted((a, b) => (a.name < b.name ? -1 : 1)))
        if (await tryRemove(() => change((tx, context) => (isItems ? deleteItem : deleteContact)(tx, context, id)))) return;
    },
  };
}

/** A record in use cannot be removed. */
async function tryRemove(remove: () => Promise<void>): Promise<boolean> {
  try {
    await remove();
    return true;
  } catch (error) {
    if (error instanceof StockroomError) return false;
    throw error;
  }
}
