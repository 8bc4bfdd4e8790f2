/** Objects with a property for each table, such as `tx`. Most transactions use few of them, so each is created on first access. */
import type { TableSpec } from '../../domain/kernel/ports.ts';

/** `create` makes the table of that name. */
export type CreateTables = <T>(create: (name: string) => T) => Readonly<Record<string, T>>;

export function defineTableProperties(tables: Readonly<Record<string, TableSpec>>): CreateTables {
  class Tables {
    readonly create: (name: string) => unknown;
    readonly created = new Map<string, unknown>();

    constructor(create: (name: string) => unknown) {
      this.create = create;
    }
  }
  // Once, on the prototype: to define them on every object takes longer than a read from the cache.
  for (const [key, { name }] of Object.entries(tables)) {
    Object.defineProperty(Tables.prototype, key, {
      get(this: Tables) {
        if (!this.created.has(name)) this.created.set(name, this.create(name));
        return this.created.get(name);
      },
    });
  }
  // TypeScript does not know the getters.
  return <T>(create: (name: string) => T) => new Tables(create) as unknown as Readonly<Record<string, T>>;
}
