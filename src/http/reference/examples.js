// Lets examples execute: replaces the ids of examples in a request by those of records that exist. Deletions are sent as they are.
import { listOperations } from './document.js';

const ITEMS = '/v1/items?is_active=true&item_type=';
const CONTACTS = '/v1/contacts?is_active=true&contact_types=';

/** Where a record is found for the parameter or field of a name. @type {Readonly<Record<string, string>>} */
const LISTS = {
  item_id: `${ITEMS}product`,
  itemId: `${ITEMS}product`,
  ingredientItemId: `${ITEMS}material`,
  contact_id: `${CONTACTS}supplier,both`,
  supplier_id: `${CONTACTS}supplier,both`,
  supplierId: `${CONTACTS}supplier,both`,
  contactId: `${CONTACTS}customer,both`,
  order_id: '/v1/orders?module=sell',
  document_id: '/v1/stock-documents?',
  webhook_id: '/v1/webhooks?',
};

/**
 * Returns a function that replaces the ids in a request, looking each up once for a key.
 *
 * @param {OpenApiDocument} openApi
 */
export function createExampleFiller(openApi) {
  const lists = collectExampleIds(openApi);
  /** @type {Map<string, Promise<string | undefined>>} */
  const found = new Map();
  /** @param {ViewerRequest} request @returns {Promise<ViewerRequest>} */
  return async (request) => {
    if (request.method === 'DELETE') return request;
    const key = request.headers['X-API-Key'] ?? '';
    for (const [example, list] of lists) {
      if (!request.url.includes(example) && !request.body?.includes(example)) continue;
      const lookup = found.get(list + key) ?? findFirst(list, key);
      found.set(list + key, lookup);
      const id = await lookup;
      if (id === undefined) continue;
      request.url = request.url.replaceAll(example, id);
      if (request.body !== undefined) request.body = request.body.replaceAll(example, id);
    }
    return request;
  };
}

/**
 * The ids of examples in paths and bodies, with the lists that have others.
 *
 * @param {OpenApiDocument} openApi
 */
function collectExampleIds(openApi) {
  /** @type {Map<string, string>} */
  const lists = new Map();
  /** @param {string} name @param {unknown} value */
  const add = (name, value) => {
    const list = LISTS[name];
    if (typeof value === 'string' && list !== undefined) lists.set(value, lists.get(value) ?? list);
    else if (typeof value === 'object' && value !== null) for (const [key, inner] of Object.entries(value)) add(key, inner);
  };
  for (const { operation } of listOperations(openApi)) {
    for (const { name, example } of operation.parameters ?? []) if (name !== undefined) add(name, example);
    add('', operation.requestBody?.content['application/json'].example);
  }
  return lists;
}

/**
 * The id of the first record; undefined if there is none, or the key may not list them.
 *
 * @param {string} list
 * @param {string} key
 * @returns {Promise<string | undefined>}
 */
async function findFirst(list, key) {
  const reply = await fetch(`${list}&page_size=1`, { headers: { 'x-api-key': key } });
  const { data = [] } = /** @type {{ data?: readonly { id: string }[] }} */ (await reply.json());
  return data[0]?.id;
}
