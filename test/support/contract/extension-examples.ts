/** Requests that use an extension, with the problem that the given contract has with them. */
export const EXTENSION_EXAMPLES = [
  { name: 'a parameter', method: 'GET', path: '/v1/items?cursor=', body: {}, problem: '/cursor unknown_field' },
  { name: 'a filter', method: 'GET', path: '/v1/contacts?external_id=x', body: {}, problem: '/external_id unknown_field' },
  { name: 'a value', method: 'GET', path: '/v1/orders?module=all', body: {}, problem: '/module not_allowed' },
  { name: 'a value of a list', method: 'GET', path: '/v1/stock-documents?type=revaluation', body: {}, problem: '/type not_allowed' },
  {
    name: 'a field',
    method: 'POST',
    path: '/v1/items',
    body: { name: 'Bolt', metadata: { a: '1' } },
    problem: '/metadata unknown_field',
  },
  {
    name: 'a dry run',
    method: 'POST',
    path: '/v1/stock-documents?dry_run=true',
    body: { type: 'receipt' },
    problem: '/dry_run unknown_field',
  },
] as const;
