/**
 * Makes each operation on the tables of a service take a turn of the event loop, and records every write that starts before the operation
 * before it has ended, or that has not ended when its transaction ends: code that does not await them.
 */
import { setImmediate } from 'node:timers/promises';
import type { TestService } from './service.ts';

type Operation = (...parameters: unknown[]) => unknown;
type Tables = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

const WRITES = new Set(['put', 'putMany', 'remove']);

/** Applies to all later transactions of the service. Returns the list of what was not awaited, which grows. */
export function slowDownTables({ service: { store } }: TestService): readonly string[] {
  const notAwaited: string[] = [];
  const transact = store.transact.bind(store);
  store.transact = (tenant, work) =>
    transact(tenant, async (tx) => {
      const pending = new Set<string>();
      const result = await work(slowTables(tx as unknown as Tables, pending, notAwaited) as unknown as typeof tx);
      for (const operation of pending) notAwaited.push(`${operation} at the end of the transaction`);
      return result;
    });
  return notAwaited;
}

function slowTables(tables: Tables, pending: Set<string>, notAwaited: string[]): Tables {
  const slowDown = (table: Tables[string], name: string): Tables[string] =>
    new Proxy(table, {
      get:
        (_, method: string) =>
        async (...parameters: unknown[]) => {
          const operation = `${name}.${method} ${String(pending.size)}`;
          if (WRITES.has(method)) for (const other of pending) notAwaited.push(`${other} before ${name}.${method}`);
          pending.add(operation);
          await setImmediate();
          try {
            return await table[method]?.(...parameters);
          } finally {
            pending.delete(operation);
          }
        },
    });
  return new Proxy(tables, {
    get: (target, name: string) => (name === 'now' || name === 'newId' ? target[name] : target[name] && slowDown(target[name], name)),
  });
}
