/** A reader of the audit trail that continues from its cursor, as an export to another system does. */
import type { FailoverClient } from '../service/failover-client.ts';

export interface AuditRow {
  readonly id: string;
  readonly resourceId: string;
  readonly createdAt: string;
}

export interface AuditFollower extends AsyncDisposable {
  /** Reads to the end once more and returns everything that it has read. */
  finish(): Promise<readonly AuditRow[]>;
}

const PAGE_SIZE = 50;

/** Follows the trail until it is finished or disposed, and asks each daemon in turn. */
export function startAuditFollower(client: FailoverClient): AuditFollower {
  const rows: AuditRow[] = [];
  let cursor: Cursor | null = null;
  let isEnding = false;
  let turn = 0;
  const follow = async (): Promise<void> => {
    for (let isLast = false; !isLast;) {
      // Once more after the end was requested.
      isLast = isEnding;
      const read = await readAudit(client, cursor, (turn += 1));
      rows.push(...read.rows);
      ({ cursor } = read);
    }
  };
  const following = follow();
  // Its failure is reported where it is awaited.
  following.catch(() => undefined);
  return {
    async finish() {
      isEnding = true;
      await following;
      return rows;
    },
    async [Symbol.asyncDispose]() {
      isEnding = true;
      await following.catch(() => undefined);
    },
  };
}

interface Cursor {
  readonly createdAt: string;
  readonly id: string;
}

/** Reads from a cursor to the end; without a cursor from the beginning. */
export async function readAudit(client: FailoverClient, from: Cursor | null, first = 0) {
  const rows: AuditRow[] = [];
  for (let cursor = from, turn = first; ; turn += 1) {
    const position = cursor === null ? {} : { cursor_created_at: cursor.createdAt, cursor_id: cursor.id };
    const query = new URLSearchParams({ limit: String(PAGE_SIZE), ...position });
    const { status, body } = await client.send('GET', `/v1/audit/events?${query.toString()}`, undefined, turn);
    if (status !== 200) throw new Error(JSON.stringify(body));
    rows.push(...(body.data as AuditRow[]));
    cursor = body.pagination.nextCursor as Cursor | null;
    if (!(body.pagination.hasMore as boolean)) return { rows, cursor };
  }
}
