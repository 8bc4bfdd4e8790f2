/** Sends one row of an import: creates its record, or with `--upsert` changes what differs in the existing one. */
import type { ApiError } from '../../client/errors.ts';
import { toRequest } from '../../client/request.ts';
import { IDEMPOTENT_REPLAYED } from '../../contract/headers.ts';
import { parseLosslessJson } from '../lossless-json.ts';
import type { ExistingRecord, FindExisting } from './existing-records.ts';
import { type Outcome, type PostRecord, getDocumentNumber } from './post-document.ts';
import { type Rejection, rejectInvalid, rejectRefused, rejectSkipped } from './rejection.ts';
import type { KeyedRow } from './rows/row-keys.ts';
import { type BulkResource, ID } from './bulk-resource.ts';
import type { Row } from './rows/rows.ts';
import { type SendRequest, isRowError } from './send.ts';

/** `refused`: the row was not sent, or the service rejected it, but no other. */
type RowOutcome = Outcome | { readonly kind: 'refused'; readonly rejection: Rejection };

interface SendRowOptions {
  readonly resource: BulkResource;
  /** The field of `--upsert`. */
  readonly upsert: string | undefined;
  readonly request: SendRequest;
  readonly findExisting: FindExisting | undefined;
  /** Completes a new record; if that fails, none is left. */
  readonly post?: PostRecord | undefined;
}

export type RowPlan =
  | { readonly kind: 'create' | 'unchanged' }
  /** `changed`: the fields that differ. `ids`: the fields whose name was edited, with the id of the record that it names. */
  | {
      readonly kind: 'update';
      readonly record: ExistingRecord;
      readonly changed: readonly string[];
      readonly ids: Readonly<Record<string, string | null>>;
    }
  | { readonly kind: 'skipped'; readonly rejection: Rejection };

/** Finds out what a row changes, without changing it. */
export async function planRow(row: Row, { resource, upsert = '', request, findExisting }: SendRowOptions): Promise<RowPlan> {
  const { key, value, parent, renamed, missing } = row;
  if (key === undefined || findExisting === undefined) return { kind: 'create' };
  const skip = (code: string, message: string): RowPlan => ({ kind: 'skipped', rejection: rejectSkipped(row, code, message) });
  const [record, ...others] = await findExisting({ key, parent }, request);
  if (record && others.length > 0) return skip('CONFLICT', `several ${resource.noun}s have the ${upsert} "${key}"`);
  if (!record && upsert === ID) return skip('NOT_FOUND', `there is no ${resource.noun} with the id ${key}; omit the id to create one`);
  const ids: Record<string, string | null> = {};
  for (const [field, { column, text, id }] of Object.entries(renamed)) {
    const edited = record && findEdited(record, row, field);
    if (edited === undefined)
      return skip('VALIDATION_FAILED', `${column} "${text}" is another record than that of ${field}; leave one of them empty`);
    if (edited === 'name') ids[field] = id;
  }
  if (!record && missing.length > 0)
    return skip(
      'VALIDATION_FAILED',
      `no ${resource.noun} has the ${getTerm(resource, upsert)} "${row.names?.[upsert]?.text ?? key}", so it would be created: ${formatRequired(missing)}`,
    );
  if (!record) return { kind: 'create' };
  const changed = Object.keys(value).filter((field) => !record.isEqual(field, field in ids ? ids[field] : value[field]));
  return changed.length === 0 ? { kind: 'unchanged' } : { kind: 'update', record, changed, ids };
}

const getTerm = ({ upsert }: BulkResource, field: string): string => upsert?.keys.find((key) => key.field === field)?.term ?? field;

const formatRequired = (fields: readonly string[]): string => `${fields.join(' and ')} ${fields.length === 1 ? 'is' : 'are'} required`;

/** Whether the name or the id of a reference was edited, if both differ: the one that the record did not have. */
function findEdited(record: ExistingRecord, { renamed, updatedAt, value }: Row, field: string): 'name' | 'id' | undefined {
  if (record.isEqual(field, value[field])) return 'name';
  if (!record.isEqual(field, renamed[field]?.id) || updatedAt === undefined) return undefined;
  // If the record has changed since the export, it may be because of an earlier import of this file.
  return record.isEqual('updatedAt', updatedAt) ? 'id' : 'name';
}

