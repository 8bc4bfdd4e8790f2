/** `--line` of orders and stock documents: an item by SKU, name or id, its quantity, and its price or cost. */
import { Flags } from '@oclif/core';
import type { DocumentType } from '../../contract/resources/stock-documents.ts';
import { toLosslessNumber, isJsonNumber } from './lossless-json.ts';
import { usageError } from '../errors/failure.ts';

/** `form`: of a line. */
export const createLineFlag = (form: string, description: string) => ({
  line: Flags.string({ helpValue: form, multiple: true, multipleNonGreedy: true, description: `${description} Repeatable.` }),
});

const ITEM_AND_COST = 'ITEM:QUANTITY[@COST]';
export const ITEM_AND_PRICE = 'ITEM:QUANTITY[@PRICE]';

/** The form of a line of a stock document. */
export const LINE_FORMS: Readonly<Record<DocumentType, string>> = {
  receipt: ITEM_AND_COST,
  issue: 'ITEM:QUANTITY',
  transfer: 'ITEM:QUANTITY',
  adjustment: ITEM_AND_COST,
  count: 'ITEM:COUNTED',
  production: 'ITEM:QUANTITY',
  revaluation: 'ITEM:COST',
};

/** The form of a line of a document whose type may be missing or wrong. */
export const getLineForm = (type: unknown): string => LINE_FORMS[type as DocumentType] ?? ITEM_AND_COST;

export const stockLineFlag = createLineFlag(
  ITEM_AND_COST,
  'Document line: SKU, name or id of the item, quantity and, for incoming stock, the cost per unit. For counts the counted quantity; for productions negative for consumed items; for revaluations ITEM:COST, the new cost. --data sets all fields.',
);

/** Throws when the body from `--data` and `--set` has lines, which `--line` would replace. */
export function checkLinesGivenOnce(body: Readonly<Record<string, unknown>>): void {
  if (!Object.hasOwn(body, 'lines')) return;
  throw usageError('--line cannot be combined with lines in --data or --set', 'Give all lines with --line, or all in --data');
}

interface ParsedLine {
  readonly item: string;
  readonly quantity: string;
  /** The price or the cost. */
  readonly amount: string | undefined;
}

// A SKU may contain colons: the last one separates the quantity.
const LINE = /^(?<item>.+):(?<quantity>[^:@]+)(?:@(?<amount>[^:@]+))?$/u;

/** `form`: for the error. */
export function parseLine(text: string, form: string): ParsedLine {
  const { item, quantity, amount } = LINE.exec(text)?.groups ?? {};
  if (item === undefined || quantity === undefined || !isJsonNumber(quantity) || (amount !== undefined && !isJsonNumber(amount))) {
    throw usageError(
      `Invalid line "${text}". Expected ${form}`,
      `Example: ${form.includes('@') ? 'GRN-ETH:60@8.40' : 'GRN-ETH:60'}, with the SKU, name or id of an item`,
    );
  }
  return { item, quantity, amount };
}

/** Converts a parsed line to the body of a stock document, whose fields depend on its type. */
export function toLineBody(type: unknown, { item, quantity, amount }: ParsedLine): Readonly<Record<string, unknown>> {
  if (type === 'revaluation') {
    if (amount !== undefined)
      throw usageError(`Invalid line "${item}:${quantity}@${amount}". A revaluation takes ${LINE_FORMS.revaluation}`);
    return { itemId: item, unitCost: toLosslessNumber(quantity) };
  }
  return {
    itemId: item,
    ...toQuantityFields(type as DocumentType, quantity),
    ...(amount === undefined ? {} : { unitCost: toLosslessNumber(amount) }),
  };
}

function toQuantityFields(type: DocumentType, text: string): Readonly<Record<string, unknown>> {
  if (type === 'count') return { countedQuantity: toLosslessNumber(text) };
  if (type !== 'production') return { quantity: toLosslessNumber(text) };
  const isOut = text.startsWith('-');
  return { direction: isOut ? 'out' : 'in', quantity: toLosslessNumber(isOut ? text.slice(1) : text) };
}
