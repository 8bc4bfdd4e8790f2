/** Dry runs of new records by the service, where it has them: what it would reject, and what posting stock documents would change. */
import type { Client, Reply } from '../../client/client.ts';
import { toRequest } from '../../client/request.ts';
import { roundSum } from '../output/numbers.ts';
import { getDocument, toEffectRows } from '../stock/document-output.ts';
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
  readonly rows: ReturnType<typeof toEffectRows>[number][];
  /** Number of levels that would change. */
  count: number;
  postedValue: number;
}

/** Adds those of a document. `reply`: to its dry run. */
export function addEffects(effects: Effects, reply: Reply): void {
  const added = toEffectRows(getDocument(reply));
  effects.rows.push(...added.slice(0, EFFECTS_SHOWN - effects.rows.length));
  effects.count += added.length;
  effects.postedValue = added.reduce((sum, { postedValue }) => roundSum(sum + (postedValue ?? 0)), effects.postedValue);
}
