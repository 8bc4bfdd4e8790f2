/** Dry runs of new records by the service, where it has them: what it would reject, and what posting stock documents would change. */
import type { Client, Reply } from '../../client/client.ts';
import { toRequest } from '../../client/request.ts';
import { getDocument, roundSum, toEffectRows } from '../stock/document-output.ts';
import type { BulkResource } from './bulk-resource.ts';
import type { Row } from './rows/rows.ts';
import { toParams } from './send-row.ts';

/** Number of effects that are shown. */
const EFFECTS_SHOWN = 50;

export const hasDryRun = ({ create }: BulkResource): boolean => create.query?.properties['dry_run'] !== undefined;

export const sendDryRun = (client: Client, resource: BulkResource, row: Row): Promise<Reply> =>
  client.send({ ...toRequest(resource.create, { params: toParams(row, resource), query: { dry_run: true } }), body: row.body });

/** What posting the documents of an import would change. */
export interface Effects {
  /** The first levels that would change. */
  readonly rows: ReturnType<typeof toEffectRows>;
  /** Number of levels that would change. */
  readonly count: number;
  readonly postedValue: number;
}

export function collectEffects(): Effects & { readonly add: (reply: Reply) => void } {
  const rows: Effects['rows'][number][] = [];
  const sums = { count: 0, value: 0 };
  return {
    rows,
    get count() {
      return sums.count;
    },
    get postedValue() {
      return roundSum(sums.value);
    },
    add(reply) {
      const effects = toEffectRows(getDocument(reply));
      rows.push(...effects.slice(0, EFFECTS_SHOWN - rows.length));
      sums.count += effects.length;
      sums.value += effects.reduce((sum, { postedValue }) => sum + (postedValue ?? 0), 0);
    },
  };
}
