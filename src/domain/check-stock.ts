/** What must hold for each level, ledger entry and stock document, together with the rows it names. §9. */
import type { RowOf, TableName } from './check-walk.ts';
import { Findings } from './findings.ts';
import { levelId, levelRow } from './stock-levels.ts';
import type { LedgerRecord, StockLevelRecord, StockLineRecord } from './stock-records.ts';
import type { Row } from './ports.ts';
import type { ReadTx } from './tables.ts';

type Seen = (string | undefined)[];
type Looks = { readonly [T in TableName]?: (tx: ReadTx, rows: readonly RowOf<T>[]) => Promise<Seen> };

const LOOKS: Readonly<Record<string, Looks>> = {
  'stock levels': { stockLevels: levels },
  'stock ledger': { ledger },
  'stock documents': { stockDocuments: documents },
  'order fulfilment': { orderLines: fulfilment },
};

export const stockChecks = () =>
  Object.entries(LOOKS).map(([name, looks]) => ({
    findings: new Findings(name),
    look: (tx: ReadTx, table: TableName, rows: readonly Row[]): Seen | Promise<Seen> => {
      // The compiler cannot tell that the table of a name has the rows of that name.
      const look = looks[table] as ((tx: ReadTx, rows: readonly Row[]) => Promise<Seen>) | undefined;
      return look ? look(tx, rows) : [];
    },
  }));

const ALL = Number.MAX_SAFE_INTEGER;
const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

/** What is on hand and what it is worth come from the ledger (invariants 1 and 9), the rest of the row from them and from the item. */
async function levels(tx: ReadTx, rows: readonly StockLevelRecord[]): Promise<Seen> {
  const itemIds = [...new Set(rows.map(({ itemId }) => itemId))];
  const items = await tx.items.getMany(itemIds);
  const { rows: entries } = await tx.ledger.after({ where: [{ field: 'itemId', in: itemIds }], orderBy: 'seq', limit: ALL });
  const ofPlace = Map.groupBy(entries, levelId);
  return rows.flatMap((row) => {
    const moved = ofPlace.get(row.id) ?? [];
    const last = moved.at(-1);
    const derived = {
      onHand: sum(moved.map(({ quantityDelta }) => quantityDelta)),
      stockValue: sum(moved.map(({ valueDelta }) => valueDelta)),
      averageCost: last?.averageAfter ?? null,
      lastMovementAt: last?.postedAt ?? null,
    };
    const item = items[itemIds.indexOf(row.itemId)];
    const whole = item && levelRow(row, item, { ...row, ...derived }, { createdAt: row.createdAt, updatedAt: row.updatedAt });
    const wrong = (Object.keys(row) as (keyof StockLevelRecord)[]).filter((field) => whole && whole[field] !== row[field]);
    const worthless =
      row.onHand === 0 && row.stockValue !== 0 ? `level ${row.id} has nothing on hand, worth ${String(row.stockValue)}` : undefined;
    return [
      wrong.length === 0 ? undefined : `level ${row.id} differs from ledger and item in ${wrong.join(', ')}`,
      worthless,
      broken(row, moved),
    ];
  });
}

/** Each entry goes on from where the one before has left the place. */
function broken(row: StockLevelRecord, moved: readonly LedgerRecord[]): string | undefined {
  let [onHand, value] = [0, 0];
  for (const { seq, quantityDelta, onHandAfter, valueDelta, valueAfter } of moved) {
    onHand += quantityDelta;
    value += valueDelta;
    if (onHandAfter !== onHand || valueAfter !== value)
      return `level ${row.id}: ledger entry ${String(seq)} does not add up to what it says is there after it`;
  }
  return undefined;
}

/** Every entry belongs to a line of a posted document and to a level; one that undoes another is its opposite (invariant 2). */
async function ledger(tx: ReadTx, rows: readonly LedgerRecord[]): Promise<Seen> {
  const owners = await tx.stockDocuments.getMany(rows.map(({ documentId }) => documentId));
  const places = await tx.stockLevels.getMany(rows.map(levelId));
  const undone = await tx.ledger.getMany(rows.map(({ reversalOf }) => String(reversalOf)));
  return rows.flatMap((entry, at) => {
    const told = `ledger entry ${String(entry.seq)}`;
    const document = owners[at];
    const isPosted = document !== undefined && document.approvedAt !== null && (entry.reversalOf === null || document.reversedAt !== null);
    const other = undone[at];
    const isMirror =
      entry.reversalOf === null ||
      (other !== undefined &&
        other.quantityDelta === -entry.quantityDelta &&
        levelId(other) === levelId(entry) &&
        other.documentId === entry.documentId);
    return [
      entry.id === String(entry.seq) ? undefined : `${told} has the id ${entry.id}`,
      isPosted ? undefined : `${told} belongs to ${entry.documentId}, which is not posted that way`,
      places[at] ? undefined : `${told} moved ${levelId(entry)}, which has no level`,
      isMirror ? undefined : `${told} is not the opposite of ${String(entry.reversalOf)}, which it undoes`,
    ];
  });
}

