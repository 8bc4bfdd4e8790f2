/** Sends one row of an import: creates its record, or with `--upsert` changes what differs in the existing one. */
import type { ApiError } from '../../client/errors.ts';
import { toRequest } from '../../client/request.ts';
import { IDEMPOTENT_REPLAYED } from '../../contract/headers.ts';
import { parseLosslessJson } from '../input/lossless-json.ts';
import type { ExistingRecord, ExistingRecords } from './existing-records.ts';
import type { KeyedRow } from './row-keys.ts';
import { type BulkResource, ID, type Row } from './rows.ts';
import { type Outcome, type SendRequest, isRowError } from './send.ts';

/** A row that was not sent. `error` has the form of an error of the service. */
interface Skipped {
  readonly kind: 'skipped';
  readonly error: { readonly code: string; readonly message: string };
}

export type RowOutcome = Outcome | Skipped;

interface SendRowOptions {
  readonly resource: BulkResource;
  /** The field of `--upsert`. */
  readonly upsert: string | undefined;
  readonly request: SendRequest;
  /** The records that may be updated. */
  readonly existing: ExistingRecords | undefined;
}

type RowPlan =
  | { readonly kind: 'create' | 'unchanged' }
  /** `changed`: the fields that differ. */
  | { readonly kind: 'update'; readonly record: ExistingRecord; readonly changed: readonly string[] }
  | Skipped;

/** Finds out what a row changes, without changing it. */
export async function planRow({ key, value }: Row, { resource, upsert = '', request, existing }: SendRowOptions): Promise<RowPlan> {
  if (key === undefined || existing === undefined) return { kind: 'create' };
  const [record, ...others] = await existing.find(key, request);
  if (record && others.length > 0) return skip('CONFLICT', `several ${resource.noun}s have the ${upsert} "${key}"`);
  if (!record && upsert === ID) return skip('NOT_FOUND', `there is no ${resource.noun} with the id ${key}; omit the id to create one`);
  if (!record) return { kind: 'create' };
  const changed = Object.keys(value).filter((field) => !record.isEqual(field, value[field]));
  return changed.length === 0 ? { kind: 'unchanged' } : { kind: 'update', record, changed };
}

export async function sendRow(row: KeyedRow, options: SendRowOptions): Promise<RowOutcome> {
  try {
    const plan = await planRow(row, options);
    switch (plan.kind) {
      case 'create':
        return await createRecord(row, options);
      case 'update':
        return await updateRecord(row, plan.record, plan.changed, options);
      case 'unchanged':
        return { kind: 'unchanged' };
      case 'skipped':
        return plan;
    }
  } catch (error) {
    if (!isRowError(error)) throw error;
    return { kind: 'refused', error };
  }
}

const skip = (code: string, message: string): Skipped => ({ kind: 'skipped', error: { code, message } });

async function createRecord(row: KeyedRow, options: SendRowOptions): Promise<Outcome> {
  const { resource, upsert, request } = options;
  const { body, idempotencyKey } = row;
  try {
    const { headers } = await request((client) => client.send({ ...toRequest(resource.create), body }, { idempotencyKey }));
    return toOutcome(headers, 'created');
  } catch (error) {
    // The key was sent with another spelling of the same values, such as an empty column more.
    if (isRowError(error) && error.code === 'CONFLICT') return { kind: 'repeated' };
    const existingId = isRowError(error) && upsert !== undefined ? findDuplicateId(error, upsert) : undefined;
    if (existingId === undefined) throw error;
    // Created since the records were read.
    return sendUpdate(existingId, body, `${idempotencyKey}-update`, options);
  }
}

const findDuplicateId = ({ code, details }: ApiError, field: string): string | undefined => {
  const id = code === 'DUPLICATE_VALUE' && details?.['field'] === field ? details['existingId'] : undefined;
  return typeof id === 'string' ? id : undefined;
};

/** Sends the fields that differ. */
async function updateRecord(row: KeyedRow, record: ExistingRecord, changed: readonly string[], options: SendRowOptions): Promise<Outcome> {
  const fields = Object.entries(parseLosslessJson(row.body) as Readonly<Record<string, unknown>>);
  const body = JSON.stringify(Object.fromEntries(fields.filter(([field]) => changed.includes(field))));
  // A later import of the same file changes the record again if it was changed since.
  return sendUpdate(record.id, body, `${row.idempotencyKey}-${record.version}`, options);
}

async function sendUpdate(id: string, body: string, idempotencyKey: string, { resource, request }: SendRowOptions): Promise<Outcome> {
  const { update } = resource;
  const [param = ''] = Object.keys(update.params?.properties ?? {});
  const { path } = toRequest(update, { params: { [param]: id } });
  const { headers } = await request((client) => client.send({ method: update.method, path, body }, { idempotencyKey }));
  return toOutcome(headers, 'updated');
}

const toOutcome = (headers: Readonly<Record<string, string | undefined>>, kind: 'created' | 'updated'): Outcome => ({
  kind: headers[IDEMPOTENT_REPLAYED] === 'true' ? 'repeated' : kind,
});
