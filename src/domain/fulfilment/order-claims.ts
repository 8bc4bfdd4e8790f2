/** The claims of orders on stock: committed or incoming quantities (D-17). */
import { isOutstanding } from '../../contract/resources/orders.ts';
import type { OrderLineRecord, OrderRecord } from '../orders/records.ts';
import { getLineFlow, listRequirements, getLineSiteId } from '../orders/requirements.ts';
import { type Claim, toClaim } from '../stock/claims.ts';

/** The claims of an outstanding order: the remaining quantities of its lines. Other orders have none. */
export function listOrderClaims(order: OrderRecord, lines: readonly OrderLineRecord[]): Claim[] {
  if (!isOutstanding(order.status)) return [];
  return lines.flatMap((line) => {
    const flow = getLineFlow(order.module, line);
    if (flow === null) return [];
    const siteId = getLineSiteId(order, line);
    return listRequirements(line).map(({ itemId, remaining }) => toClaim(itemId, siteId, flow, remaining));
  });
}
