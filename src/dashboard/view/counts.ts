/** Counts the problems among deliveries. */
import type { DeliveryRow } from '../state/model.ts';
import { formatNumber } from './format.ts';

/** `2 failed, 1 retrying`: the problems among deliveries; empty if there are none. */
export function describeProblems(rows: readonly DeliveryRow[]): string {
  const { failed, retrying } = countProblems(rows);
  return [failed > 0 ? `${formatNumber(failed)} failed` : '', retrying > 0 ? `${formatNumber(retrying)} retrying` : '']
    .filter((part) => part !== '')
    .join(', ');
}

export function countProblems(rows: readonly DeliveryRow[]): { readonly failed: number; readonly retrying: number } {
  const count = (status: DeliveryRow['status']): number => rows.filter((row) => row.status === status).length;
  return { failed: count('failed'), retrying: count('retrying') };
}
