/**
 * Brings a filled data directory to where a few more writes make a checkpoint due: `node prepare-checkpoint.ts DIRECTORY ROWS`. It
 * updates rows, so that the number of items stays.
 */
import { tables } from '../../src/domain/tables.ts';
import { openFileStore } from '../../src/store/file/index.ts';
import { getJournalLimit } from '../../src/store/file/checkpoint/scheduler.ts';
import { itemRecord } from './catalog-rows.ts';

const [, , directory = '', rows = '0'] = process.argv;
/**
 * Some ten seconds of writing, so that the daemon is one that has been at work, as it always is when a checkpoint comes: in the first seconds
 * after a start every function is compiled and indexes are built beside.
 */
const MARGIN_BYTES = 24 * 1024 * 1024;
const BATCH = 200;

// Not before the daemon opens it.
const store = await openFileStore({ directory, tables, checkpointBytes: Number.MAX_SAFE_INTEGER });
const tenants = await store.read('', (tx) => tx.tenants.listAfter({ limit: 1 }));
const due = () => getJournalLimit(store.getStats().liveBytes) - MARGIN_BYTES;
for (let n = 0; store.getStats().journalBytes < due(); n += BATCH) {
  await store.transact(tenants.rows[0]?.id ?? '', async (tx) => {
    for (let each = n; each < n + BATCH; each += 1) {
      const item = itemRecord(each % Number(rows));
      await tx.items.put({ ...item, purchasePrice: n });
    }
  });
}
// Closing would write the checkpoint; everything is durable already.
process.exit();
