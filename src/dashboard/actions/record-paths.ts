/** The path of a row's record in the public API. */
import type { AnyRow, AuditRow, DataTab, DeliveryRow, EndpointRow, EventRow, ItemRow, RequestRow } from '../state/model.ts';

/** By the resource type of an audit event: the collection in the public API. Other resources are not in it. */
const COLLECTIONS: Readonly<Record<string, string>> = {
  item: 'items',
  order: 'orders',
  contact: 'contacts',
  stock_document: 'stock-documents',
  webhook: 'webhooks',
};

/** The path of the record that an audit event is about; null if the public API does not have it. */
function getAuditedPath({ resourceType, resourceId }: AuditRow): string | null {
  const collection = COLLECTIONS[resourceType];
  return collection === undefined ? null : `/v1/${collection}/${resourceId}`;
}

/** The path of the record that the details of a row show; null if there is none. */
export function getLoadedPath(tab: DataTab, row: AnyRow): string | null {
  if (tab === 'audit') return getAuditedPath(row as AuditRow);
  return tab === 'items' || tab === 'orders' ? getRecordPath(tab, row) : null;
}

/** Whether the details of a row are more than the row, and have to be read. */
export const needsLoading = (tab: DataTab, row: AnyRow): boolean => tab === 'deliveries' || getLoadedPath(tab, row) !== null;

export function getRecordPath(tab: DataTab, row: AnyRow): string {
  // The row belongs to the tab.
  switch (tab) {
    case 'deliveries':
      return `/v1/webhooks/${(row as DeliveryRow).webhookId}/deliveries`;
    case 'limits':
      return '/v1/usage';
    case 'endpoints':
      return `/v1/webhooks/${(row as EndpointRow).id}`;
    case 'requests':
      return (row as RequestRow).path;
    case 'audit':
      return getAuditedPath(row as AuditRow) ?? `/v1/audit/events?since=${encodeURIComponent((row as AuditRow).createdAt)}&limit=1`;
    case 'items':
      return `/v1/items/${(row as ItemRow).itemId}`;
    case 'events':
      return `/v1/events?resource_id=${encodeURIComponent((row as EventRow).resourceId)}`;
    case 'orders':
      return `/v1/orders/${row.id}`;
  }
}
