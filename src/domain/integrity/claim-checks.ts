/** Checks that committed and incoming stock match outstanding orders and submitted documents, and that the ledger has no gaps (D-25). */
import { type TenantReader, type TableName, readPages } from './table-walk.ts';
import { type Finding, Findings } from './findings.ts';
import { isOutstanding } from '../../contract/resources/orders.ts';
import { type Claim, listDocumentClaims } from '../stock/claims.ts';
import { listOrderClaims } from '../fulfilment/order-claims.ts';
import { toLevelId } from '../stock/levels.ts';
import type { ReadTx } from '../tables.ts';

const NO_LIMIT = Number.MAX_SAFE_INTEGER;
const SOURCE_TABLES: readonly TableName[] = ['orders', 'orderLines', 'stockDocuments', 'stockDocumentLines', 'stockLevels'];
const MAX_ATTEMPTS = 3;

/** Compares again while orders, documents or levels change during the comparison; the last attempt is one read that blocks writes. */
export async function checkClaims(read: TenantReader): Promise<Finding> {
  const readRevisions = () => read((tx) => Promise.all(SOURCE_TABLES.map((table) => tx[table].getRevision())));
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const before = await readRevisions();
    const finding = await compareClaims(read);
    const after = await readRevisions();
    if (after.every((revision, at) => revision === before[at])) return finding;
  }
  return read((tx) => compareClaims((work) => work(tx)));
}

const NAME = 'committed and incoming';

async function compareClaims(read: TenantReader): Promise<Finding> {
  const findings = new Findings(NAME);
  const expectedClaims = await sumClaims(read);
  for await (const { rows } of readPages(read, 'stockLevels', readNothing)) {
    for (const { id, committed, incoming } of rows) {
      const { committed: expectedCommitted, incoming: expectedIncoming } = expectedClaims.get(id) ?? { committed: 0, incoming: 0 };
      expectedClaims.delete(id);
      findings.record(
        committed === expectedCommitted && incoming === expectedIncoming
          ? undefined
          : `level ${id} has committed ${String(committed)} and incoming ${String(incoming)}, expected ${String(expectedCommitted)} and ${String(expectedIncoming)} from orders and documents`,
      );
    }
  }
  for (const [id, { committed, incoming }] of expectedClaims) {
    if (committed !== 0 || incoming !== 0) findings.record(`orders or documents claim stock of ${id}, which has no level`);
  }
  return findings.toFinding();
}

const readNothing = (): Promise<void> => Promise.resolve();

/** The sums of all claims by level id. */
async function sumClaims(read: TenantReader): Promise<Map<string, Omit<Claim, 'itemId' | 'siteId'>>> {
  const sums = new Map<string, Omit<Claim, 'itemId' | 'siteId'>>();
  const add = (claims: readonly Claim[]) => {
    for (const claim of claims) {
      const id = toLevelId(claim);
      const { committed = 0, incoming = 0 } = sums.get(id) ?? {};
      sums.set(id, { committed: committed + claim.committed, incoming: incoming + claim.incoming });
    }
  };
  const readOrderClaims = async (tx: ReadTx, rows: readonly Parameters<typeof listOrderClaims>[0][]) => {
    const outstanding = rows.filter(({ status }) => isOutstanding(status));
    const where = [{ field: 'orderId', in: outstanding.map(({ id }) => id) }];
    const lines = Map.groupBy((await tx.orderLines.listAfter({ where, limit: NO_LIMIT })).rows, ({ orderId }) => orderId);
    return outstanding.flatMap((order) => listOrderClaims(order, lines.get(order.id) ?? []));
  };
  for await (const { result } of readPages(read, 'orders', readOrderClaims)) add(result);
  const readDocumentClaims = async (tx: ReadTx, rows: readonly Parameters<typeof listDocumentClaims>[0][]) => {
    const submitted = rows.filter(({ status }) => status === 'submitted');
    const where = [{ field: 'documentId', in: submitted.map(({ id }) => id) }];
    const lines = Map.groupBy((await tx.stockDocumentLines.listAfter({ where, limit: NO_LIMIT })).rows, ({ documentId }) => documentId);
    return submitted.flatMap((document) => listDocumentClaims(document, lines.get(document.id) ?? []));
  };
  for await (const { result } of readPages(read, 'stockDocuments', readDocumentClaims)) add(result);
  return sums;
}

/** Checks that ledger entries are numbered from 1 up to their counter without gaps. */
export async function checkLedgerNumbers(read: TenantReader): Promise<Finding> {
  const findings = new Findings('ledger numbers');
  let last = 0;
  for await (const { rows } of readPages(read, 'ledger', readNothing)) {
    for (const { seq } of rows) {
      findings.record(seq === last + 1 ? undefined : `ledger entry ${String(last)} is followed by ${String(seq)}`);
      last = seq;
    }
  }
  const { counter, newest } = await read(async (tx) => ({
    counter: (await tx.counters.get('ledger'))?.value ?? 0,
    newest: (await tx.ledger.listAfter({ orderBy: 'seq', descending: true, limit: 1 })).rows[0]?.seq ?? 0,
  }));
  findings.record(newest === counter ? undefined : `the newest ledger entry is ${String(newest)}, its counter is ${String(counter)}`);
  return findings.toFinding();
}