export async function sendRow(row: KeyedRow, options: SendRowOptions): Promise<RowOutcome> {
  if (row.problems.length > 0) return { kind: 'refused', rejection: rejectInvalid(row) };
  try {
    const plan = await planRow(row, options);
    switch (plan.kind) {
      case 'create':
        return await createRecord(row, options);
      case 'update':
        return await updateRecord(row, plan, options);
      case 'unchanged':
        return { kind: 'unchanged' };
      case 'skipped':
        return { kind: 'refused', rejection: plan.rejection };
    }
  } catch (error) {
    if (!isRowError(error)) throw error;
    // Without --upsert, records that exist are not changed.
    return { kind: 'refused', rejection: rejectRefused(row, error, options.upsert === undefined ? options.resource : undefined) };
  }
}

async function createRecord(row: KeyedRow, options: SendRowOptions): Promise<Outcome> {
  const { resource, upsert, request, post } = options;
  const { body, idempotencyKey } = row;
  try {
    const target = toRequest(resource.create, { params: toParams(row, resource) });
    for (let attempt = 1; ; attempt += 1) {
      const key = attempt === 1 ? idempotencyKey : `${idempotencyKey}-${String(attempt)}`;
      const reply = await request((client) => client.send({ ...target, body }, { idempotencyKey: key }));
      const outcome = post ? await post(reply, key, request) : toOutcome(reply.headers, 'created', getDocumentNumber(reply));
      if (outcome) return outcome;
    }
  } catch (error) {
    // The key was sent with another spelling of the same values, such as an empty column more.
    if (isRowError(error) && error.code === 'CONFLICT') return { kind: 'repeated' };
    const existingId = isRowError(error) && upsert !== undefined ? findDuplicateId(error, upsert) : undefined;
    if (existingId === undefined) throw error;
    // Created since the records were read.
    return sendUpdate(existingId, row, { body, idempotencyKey: `${idempotencyKey}-update` }, options);
  }
}

/** The parameters in the path of the record that the record of the row is part of. */
export const toParams = ({ parent }: Row, resource: BulkResource): Readonly<Record<string, string>> =>
  resource.parent && parent !== undefined ? { [resource.parent.param]: parent } : {};

const findDuplicateId = ({ code, details }: ApiError, field: string): string | undefined => {
  const id = code === 'DUPLICATE_VALUE' && details?.['field'] === field ? details['existingId'] : undefined;
  return typeof id === 'string' ? id : undefined;
};

/** Sends the fields that differ. */
async function updateRecord(row: KeyedRow, plan: Extract<RowPlan, { kind: 'update' }>, options: SendRowOptions): Promise<Outcome> {
  const { record, changed, ids } = plan;
  const fields = Object.entries(parseLosslessJson(row.body) as Readonly<Record<string, unknown>>);
  const body = JSON.stringify({ ...Object.fromEntries(fields.filter(([field]) => changed.includes(field))), ...ids });
  // A later import of the same file changes the record again if it was changed since.
  return sendUpdate(record.id, row, { body, idempotencyKey: `${row.idempotencyKey}-${record.version}` }, options);
}

async function sendUpdate(
  id: string,
  row: Row,
  { body, idempotencyKey }: { readonly body: string; readonly idempotencyKey: string },
  options: SendRowOptions,
): Promise<Outcome> {
  const update = options.resource.upsert?.update;
  if (!update) throw new TypeError('only records that can be updated are');
  const param = Object.keys(update.params?.properties ?? {}).at(-1) ?? '';
  const { path } = toRequest(update, { params: { ...toParams(row, options.resource), [param]: id } });
  const { headers } = await options.request((client) => client.send({ method: update.method, path, body }, { idempotencyKey }));
  return toOutcome(headers, 'updated');
}

const toOutcome = (headers: Readonly<Record<string, string | undefined>>, kind: 'created' | 'updated', document?: string): Outcome => {
  if (headers[IDEMPOTENT_REPLAYED] === 'true') return { kind: 'repeated' };
  return kind === 'created' ? { kind, document } : { kind };
};
