/** Records that /v1 cannot make. */
import type { Dimension } from '../../../src/contract/resources/setting-records.ts';
import { TOP_LEVEL } from '../../../src/domain/catalog/records.ts';
import type { TestService } from '../service/service.ts';

/** A unit of measure of the first tenant; `factor` is how many base units one of it is, as a fraction. */
export async function addUnit(
  s: TestService,
  symbol: string,
  dimension: Dimension,
  factor: readonly [number, number] = [1, 1],
  more: { precision?: number; isActive?: boolean; tenantId?: string } = {},
): Promise<string> {
  const { precision = 6, isActive = true, tenantId = s.tenant.id } = more;
  const id = s.service.newId();
  const at = s.clock.now().toISOString();
  const [factorNum, factorDen] = factor;
  await s.service.store.transact(tenantId, (tx) =>
    tx.units.put({ id, name: symbol, symbol, dimension, factorNum, factorDen, precision, isActive, createdAt: at, updatedAt: at }),
  );
  return id;
}

/** A category of the first tenant, at the top. */
export async function addCategory(s: TestService, name: string, more: { isActive?: boolean; tenantId?: string } = {}): Promise<string> {
  const { isActive = true, tenantId = s.tenant.id } = more;
  const id = s.service.newId();
  const at = s.clock.now().toISOString();
  await s.service.store.transact(tenantId, (tx) =>
    tx.categories.put({ id, name, parentId: null, under: TOP_LEVEL, isActive, createdAt: at, updatedAt: at }),
  );
  return id;
}
