/** Checks of stock levels, ledger entries, stock documents and the fulfilment of order lines (D-25). */
import { listReturnable } from '../orders/returns.ts';
import type { TableRow, TableName } from './table-walk.ts';
import { Findings, type Problems } from './findings.ts';
import { toLevelId, toLevelRow } from '../stock/levels.ts';
import { sumLineValues } from '../stock/valuation/line-values.ts';
import { fromMicro } from '../kernel/numbers.ts';
import { sumVariance } from '../stock/posting.ts';
import { sumInputValue } from '../stock/production.ts';
import { type LedgerRecord, type StockLevelRecord, type StockLineRecord, isVariance } from '../stock/records.ts';
import { findDistortedLevels, loadEntriesByLevel } from './valuation-check.ts';
import type { Row } from '../kernel/ports.ts';
import { getDistinctIds, getRowsById } from '../kernel/rows.ts';
import type { ReadTx } from '../tables.ts';

type TableChecks = { readonly [T in TableName]?: (tx: ReadTx, rows: readonly TableRow<T>[]) => Promise<Problems> };

const STOCK_CHECKS: Readonly<Record<string, TableChecks>> = {
  'stock levels': { stockLevels: async (tx, rows) => [...(await checkLevels(tx, rows)), ...(await checkValuation(tx, rows))] },
  'stock ledger': { ledger: checkLedger },
  'stock documents': { stockDocuments: async (tx, rows) => [...(await checkDocuments(tx, rows)), ...(await checkVariances(tx, rows))] },
  'line values': { stockLevels: checkLineValues },
  'order fulfilment': { orderLines: checkFulfilment },
  'production value': { orders: checkProductionValue },
};

export const createStockChecks = () =>
  Object.entries(STOCK_CHECKS).map(([name, checks]) => ({
    findings: new Findings(name),
    run: (tx: ReadTx, table: TableName, rows: readonly Row[]): Problems | Promise<Problems> => {
      // The compiler cannot match the name of a table with its row type.
      const check = checks[table] as ((tx: ReadTx, rows: readonly Row[]) => Promise<Problems>) | undefined;
      return check ? check(tx, rows) : [];
    },
  }));

const NO_LIMIT = Number.MAX_SAFE_INTEGER;
const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

/** Quantity and value of a level must follow from its ledger entries, its other fields from those and the item. */
async function checkLevels(tx: ReadTx, rows: readonly StockLevelRecord[]): Promise<Problems> {
  const itemIds = [...new Set(rows.map(({ itemId }) => itemId))];
  const items = await tx.items.getMany(itemIds);
  const entriesByLevel = await loadEntriesByLevel(tx, rows);
  return rows.flatMap((row) => {
    const entries = entriesByLevel.get(row.id) ?? [];
    const last = entries.at(-1);
    const derived = {
      onHand: sum(entries.map(({ quantityDelta }) => quantityDelta)),
      stockValue: sum(entries.map(({ valueDelta }) => valueDelta)),
      averageCost: last?.averageAfter ?? null,
      lastMovementAt: last?.postedAt ?? null,
    };
    const item = items[itemIds.indexOf(row.itemId)];
    const expected = item && toLevelRow(row, item, { ...row, ...derived }, { createdAt: row.createdAt, updatedAt: row.updatedAt });
    const mismatchedFields = (Object.keys(row) as (keyof StockLevelRecord)[]).filter((field) => expected && expected[field] !== row[field]);
    const valueProblem =
      row.onHand === 0 && row.stockValue !== 0
        ? `level ${row.id} has no stock on hand, but a stockValue of ${String(row.stockValue)}`
        : undefined;
    return [
      mismatchedFields.length === 0
        ? undefined
        : `level ${row.id} does not match its ledger entries and item in ${mismatchedFields.join(', ')}`,
      valueProblem,
      checkRunningTotals(row, entries),
    ];
  });
}

