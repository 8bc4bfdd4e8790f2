/** Posts documents: writes ledger entries, updates levels, and records the result on each line (D-12 to D-16). */
import type { StockEffect } from '../../contract/resources/stock-effects.ts';
import { NUMBER_BOUND } from '../../contract/limits.ts';
import { type Context, getNextTimestamp } from '../kernel/context.ts';
import { StockroomError } from '../kernel/errors.ts';
import { MICRO, fromMicro, multiplyMicro, roundToMinor } from '../kernel/numbers.ts';
import { type Entry, toStockEffects, postMovement, postRevaluation, postUnitCost, writeEntries } from './ledger.ts';
import { type LevelBatch, type LevelKey, toLevelId } from './levels.ts';
import { findRemainingCosts } from './valuation/remaining-costs.ts';
import { type Movement, checkAvailableStock, toMovements, sumByLevel, listLevelKeys } from './movements.ts';
import { type EarlierOutput, listProductionEntries, splitValue, sumInputValue, toEarlierOutputs } from './production.ts';
import { type DocumentWithLines, type Revaluation, type StockDocumentRecord, type StockLineRecord, isVariance } from './records.ts';
import type { Tx } from '../tables.ts';

export interface PostedDocument extends DocumentWithLines {
  /** The net effect on stock, as in the API. */
  readonly effects: readonly StockEffect[];
  /** All ledger entries of the document, by number. */
  readonly entries: readonly Entry[];
}

/** What posting needs besides the documents, most of it from the order that they fulfil. */
export interface PostingOptions {
  /** The net cost of a quantity of an order line, in stock units; null without a price. */
  getNetCost(orderLineId: string, quantity: number, itemId: string): number | null;
  /** Whether the order has all its outputs after these documents. */
  readonly isFullyProduced: boolean;
  /** Counts: posts what was counted even if the stock has changed since. */
  readonly isForced?: boolean;
}

const NO_ORDER: PostingOptions = { getNetCost: () => null, isFullyProduced: false };

interface DocumentMovement {
  readonly document: StockDocumentRecord;
  readonly movement: Movement;
}

/**
 * Posts documents of one type together: all of them, or none if there are shortages. The claims in the batch are those after the posting.
 * The caller stores documents and levels.
 */
export async function postDocuments(
  tx: Tx,
  context: Context,
  levels: LevelBatch,
  documents: readonly DocumentWithLines[],
  order: PostingOptions = NO_ORDER,
): Promise<PostedDocument[]> {
  await levels.load(documents.flatMap(({ document, lines }) => listLevelKeys(document, lines)));
  if (order.isForced !== true) for (const { document, lines } of documents) checkExpectedCounts(levels, document, lines);
  const movementsByDocument = documents.map(({ document, lines }) => ({
    document,
    type: document.type,
    moves: toMovements(document, lines, levels),
  }));
  await checkAvailableStock(tx, context.tenant, levels, sumByLevel(movementsByDocument));

  const steps = movementsByDocument.flatMap(({ document, moves }) => moves.map((movement): DocumentMovement => ({ document, movement })));
  await correctEmptyAverages(tx, context, levels, steps);
  const entries = [...(await postMovements(tx, context, levels, steps, order)), ...postRevaluations(context, levels, documents)];
  await writeEntries(tx, entries);
  return documents.map(({ document, lines }) => {
    const documentEntries = entries.filter((entry) => entry.documentId === document.id);
    const siteEntries = documentEntries.filter(({ siteId, quantityDelta }) => siteId === document.siteId && quantityDelta !== 0);
    const entriesByLine = new Map(siteEntries.map((entry) => [entry.documentLineId, entry]));
    return {
      document: {
        ...document,
        totalCost: calculateTotalCost(context, document, documentEntries),
        totalVariance: sumVariance(documentEntries),
      },
      lines: lines.map((line) => toPostedLine(context, levels, document, line, entriesByLine.get(line.id))),
      effects: toStockEffects(levels, documentEntries),
      entries: documentEntries,
    };
  });
}

/**
 * Earlier releases kept the cost of a reversed receipt as the average of an empty level. Movements that may take the average use the one
 * that the remaining entries leave.
 */
async function correctEmptyAverages(tx: Tx, { tenant }: Context, levels: LevelBatch, steps: readonly DocumentMovement[]): Promise<void> {
  const keys = steps
    .filter(({ movement: { line, quantity } }) => (quantity > 0 ? line.unitCost === null : tenant.negativeStock === 'allow'))
    .map(({ movement: { itemId, siteId } }) => ({ itemId, siteId }))
    .filter((key) => levels.get(key).onHand === 0 && levels.get(key).averageCost !== null);
  if (keys.length === 0) return;
  const costs = await findRemainingCosts(
    tx,
    keys.map((key) => ({ ...key, reversing: [], cost: null })),
  );
  for (const key of keys) levels.change(key, { averageCost: costs.get(toLevelId(key))?.lastAverage ?? null });
}

