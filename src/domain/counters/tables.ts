import { defineTable } from '../table-format/define-table.ts';

/** A gapless counter of the tenant; its id is the name. */
export interface CounterRecord {
  readonly id: string;
  readonly value: number;
}

export const countersTables = {
  counters: defineTable<CounterRecord>({ name: 'counters', scope: 'tenant', orders: { id: [{ field: 'id' }] } }),
} as const;
