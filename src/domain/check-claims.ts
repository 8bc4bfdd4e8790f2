/** Whether the levels have promised and expect what outstanding orders and submitted documents ask for (invariant 10), and the ledger has no gap (2). */
import { type Reads, type TableName, pagesOf } from './check-walk.ts';
import { type Finding, Findings } from './findings.ts';
import { isOutstanding } from './order-transitions.ts';
import { type Claim, documentClaims, orderClaims } from './stock-claims.ts';
import { levelId } from './stock-levels.ts';
import type { ReadTx } from './tables.ts';

const ALL = Number.MAX_SAFE_INTEGER;
const SOURCES: readonly TableName[] = ['orders', 'orderLines', 'stockDocuments', 'stockDocumentLines', 'stockLevels'];
const ATTEMPTS = 3;

/** Counts again when somebody has changed an order, a document or a level meanwhile; when that never ends, once in a single read that others wait for. */
export async function claims(reads: Reads, touched: Set<string>): Promise<Finding> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    for (const table of SOURCES) touched.delete(table);
    const finding = await countClaims(reads);
    if (!SOURCES.some((table) => touched.has(table))) return finding;
  }
  return reads((tx) => countClaims((work) => work(tx)));
}

const NAME = 'committed and incoming';

async function countClaims(reads: Reads): Promise<Finding> {
  const findings = new Findings(NAME);
  const wanted = await claimed(reads);
  for await (const { rows } of pagesOf(reads, 'stockLevels', nothingElse)) {
    for (const { id, committed, incoming } of rows) {
      const { committed: promised, incoming: expected } = wanted.get(id) ?? { committed: 0, incoming: 0 };
      wanted.delete(id);
      findings.look(
        committed === promised && incoming === expected
          ? undefined
          : `level ${id} has committed ${String(committed)} and incoming ${String(incoming)}, orders and documents ask for ${String(promised)} and ${String(expected)}`,
      );
    }
  }
  for (const [id, { committed, incoming }] of wanted) {
    if (committed !== 0 || incoming !== 0) findings.look(`${id} is asked for, and has no level`);
  }
  return findings.done();
}

const nothingElse = (): Promise<void> => Promise.resolve();

/** The sum of all claims by level. */
async function claimed(reads: Reads): Promise<Map<string, Omit<Claim, 'itemId' | 'siteId'>>> {
  const sums = new Map<string, Omit<Claim, 'itemId' | 'siteId'>>();
  const add = (each: readonly Claim[]) => {
    for (const claim of each) {
      const id = levelId(claim);
      const { committed = 0, incoming = 0 } = sums.get(id) ?? {};
      sums.set(id, { committed: committed + claim.committed, incoming: incoming + claim.incoming });
    }
  };
  const ofOrders = async (tx: ReadTx, rows: readonly Parameters<typeof orderClaims>[0][]) => {
    const outstanding = rows.filter(({ status }) => isOutstanding(status));
    const where = [{ field: 'orderId', in: outstanding.map(({ id }) => id) }];
    const lines = Map.groupBy((await tx.orderLines.after({ where, limit: ALL })).rows, ({ orderId }) => orderId);
    return outstanding.flatMap((order) => orderClaims(order, lines.get(order.id) ?? []));
  };
  for await (const { seen } of pagesOf(reads, 'orders', ofOrders)) add(seen);
  const ofDocuments = async (tx: ReadTx, rows: readonly Parameters<typeof documentClaims>[0][]) => {
    const submitted = rows.filter(({ status }) => status === 'submitted');
    const where = [{ field: 'documentId', in: submitted.map(({ id }) => id) }];
    const lines = Map.groupBy((await tx.stockDocumentLines.after({ where, limit: ALL })).rows, ({ documentId }) => documentId);
    return submitted.flatMap((document) => documentClaims(document, lines.get(document.id) ?? []));
  };
  for await (const { seen } of pagesOf(reads, 'stockDocuments', ofDocuments)) add(seen);
  return sums;
}

/** Entries count from 1 without gaps, up to the counter. */
export async function ledgerNumbers(reads: Reads): Promise<Finding> {
  const findings = new Findings('ledger numbers');
  let last = 0;
  for await (const { rows } of pagesOf(reads, 'ledger', nothingElse)) {
    for (const { seq } of rows) {
      findings.look(seq === last + 1 ? undefined : `the ledger goes from ${String(last)} to ${String(seq)}`);
      last = seq;
    }
  }
  const { counted, newest } = await reads(async (tx) => ({
    counted: (await tx.counters.get('ledger'))?.value ?? 0,
    newest: (await tx.ledger.after({ orderBy: 'seq', descending: true, limit: 1 })).rows[0]?.seq ?? 0,
  }));
  findings.look(newest === counted ? undefined : `the ledger ends at ${String(newest)}, its counter at ${String(counted)}`);
  return findings.done();
}