/** A document has the lines that it says, and its lines and the ledger prove each other (invariants 2, 8). */
async function documents(tx: ReadTx, rows: readonly RowOf<'stockDocuments'>[]): Promise<Seen> {
  const where = [{ field: 'documentId', in: rows.map(({ id }) => id) }];
  const lines = Map.groupBy((await tx.stockDocumentLines.after({ where, limit: ALL })).rows, ({ documentId }) => documentId);
  const entries = Map.groupBy((await tx.ledger.after({ where, limit: ALL })).rows, ({ documentId }) => documentId);
  return rows.flatMap((document) => {
    const [own, posted] = [lines.get(document.id) ?? [], entries.get(document.id) ?? []];
    const { documentNumber: told } = document;
    const numbers = own.map(({ lineNumber }) => lineNumber).sort((a, b) => a - b);
    const isCounted = document.lineCount === own.length && numbers.every((number, at) => number === at + 1);
    const isListed =
      same(
        document.itemIds,
        own.map(({ itemId }) => itemId),
      ) && same(document.siteIds, [document.siteId, document.toSiteId]);
    const reversed = posted.filter(({ reversalOf }) => reversalOf !== null);
    const isReversed = document.reversedAt === null ? reversed.length === 0 : reversed.length * 2 === posted.length;
    return [
      isCounted
        ? undefined
        : `${told} has ${String(own.length)} lines numbered ${numbers.join(', ')}, and says ${String(document.lineCount)}`,
      isListed ? undefined : `${told} is listed under other items or sites than it has`,
      document.approvedAt !== null || posted.length === 0 ? undefined : `${told} is ${document.status} and has moved stock`,
      isReversed ? undefined : `${told} has ${String(reversed.length)} entries that undo others, of ${String(posted.length)}`,
      ...own.map((line) => unproven(document, line, posted)),
    ];
  });
}

const same = (a: readonly string[], b: readonly (string | null)[]): boolean => {
  const wanted = new Set(b.filter((each) => each !== null));
  return a.length === wanted.size && a.every((each) => wanted.has(each));
};

function unproven(
  { documentNumber, siteId, approvedAt }: RowOf<'stockDocuments'>,
  line: StockLineRecord,
  posted: readonly LedgerRecord[],
): string | undefined {
  const told = `${documentNumber} line ${String(line.lineNumber)}`;
  if (approvedAt === null) return line.postedQuantity === null ? undefined : `${told} is posted, its document is not`;
  const entries = posted.filter(
    (entry) => entry.documentLineId === line.id && entry.itemId === line.itemId && entry.siteId === siteId && entry.reversalOf === null,
  );
  const moved = sum(entries.map(({ quantityDelta }) => quantityDelta));
  const { postedQuantity, onHandBefore, onHandAfter } = line;
  const isProof =
    postedQuantity === moved &&
    onHandBefore !== null &&
    onHandAfter === onHandBefore + moved &&
    onHandAfter === (entries.at(-1)?.onHandAfter ?? onHandAfter);
  return isProof ? undefined : `${told} says that it moved ${String(postedQuantity)}, the ledger ${String(moved)}`;
}

/** What is posted for an order line is what approved documents have posted for it, less what was reversed (invariant 11). */
async function fulfilment(tx: ReadTx, rows: readonly RowOf<'orderLines'>[]): Promise<Seen> {
  const where = [{ field: 'orderLineId', in: rows.map(({ id }) => id) }];
  const lines = Map.groupBy((await tx.stockDocumentLines.after({ where, limit: ALL })).rows, ({ orderLineId }) => orderLineId);
  const documentIds = [...new Set([...lines.values()].flat().map(({ documentId }) => documentId))];
  const found = await tx.stockDocuments.getMany(documentIds);
  const approved = new Set(documentIds.filter((_, at) => found[at]?.status === 'approved'));
  return rows.flatMap((line) => {
    const own = (lines.get(line.id) ?? []).filter(({ documentId }) => approved.has(documentId));
    const posted = (itemId: string | null) =>
      sum(own.filter((each) => each.itemId === itemId).map(({ stockQuantity }) => Math.abs(stockQuantity)));
    const { fulfilledQuantity, quantity } = line;
    const told = `line ${String(line.lineNumber)} of order ${line.orderId}`;
    const wanted = line.kit ?? [{ itemId: line.itemId, posted: line.posted.stock }];
    return [
      fulfilledQuantity >= 0 && fulfilledQuantity <= quantity
        ? undefined
        : `${told} is fulfilled by ${String(fulfilledQuantity)} of ${String(quantity)}`,
      ...wanted.map((part) => {
        const byDocuments = posted(part.itemId);
        return part.posted === byDocuments || line.kind === 'inspection'
          ? undefined
          : `${told} says that ${String(part.posted)} is posted of ${String(part.itemId)}, its documents ${String(byDocuments)}`;
      }),
    ];
  });
}
