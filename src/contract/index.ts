/** Collects every operation; nothing else. */
import { itemOperations } from './items.ts';

export const OPERATIONS = [...itemOperations] as const;

export type AnyOperation = (typeof OPERATIONS)[number];
export type OperationId = AnyOperation['id'];
export type OperationById<Id extends OperationId> = Extract<AnyOperation, { id: Id }>;

const byId = new Map<string, AnyOperation>(OPERATIONS.map((op) => [op.id, op]));

/** The operation with this id. */
export const operationById = <Id extends OperationId>(id: Id): OperationById<Id> => byId.get(id) as OperationById<Id>;
