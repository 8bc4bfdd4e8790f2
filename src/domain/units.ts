/** Units of measure: exact conversion within a dimension, and how finely a quantity may be told. D-9, D-10. */
import { NUMBER_DECIMALS } from '../contract/limits.ts';
import { StockroomError, invalidField } from './errors.ts';
import type { UnitRecord } from './settings.ts';
import type { ReadTx } from './tables.ts';

/** A quantity without unit counts the thing itself; it converts to nothing else. */
export type Unit = Pick<UnitRecord, 'id' | 'dimension' | 'factorNum' | 'factorDen' | 'precision'> | null;

/** A ratio of whole numbers, exact. */
export interface Ratio {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

const ONE: Ratio = { numerator: 1n, denominator: 1n };

/** How much of `to` is one `from`; undefined when they measure different things. */
export function ratioOf(from: Unit, to: Unit): Ratio | undefined {
  if (from?.id === to?.id) return ONE;
  if (from === null || to === null || from.dimension !== to.dimension) return undefined;
  return {
    numerator: BigInt(from.factorNum) * BigInt(to.factorDen),
    denominator: BigInt(from.factorDen) * BigInt(to.factorNum),
  };
}

/** The smallest step of a quantity in this unit, in micro-units. */
export const stepOf = (unit: Unit): bigint => 10n ** BigInt(NUMBER_DECIMALS - (unit?.precision ?? NUMBER_DECIMALS));

/** The unit with this id, null for null; 400 for `path` when the tenant has no such unit, 409 when it is inactive. */
export async function checkUnit(tx: ReadTx, id: string | null, path: string): Promise<UnitRecord | null> {
  if (id === null) return null;
  const unit = await tx.units.get(id);
  if (!unit) throw invalidField(path, `There is no unit ${id}; 'stockroom units list' shows the valid ids.`);
  if (!unit.isActive) throw new StockroomError('INACTIVE_REFERENCE', `Unit ${unit.symbol} is inactive; activate it or choose another one.`);
  return unit;
}

/** The unit of a stored record. */
export const unitOf = async (tx: ReadTx, id: string | null): Promise<UnitRecord | null> =>
  id === null ? null : ((await tx.units.get(id)) ?? null);
