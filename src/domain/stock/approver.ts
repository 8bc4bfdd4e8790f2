/** With `fourEyes`, another than who submitted a document approves it (D-14). */
import type { Context } from '../kernel/context.ts';
import { StockroomError } from '../kernel/errors.ts';
import type { Actor } from '../kernel/tenant.ts';
import { getPrincipal } from '../tenancy/api-keys.ts';
import type { ReadTx } from '../tables.ts';
import type { StockDocumentRecord } from './records.ts';

/** Throws SAME_APPROVER. */
export async function checkApprover(
  tx: ReadTx,
  { tenant, actor }: Context,
  { documentNumber, submittedBy }: StockDocumentRecord,
): Promise<void> {
  if (!tenant.fourEyes || submittedBy === null || !(await isSameActor(tx, actor, submittedBy))) return;
  throw new StockroomError(
    'SAME_APPROVER',
    `${documentNumber} was submitted with the same key, by the same application or by the same user. Approve it with another key or as another user.`,
    { details: { submittedBy } },
  );
}

/** An application gets itself a new key whenever it wants, so its keys are one actor, as are those of a rotation. */
async function isSameActor(tx: ReadTx, a: Actor, b: Actor): Promise<boolean> {
  if (a.type !== b.type) return false;
  if (a.id === b.id) return true;
  if (a.type !== 'api') return false;
  const [one, other] = await tx.apiKeys.getMany([a.id, b.id]);
  return one !== undefined && other !== undefined && getPrincipal(one) === getPrincipal(other);
}
