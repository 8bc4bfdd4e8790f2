/** The view of a record of the change log or the audit trail. */
const PATHS: Readonly<Record<string, string>> = {
  item: '/items/',
  order: '/orders/',
  contact: '/contacts/',
  stock_document: '/stock/documents/',
  stock_level: '/items/',
  reorder_point: '/items/',
  webhook: '/deliveries/endpoints/',
};

/** Undefined if there is none of its kind. The id of a level is that of its item and site. */
export const toRecordPath = (type: string, id: string): string | undefined => PATHS[type] && PATHS[type] + (id.split(':')[0] ?? '');
