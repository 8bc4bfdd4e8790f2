/** A link to a record of the change log or the audit trail, if there is a view of its kind. */
import { Link } from 'wouter';

const PATHS: Readonly<Record<string, string>> = {
  item: '/items/',
  order: '/orders/',
  contact: '/contacts/',
  stock_document: '/stock/documents/',
  stock_level: '/items/',
  reorder_point: '/items/',
  webhook: '/deliveries/endpoints/',
};

export function ResourceLink({ type, id, name }: { readonly type: string; readonly id: string; readonly name: string }) {
  const path = PATHS[type];
  // The id of a level is that of its item and site.
  return path === undefined ? name : <Link href={path + (id.split(':')[0] ?? '')}>{name}</Link>;
}
