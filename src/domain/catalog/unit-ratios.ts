/** Units of measure: exact conversion within a dimension, and precision. D-9, D-10. */
import { NUMBER_DECIMALS } from '../../contract/limits.ts';
import { inactiveReference, invalidField } from '../kernel/errors.ts';
import type { UnitRecord } from './records.ts';
import type { ReadTx } from '../tables.ts';

/** Null: a quantity without a unit, which cannot be converted. */
export type Unit = Pick<UnitRecord, 'id' | 'dimension' | 'factorNum' | 'factorDen' | 'precision'> | null;

/** An exact ratio of integers. */
export interface Ratio {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

const ONE: Ratio = { numerator: 1n, denominator: 1n };

/** The number of `to` in one `from`; undefined if the units cannot be converted. */
export function getUnitRatio(from: Unit, to: Unit): Ratio | undefined {
  if (from?.id === to?.id) return ONE;
  if (from === null || to === null || from.dimension !== to.dimension) return undefined;
  return {
    numerator: BigInt(from.factorNum) * BigInt(to.factorDen),
    denominator: BigInt(from.factorDen) * BigInt(to.factorNum),
  };
}

/** The smallest step of a quantity in this unit, in micro-units. */
export const getUnitStep = (unit: Unit): bigint => 10n ** BigInt(NUMBER_DECIMALS - (unit?.precision ?? NUMBER_DECIMALS));

/** The unit with this id, null for null. Throws 400 for `path` if it does not exist, 409 if it is inactive. */
export async function checkUnit(tx: ReadTx, id: string | null, path: string): Promise<UnitRecord | null> {
  if (id === null) return null;
  const unit = await tx.units.get(id);
  if (!unit) throw invalidField(path, `There is no unit ${id}.`);
  if (!unit.isActive) throw inactiveReference(`Unit ${unit.symbol}`, { unitId: id }, path);
  return unit;
}

/** The unit with an id from a stored record; null for null. */
export const findUnit = async (tx: ReadTx, id: string | null): Promise<UnitRecord | null> =>
  id === null ? null : ((await tx.units.get(id)) ?? null);