/** The average of each level is between the costs of the entries that are not reversed (D-16). */
async function checkValuation(tx: ReadTx, rows: readonly StockLevelRecord[]): Promise<Problems> {
  const distorted = await findDistortedLevels(tx, rows, await loadEntriesByLevel(tx, rows));
  const byId = new Map(distorted.map((level) => [toLevelId(level), level]));
  return rows.map(({ id, name, siteId }) => {
    const { averageCost, explained = null, onHand } = byId.get(id) ?? {};
    if (averageCost === undefined) return undefined;
    const cost =
      explained === null
        ? 'no entry that is not reversed has a cost'
        : `the entries that are not reversed explain ${formatMicro(explained)}`;
    return `${name} at site ${siteId} (on hand ${formatMicro(onHand ?? 0)}) has an averageCost of ${formatMicro(averageCost)}, but ${cost}; doctor --repair corrects it`;
  });
}

const formatMicro = (value: number): string => String(fromMicro(value));

/** Variances of documents add up, and except for these a reversal is the exact opposite. Earlier releases recorded neither. */
async function checkVariances(tx: ReadTx, rows: readonly TableRow<'stockDocuments'>[]): Promise<Problems> {
  const recorded = rows.filter(({ totalVariance, approvedAt }) => totalVariance !== undefined && approvedAt !== null);
  const where = [{ field: 'documentId', in: recorded.map(({ id }) => id) }];
  const entries = Map.groupBy((await tx.ledger.listAfter({ where, limit: NO_LIMIT })).rows, ({ documentId }) => documentId);
  return recorded.flatMap(({ id, documentNumber, type, reversedAt, totalVariance }) => {
    const posted = entries.get(id) ?? [];
    const variance = sumVariance(posted);
    const moved = sum(posted.filter((entry) => !isVariance(entry)).map(({ valueDelta }) => valueDelta));
    const isConserved = moved === 0 || (reversedAt === null && type !== 'transfer');
    return [
      variance === totalVariance
        ? undefined
        : `${documentNumber} has totalVariance ${String(totalVariance)}, but its ledger entries add up to ${String(variance)}`,
      isConserved ? undefined : `the entries of ${documentNumber} leave a value of ${String(moved)} that no variance explains`,
    ];
  });
}

/** The totals in each ledger entry of a level must continue those of the previous entry. */
function checkRunningTotals(row: StockLevelRecord, entries: readonly LedgerRecord[]): string | undefined {
  let [onHand, value] = [0, 0];
  for (const { seq, quantityDelta, onHandAfter, valueDelta, valueAfter } of entries) {
    onHand += quantityDelta;
    value += valueDelta;
    if (onHandAfter !== onHand || valueAfter !== value)
      return `level ${row.id}: onHandAfter or valueAfter of ledger entry ${String(seq)} does not match the sum of the entries`;
  }
  return undefined;
}

/** The values that the lines of all documents show for an item and site add up to the value of the level (D-13). */
async function checkLineValues(tx: ReadTx, rows: readonly StockLevelRecord[]): Promise<Problems> {
  const entries = [...(await loadEntriesByLevel(tx, rows)).values()].flat();
  const lines = await tx.stockDocumentLines.getMany([...new Set(entries.map(({ documentLineId }) => documentLineId))]);
  const values = sumLineValues(
    lines.filter((line) => line !== undefined),
    entries,
  );
  const valuesByLevel = Map.groupBy([...values.values()].flat(), toLevelId);
  return rows.map(({ id, stockValue }) => {
    const lineValue = sum((valuesByLevel.get(id) ?? []).map(({ posted, reversed }) => posted + reversed));
    return lineValue === stockValue
      ? undefined
      : `the document lines of level ${id} add up to a value of ${String(lineValue)}, but its stockValue is ${String(stockValue)}`;
  });
}