/** Stores a posted document with its lines. */
export async function savePostedDocument(tx: Tx, { document, lines }: PostedDocument): Promise<void> {
  await tx.stockDocuments.put(document);
  await tx.stockDocumentLines.putMany(lines);
}

async function postMovements(
  tx: Tx,
  context: Context,
  levels: LevelBatch,
  steps: readonly DocumentMovement[],
  order: PostingOptions,
): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (const step of steps) {
    if (isOutput(step)) continue;
    const { document, movement } = step;
    const value = movement.quantity < 0 ? 0 : getIncomingValue(levels, step, order, entries.at(-1));
    entries.push(...postMovement(context, levels, document, movement, value));
  }
  const last = steps.at(-1);
  if (last?.document.type !== 'production') return entries;
  return [...entries, ...(await postOutputs(tx, context, levels, { last, outputs: steps.filter(isOutput), components: entries, order }))];
}

const isOutput = ({ document, movement }: DocumentMovement): boolean => document.type === 'production' && movement.quantity > 0;

interface ProductionSteps {
  /** The last movement of the productions, whose document and line record changes of the value of earlier outputs. */
  readonly last: DocumentMovement;
  readonly outputs: readonly DocumentMovement[];
  /** The entries of the components. */
  readonly components: readonly Entry[];
  readonly order: PostingOptions;
}

/**
 * Posts the outputs of productions with the value of the components that are in no output yet: those posted now, and those posted earlier
 * for the same order. What is left of it when the order has all its outputs is shared by earlier outputs.
 */
async function postOutputs(
  tx: Tx,
  context: Context,
  levels: LevelBatch,
  { last, outputs, components, order }: ProductionSteps,
): Promise<Entry[]> {
  const { orderId } = last.document;
  const earlier = orderId === null ? [] : await listProductionEntries(tx, orderId);
  const inputValue = sumInputValue(components) + sumInputValue(earlier);
  const outputValues = splitValue(
    Math.max(0, inputValue),
    outputs.map(({ movement }) => movement.quantity),
  );
  const entries = outputs.flatMap(({ document, movement }, index) =>
    postMovement(context, levels, document, movement, outputValues[index] ?? 0),
  );
  const unallocatedValue = outputs.length === 0 ? inputValue : Math.min(0, inputValue);
  if (unallocatedValue === 0 || !order.isFullyProduced) return entries;
  const earlierOutputs = toEarlierOutputs(earlier);
  await levels.load(earlierOutputs);
  const revalue = (key: LevelKey, value: number, reason: Revaluation): Entry =>
    postRevaluation(context, levels, last.document, { ...key, line: last.movement.line }, value, reason);
  const shares = shareUnallocatedValue(levels, earlierOutputs, unallocatedValue);
  entries.push(...shares.map(({ output, share }) => revalue(output, share, 'late_components')));
  const variance = unallocatedValue - sum(shares.map(({ share }) => share));
  const carrier = earlierOutputs[0] ?? outputs[0]?.movement;
  if (variance === 0 || carrier === undefined) return entries;
  return [...entries, revalue(carrier, variance, 'late_components'), revalue(carrier, -variance, 'variance')];
}

/**
 * How the value of components posted after the last output is shared by the order's earlier outputs that are still on hand. A negative value
 * comes from components that were returned and posted again at a lower cost; it reduces the value of those outputs, but not below 0. The
 * shares may add up to less than the value.
 */
