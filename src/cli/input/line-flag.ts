/** `--line` of orders and stock documents: an item by SKU, name or id, its quantity, and its price or cost. */
import { Flags } from '@oclif/core';
import type { DocumentType } from '../../contract/resources/stock-documents.ts';
import { repeatable } from './common-flags.ts';
import { toLosslessNumber, isJsonNumber } from '../lossless-json.ts';
import { usageError } from '../errors/failure.ts';

type Json = Readonly<Record<string, unknown>>;

/** `form`: of a line. */
export const createLineFlag = (form: string, description: string) => ({
  line: Flags.string({ helpValue: form, ...repeatable, description: `${description} Repeatable.` }),
});

const ITEM_AND_COST = 'ITEM:QUANTITY[UNIT][@COST]';
const ITEM_AND_PRICE = 'ITEM:QUANTITY[UNIT][@PRICE][-DISCOUNT%][+TAX%]';

/** The form of a line of an order or a stock document. */
export const LINE_FORMS: Readonly<Record<DocumentType | 'order', string>> = {
  order: ITEM_AND_PRICE,
  receipt: ITEM_AND_COST,
  issue: 'ITEM:QUANTITY[UNIT]',
  transfer: 'ITEM:QUANTITY[UNIT]',
  adjustment: ITEM_AND_COST,
  count: 'ITEM:COUNTED[UNIT]',
  production: 'ITEM:QUANTITY[UNIT]',
  revaluation: 'ITEM:COST',
};

/** `orders create --line`. */
export const orderLineFlag = createLineFlag(
  ITEM_AND_PRICE,
  "Order line: SKU, name or id of the item and quantity; optionally the unit (else the item's, for purchases that of its supplier), a price instead of the item's, and discount and tax in percent (else none): GRN-ETH:20kg@8.40-5%+23%. --data sets all fields.",
);

export const stockLineFlag = createLineFlag(
  ITEM_AND_COST,
  'Document line: SKU, name or id of the item, quantity, optionally its unit and, for incoming stock, the cost per stock unit: GRN-ETH:20kg@8.40. For counts the counted quantity; for productions negative for consumed items; for revaluations ITEM:COST, the new cost. --data sets all fields.',
);

// A SKU may contain colons: the last one separates the quantity.
const LINE =
  /^(?<item>.+):(?<quantity>[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?: *(?<unit>\p{L}[^:@+]*?))?(?:@(?<amount>[^:@+]+?))?(?:-(?<discount>[\d.]+)%)?(?:\+(?<tax>[^:@+%]+)%)?$/iu;

/** `form`: what the line may have. The amount is a price or a cost; discount and tax are in percent. */
export function parseLine(text: string, form: string) {
  const { item, quantity: signed = '', unit, amount, discount, tax } = LINE.exec(text)?.groups ?? {};
  // A counted quantity and a new cost are no differences: `+5` would not add to the present one.
  const quantity = form.includes('QUANTITY') ? signed.replace(/^\+/u, '') : signed;
  const areNumbers = [quantity, amount, discount, tax].every((number) => number === undefined || isJsonNumber(number));
  const isTooMuch =
    (unit !== undefined && !form.includes('UNIT')) ||
    (amount !== undefined && !form.includes('@')) ||
    ((discount ?? tax) !== undefined && !form.includes('%'));
  if (item === undefined || !areNumbers || isTooMuch) {
    const example = `GRN-ETH:60${form.includes('UNIT') ? 'kg' : ''}${form.includes('@') ? '@8.40' : ''}`;
    throw usageError(`Invalid line "${text}". Expected ${form}`, `Example: ${example}, with the SKU, name or id of an item`);
  }
  return { item, quantity, unit, amount, discount, tax };
}

/** The lines of `--line`; an empty object without the flag. `type`: of the document. Throws when `body`, from `--data` and `--set`, has lines. */
export function readLineFlag(flags: Json, body: Json, type: unknown): { lines?: readonly Json[] } {
  const texts = flags['line'] as readonly string[] | undefined;
  if (texts === undefined) return {};
  if (Object.hasOwn(body, 'lines'))
    throw usageError('--line cannot be combined with lines in --data or --set', 'Give all lines with --line, or all in --data');
  // The service explains a type that is missing or wrong.
  const form = LINE_FORMS[type as DocumentType] ?? ITEM_AND_COST;
  return { lines: texts.map((text) => toLineBody(type, parseLine(text, form))) };
}

/** Converts a parsed line to a body, whose fields depend on the type of the document. */
export function toLineBody(type: unknown, { item, quantity, unit, amount, discount, tax }: ReturnType<typeof parseLine>): Json {
  if (type === 'revaluation') return { itemId: item, unitCost: toLosslessNumber(quantity) };
  return {
    itemId: item,
    ...toQuantityFields(type, quantity),
    ...(unit === undefined ? {} : { unitId: unit.trim() }),
    ...(amount === undefined ? {} : { [type === 'order' ? 'unitPrice' : 'unitCost']: toLosslessNumber(amount) }),
    ...(discount === undefined ? {} : { discountPercent: toLosslessNumber(discount) }),
    ...(tax === undefined ? {} : { taxPercent: toLosslessNumber(tax) }),
  };
}

function toQuantityFields(type: unknown, text: string): Json {
  if (type === 'count') return { countedQuantity: toLosslessNumber(text) };
  if (type !== 'production') return { quantity: toLosslessNumber(text) };
  const isOut = text.startsWith('-');
  return { direction: isOut ? 'out' : 'in', quantity: toLosslessNumber(isOut ? text.slice(1) : text) };
}