/** Every ledger entry belongs to a posted document and a level, and a reversal is the opposite of the entry it reverses (D-25). */
async function checkLedger(tx: ReadTx, rows: readonly LedgerRecord[]): Promise<Problems> {
  const reversedIds = rows.flatMap(({ reversalOf }) => (reversalOf === null ? [] : [String(reversalOf)]));
  const [documents, missingLevels, reversedEntries] = await Promise.all([
    getRowsById(tx.stockDocuments, getDistinctIds(rows.map(({ documentId }) => documentId))),
    tx.stockLevels.listMissing([...new Set(rows.map(toLevelId))]).then((ids) => new Set(ids)),
    getRowsById(tx.ledger, reversedIds),
  ]);
  return rows.flatMap((entry) => {
    const name = `ledger entry ${String(entry.seq)}`;
    const document = documents.get(entry.documentId);
    const isPosted = document !== undefined && document.approvedAt !== null && (entry.reversalOf === null || document.reversedAt !== null);
    const reversed = reversedEntries.get(String(entry.reversalOf));
    const isMirror =
      entry.reversalOf === null ||
      (reversed !== undefined &&
        (entry.revaluation === 'reversal_variance' || reversed.quantityDelta === -entry.quantityDelta) &&
        toLevelId(reversed) === toLevelId(entry) &&
        reversed.documentId === entry.documentId);
    return [
      entry.id === String(entry.seq) ? undefined : `${name} has the id ${entry.id}`,
      isPosted
        ? undefined
        : `${name} belongs to document ${entry.documentId}, which is not ${entry.reversalOf === null ? 'approved' : 'reversed'}`,
      !missingLevels.has(toLevelId(entry)) ? undefined : `${name} changes ${toLevelId(entry)}, which has no level`,
      isMirror ? undefined : `${name} is not the opposite of entry ${String(entry.reversalOf)}, which it reverses`,
    ];
  });
}

/** The line count and lists of ids of a document must match its lines, and its lines must match the ledger. */
async function checkDocuments(tx: ReadTx, rows: readonly TableRow<'stockDocuments'>[]): Promise<Problems> {
  const where = [{ field: 'documentId', in: rows.map(({ id }) => id) }];
  const lines = Map.groupBy((await tx.stockDocumentLines.listAfter({ where, limit: NO_LIMIT })).rows, ({ documentId }) => documentId);
  const entries = Map.groupBy((await tx.ledger.listAfter({ where, limit: NO_LIMIT })).rows, ({ documentId }) => documentId);
  return rows.flatMap((document) => {
    const [documentLines, posted] = [lines.get(document.id) ?? [], entries.get(document.id) ?? []];
    const { documentNumber: name } = document;
    const numbers = documentLines.map(({ lineNumber }) => lineNumber).sort((a, b) => a - b);
    const hasLineCount = document.lineCount === documentLines.length && numbers.every((number, index) => number === index + 1);
    const hasListedIds =
      hasSameIds(
        document.itemIds,
        documentLines.map(({ itemId }) => itemId),
      ) && hasSameIds(document.siteIds, [document.siteId, document.toSiteId]);
    const movements = posted.filter(({ revaluation }) => revaluation !== 'reversal_variance');
    const reversed = movements.filter(({ reversalOf }) => reversalOf !== null);
    const isReversalComplete = document.reversedAt === null ? reversed.length === 0 : reversed.length * 2 === movements.length;
    return [
      hasLineCount
        ? undefined
        : `${name} has lineCount ${String(document.lineCount)}, but ${String(documentLines.length)} lines numbered ${numbers.join(', ')}`,
      hasListedIds ? undefined : `itemIds or siteIds of ${name} do not match its lines and sites`,
      document.approvedAt !== null || posted.length === 0 ? undefined : `${name} is ${document.status}, but has ledger entries`,
      isReversalComplete ? undefined : `${name} has ${String(reversed.length)} reversals among ${String(movements.length)} ledger entries`,
      ...documentLines.map((line) => checkLinePosting(document, line, posted)),
    ];
  });
}

const hasSameIds = (listed: readonly string[], actual: readonly (string | null)[]): boolean => {
  const expected = new Set(actual.filter((id) => id !== null));
  return listed.length === expected.size && listed.every((id) => expected.has(id));
};

function checkLinePosting(
  { documentNumber, siteId, approvedAt }: TableRow<'stockDocuments'>,
  line: StockLineRecord,
  posted: readonly LedgerRecord[],
): string | undefined {
  const name = `${documentNumber} line ${String(line.lineNumber)}`;
  if (approvedAt === null) return line.postedQuantity === null ? undefined : `${name} is posted, but its document is not approved`;
  const entries = posted.filter(
    (entry) => entry.documentLineId === line.id && entry.itemId === line.itemId && entry.siteId === siteId && entry.reversalOf === null,
  );
  const moved = sum(entries.map(({ quantityDelta }) => quantityDelta));
  const { postedQuantity, onHandBefore, onHandAfter } = line;
  const isConsistent =
    postedQuantity === moved &&
    onHandBefore !== null &&
    onHandAfter === onHandBefore + moved &&
    onHandAfter === (entries.at(-1)?.onHandAfter ?? onHandAfter);
  return isConsistent
    ? undefined
    : `${name} has postedQuantity ${String(postedQuantity)}, but its ledger entries add up to ${String(moved)}`;
}