function shareUnallocatedValue(
  levels: LevelBatch,
  outputs: readonly EarlierOutput[],
  value: number,
): { readonly output: LevelKey; readonly share: number }[] {
  const outputsOnHand = outputs.filter((output) => levels.get(output).onHand > 0);
  const stockValues = outputsOnHand.map((output) => Math.max(0, levels.get(output).stockValue));
  const shares =
    value > 0
      ? splitValue(
          value,
          outputsOnHand.map(({ quantity }) => quantity),
        )
      : // In proportion to their values, so that none falls below 0 while another has value left.
        splitValue(Math.max(value, -sum(stockValues)), stockValues);
  return outputsOnHand.flatMap((output, index) => {
    const share = shares[index] ?? 0;
    return share === 0 ? [] : [{ output, share }];
  });
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** The value of an incoming movement: the line's cost or the default of D-12; for a transfer, the value of its outgoing movement. */
function getIncomingValue(
  levels: LevelBatch,
  { document, movement }: DocumentMovement,
  order: PostingOptions,
  previous: Entry | undefined,
): number {
  const { line, quantity } = movement;
  if (document.type === 'transfer') return Math.max(0, -(previous?.valueDelta ?? 0));
  const { purchasePrice } = levels.item(movement.itemId);
  const { averageCost } = levels.get(movement);
  // An average of 0 says nothing about the cost of stock that is found.
  const knownAverage = averageCost === 0 ? null : averageCost;
  const defaultCost = document.type === 'receipt' ? (purchasePrice ?? averageCost) : (knownAverage ?? purchasePrice);
  const orderCost =
    line.orderLineId !== null && line.unitCost === null ? order.getNetCost(line.orderLineId, quantity, movement.itemId) : null;
  return orderCost ?? multiplyMicro(quantity, line.unitCost ?? defaultCost ?? 0);
}

/** The lines of revaluations, which set the cost of what is on hand. */
function postRevaluations(context: Context, levels: LevelBatch, documents: readonly DocumentWithLines[]): Entry[] {
  const revaluations = documents.filter(({ document }) => document.type === 'revaluation');
  return revaluations.flatMap(({ document, lines }) =>
    lines.map((line) => postUnitCost(context, levels, document, { itemId: line.itemId, siteId: document.siteId, line }, line.unitCost)),
  );
}

/** A revaluation needs stock, or stock owed, to revalue. */
export async function checkRevalued(levels: LevelBatch, { document, lines }: DocumentWithLines): Promise<void> {
  if (document.type !== 'revaluation') return;
  await levels.load(listLevelKeys(document, lines));
  const empty = lines.find(({ itemId }) => levels.get({ itemId, siteId: document.siteId }).onHand === 0);
  if (!empty) return;
  const { name } = levels.item(empty.itemId);
  throw new StockroomError(
    'INVALID_STATE',
    `Cannot revalue line ${String(empty.lineNumber)} of ${document.documentNumber}: no stock of ${name} at the site. Recall the document and remove the line.`,
    { details: { lineNumber: empty.lineNumber, itemId: empty.itemId, siteId: document.siteId } },
  );
}

/** The value that entries lost to variances, which move no stock. */
export const sumVariance = (entries: readonly Entry[]): number =>
  0 - sum(entries.filter((entry) => entry.quantityDelta === 0 && isVariance(entry)).map(({ valueDelta }) => valueDelta));

/** Compare and swap (D-12): a count with an expected quantity is rejected if the stock on hand differs. */
function checkExpectedCounts(levels: LevelBatch, { siteId, documentNumber }: StockDocumentRecord, lines: readonly StockLineRecord[]): void {
  const stale = lines.flatMap(({ itemId, lineNumber, stockExpected }) => {
    const { onHand } = levels.get({ itemId, siteId });
    if (stockExpected === null || stockExpected === onHand) return [];
    const { sku } = levels.item(itemId);
    return [{ lineNumber, itemId, sku, siteId, expected: fromMicro(stockExpected), onHand: fromMicro(onHand) }];
  });
  const [first] = stale;
  if (!first) return;
  const problem = `line ${String(first.lineNumber)} expects ${String(first.expected)} of ${first.sku ?? first.itemId}, but ${String(first.onHand)} are on hand`;
  const others = stale.length - 1;
  const more = others > 0 ? `, and ${String(others)} more stale line${others === 1 ? '' : 's'}` : '';
  throw new StockroomError(
    'STALE_COUNT',
    `Stock has changed since ${documentNumber} was counted: ${problem}${more}. Recall it and count again, or approve it with force.`,
    {
      details: { stale },
    },
  );
}

/**
 * The value of the stock that came in, went out, was moved or was consumed; the net change for adjustments and counts. Rounded to the minor
 * unit of the currency, once (D-9).
 */
function calculateTotalCost({ tenant }: Context, { type }: StockDocumentRecord, entries: readonly Entry[]): number {
  const sumValues = (of: readonly Entry[]): number => sum(of.map(({ valueDelta }) => valueDelta));
  const out = entries.filter(({ quantityDelta }) => quantityDelta < 0);
  const isNet = type === 'adjustment' || type === 'count' || type === 'receipt';
  const exactTotal = isNet || out.length === 0 ? sumValues(entries) : Math.abs(sumValues(out));
  const total = roundToMinor(exactTotal, tenant.currencyExponent);
  if (Math.abs(total) < NUMBER_BOUND * MICRO) return total;
  throw new StockroomError(
    'LIMIT_REACHED',
    `The total cost of the document must be below ${String(NUMBER_BOUND)}. Split it into several documents.`,
    {
      details: { limit: NUMBER_BOUND },
    },
  );
}

/** The line with the result of its posting at the document's `siteId`. */
function toPostedLine(
  { now }: Context,
  levels: LevelBatch,
  { siteId }: StockDocumentRecord,
  line: StockLineRecord,
  entry: Entry | undefined,
): StockLineRecord {
  const updatedAt = getNextTimestamp(now, line.updatedAt);
  if (entry) {
    const { quantityDelta, unitCost, onHandAfter } = entry;
    const onHandBefore = onHandAfter - quantityDelta;
    return { ...line, postedQuantity: quantityDelta, postedUnitCost: unitCost, onHandBefore, onHandAfter, updatedAt };
  }
  const { onHand, averageCost } = levels.get({ itemId: line.itemId, siteId });
  return { ...line, postedQuantity: 0, postedUnitCost: averageCost, onHandBefore: onHand, onHandAfter: onHand, updatedAt };
}
