/** States of tenants, kept in memory while the daemon runs: that after their fixtures, and those that were saved under a name. */
import type { StockroomStore } from '../../../domain/tables.ts';
import { StockroomError } from '../../../domain/kernel/errors.ts';
import type { TenantRecord } from '../../../domain/kernel/tenant.ts';
import { type TenantState, readState, restoreState } from './tenant-rows.ts';

/** The name of the state after fixtures were applied, or of a copy when it was made. */
export const FIXTURES_STATE = 'fixtures';

export class TenantStates {
  readonly #store: StockroomStore;
  readonly #states = new Map<string, Map<string, TenantState>>();

  constructor(store: StockroomStore) {
    this.#store = store;
  }

  /** Replaces a state of the same name. */
  async save(tenantId: string, name: string): Promise<void> {
    const state = await readState(this.#store, tenantId);
    if (state) this.keep(state, name);
  }

  keep(state: TenantState, name: string): void {
    const states = this.#states.get(state.tenant.id) ?? new Map<string, TenantState>();
    this.#states.set(state.tenant.id, states.set(name, state));
  }

  async restore({ id, slug }: TenantRecord, name: string): Promise<void> {
    const states = this.#states.get(id);
    const state = states?.get(name);
    if (!state) {
      const known = [...(states?.keys() ?? [])];
      const others = known.length === 0 ? '' : ` There are: ${known.join(', ')}.`;
      throw new StockroomError(
        'NOT_FOUND',
        name === FIXTURES_STATE
          ? `No fixtures were applied to ${slug} since the daemon started or its data was replaced.${others}`
          : `${slug} has no snapshot ${name}.${others}`,
      );
    }
    await restoreState(this.#store, state);
  }

  /** Those of the service that ran before. */
  takeOver(before: TenantStates): void {
    for (const [tenantId, named] of before.#states) this.#states.set(tenantId, named);
  }

  forget(tenantId: string): void {
    this.#states.delete(tenantId);
  }

  /** All data was replaced: a tenant with the same id is another one. */
  forgetAll(): void {
    this.#states.clear();
  }
}
