/** What people read instead of the path of a field. */

/** Words that are written in capitals. */
const ACRONYMS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['id', 'sku', 'mpn', 'url', 'api', 'pid', 'ip', 'http'].map((word) => [word, word.toUpperCase()])),
  ids: 'IDs',
};

/** Fields whose names say too little, or take the room of the unit. */
const WORDS: Readonly<Record<string, string>> = {
  fulfilledQuantity: 'fulfilled',
  hits: 'triggered',
  met: 'matching requests',
  onHandBefore: 'before',
  quantityDelta: 'change',
  onHandAfter: 'after',
};

/** `salePrice` → `SALE PRICE`, `supplier.name` → `SUPPLIER`, `order.orderNumber` → `ORDER`, `item.sku` → `SKU`. */
export const toTitle = (path: string): string => toWords(path).toUpperCase();

/** The same in a detail: `Sale price`, `Supplier`, `Category ID`. */
export function toLabel(path: string): string {
  const words = toWords(path).toLowerCase().split(' ');
  const spelled = words.map((word) => ACRONYMS[word] ?? word).join(' ');
  return spelled.replace(/^./u, (first) => first.toUpperCase());
}

const toWords = (path: string): string =>
  (WORDS[path] ?? path)
    .replace(/^(\w+)\.(?=\1[A-Z])/u, '')
    .replace(/^(?:contact|supplier|item)\.?(?=(?:company|sku)$)|^item(?=Sku$)/u, '')
    .replace(/\.(?:name|symbol)$|(?<=[a-z])Number$/u, '')
    .replaceAll('.', ' ')
    .replaceAll('_', ' ')
    .replaceAll(/([a-z\d])([A-Z])/gu, '$1 $2');