/** The posted quantities of an order line must match its approved documents (D-25). */
async function checkFulfilment(tx: ReadTx, rows: readonly TableRow<'orderLines'>[]): Promise<Problems> {
  const where = [{ field: 'orderLineId', in: rows.map(({ id }) => id) }];
  const lines = Map.groupBy((await tx.stockDocumentLines.listAfter({ where, limit: NO_LIMIT })).rows, ({ orderLineId }) => orderLineId);
  const documentIds = [...new Set([...lines.values()].flat().map(({ documentId }) => documentId))];
  const found = await tx.stockDocuments.getMany(documentIds);
  const approvedIds = documentIds.filter((_, index) => found[index]?.status === 'approved');
  const returns = new Set(found.flatMap((document) => (typeof document?.returnOf === 'string' ? [document.id] : [])));
  return rows.flatMap((line) => {
    const approvedLines = (lines.get(line.id) ?? []).filter(({ documentId }) => approvedIds.includes(documentId));
    const sumLines = (itemId: string | null, isReturn: boolean) =>
      sum(
        approvedLines
          .filter((posted) => posted.itemId === itemId && returns.has(posted.documentId) === isReturn)
          .map(({ stockQuantity }) => Math.abs(stockQuantity)),
      );
    const sumPosted = (itemId: string | null) => sumLines(itemId, false);
    const { fulfilledQuantity, quantity } = line;
    const name = `line ${String(line.lineNumber)} of order ${line.orderId}`;
    const parts = line.kit ?? [{ itemId: line.itemId, posted: line.posted.stock }];
    return [
      fulfilledQuantity >= 0 && fulfilledQuantity <= quantity
        ? undefined
        : `${name} has fulfilledQuantity ${String(fulfilledQuantity)} of ${String(quantity)}`,
      ...parts.map((part) => {
        const byDocuments = sumPosted(part.itemId);
        return part.posted === byDocuments || line.kind === 'inspection'
          ? undefined
          : `${name} has ${String(part.posted)} posted of item ${String(part.itemId)}, but its documents have ${String(byDocuments)}`;
      }),
      ...listReturnable(line).map(({ itemId, returned }) => {
        const byDocuments = sumLines(itemId, true);
        return returned === byDocuments && returned >= 0
          ? undefined
          : `${name} has ${String(returned)} returned of item ${itemId}, but its returns have ${String(byDocuments)}`;
      }),
    ];
  });
}

/**
 * The value of all components of a completed make order is in its outputs or booked as a variance (D-25). Entries of earlier releases
 * included revaluations of stock owed in the value of outputs, so their orders are skipped.
 */
async function checkProductionValue(tx: ReadTx, rows: readonly TableRow<'orders'>[]): Promise<Problems> {
  const orders = rows.filter(({ module, status, closedShort }) => module === 'make' && status === 'completed' && !closedShort);
  const documents = await tx.stockDocuments.getMany(orders.flatMap(({ stockDocumentIds }) => stockDocumentIds));
  const productions = documents.flatMap((document) => (document?.type === 'production' ? [document] : []));
  const where = [{ field: 'documentId', in: productions.map(({ id }) => id) }];
  const entries = Map.groupBy((await tx.ledger.listAfter({ where, limit: NO_LIMIT })).rows, ({ orderId }) => orderId);
  return orders.map(({ id, orderNumber }) => {
    const orderEntries = entries.get(id) ?? [];
    const difference = orderEntries.some(({ revaluation }) => revaluation === undefined) ? 0 : sumInputValue(orderEntries);
    return difference === 0
      ? undefined
      : `the components of ${orderNumber} are worth ${String(difference)} more than its outputs and variances`;
  });
}
