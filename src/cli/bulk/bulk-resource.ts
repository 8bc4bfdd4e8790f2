/** What an import needs to know about a kind of record. */
import type { Operation } from '../../contract/operation.ts';
import type { AnySchema, ObjectSpec } from '../../contract/schema/builder.ts';
import { LINE_PREFIX } from './rows/column-mapping.ts';
import type { PostRecord } from './post-document.ts';

/** A resource that can be imported. */
export interface BulkResource {
  /** Singular: `item`. */
  readonly noun: string;
  readonly create: Operation & { readonly body: ObjectSpec };
  /** How `--upsert` finds and changes records; absent if they are only created. */
  readonly upsert?: Upsert;
  readonly list: Operation;
  /** The schema of one record. */
  readonly record: AnySchema;
  /** Fields with unique values, ignoring case. */
  readonly unique: readonly string[];
  /** The record that all are part of: the column that names it, and its parameter in the path. */
  readonly parent?: { readonly field: string; readonly param: string; readonly schema: AnySchema };
  /** Fields with the same value in all records. */
  readonly preset?: Readonly<Record<string, unknown>>;
  /** Rows are the lines of records. */
  readonly lines?: LineRows;
  /** With `--post`: completes a new record. */
  readonly post?: PostRecord;
}

export interface Upsert {
  readonly update: Operation & { readonly body: ObjectSpec };
  /** Absent for records with a parent, whose list has all of them. */
  readonly get?: Operation;
  /** The fields that identify a record, besides the id. */
  readonly keys: readonly UpsertKey[];
}

export interface UpsertKey {
  readonly field: string;
  /** The term for it. */
  readonly term: string;
  /** As values of the flag write it, if not like the field. */
  readonly flag?: string;
}

/** With `--upsert external-id`; the service compares it exactly. */
export const EXTERNAL_ID: UpsertKey = { field: 'externalId', term: 'external id', flag: 'external-id' };

/** The form of a value in which equal ones are the same record: unique values ignore case, except external ids. */
export const normalizeKey = (field: string, value: string): string =>
  field === EXTERNAL_ID.field ? value.trim() : value.trim().normalize('NFC').toLowerCase();

export interface LineRows {
  readonly linesMax: number;
  /** Whether a record with more lines becomes several. */
  readonly isSplit: boolean;
  /** Rows without this field of the line are skipped. */
  readonly skippedWithout?: string;
}

export interface RowProblem {
  readonly line: number;
  readonly column: string;
  /** The field of a name that was not found. Undefined if the cells have no columns, or if the service or the validation reports it. */
  readonly field?: string;
  readonly message: string;
}

/** Identifies a record with `--upsert id`; never a field of a body. */
export const ID = 'id';

/** The value of `--upsert` for a field. */
export const getUpsertFlag = ({ upsert }: BulkResource, field: string): string =>
  upsert?.keys.find((key) => key.field === field)?.flag ?? field;

/** The schema of a line. */
export const getLineSchema = ({ create, lines }: Pick<BulkResource, 'create' | 'lines'>): ObjectSpec | undefined => {
  const schema = lines && create.body.properties['lines'];
  return schema?.kind === 'array' && schema.items.kind === 'object' ? schema.items : undefined;
};

/** The fields that columns can have: those of a new record and its lines, the parent, and with `--upsert id` the id. */
export function listMappedFields(resource: BulkResource, upsert: string | undefined): ObjectSpec {
  const { create, parent, preset = {} } = resource;
  const line = getLineSchema(resource);
  const own = Object.entries(create.body.properties).filter(([name]) => !(name in preset) && !(line && name === 'lines'));
  return {
    kind: 'object',
    properties: {
      ...(upsert === ID ? { [ID]: { kind: 'string', format: 'uuid', nullable: true } } : {}),
      ...(parent ? { [parent.field]: parent.schema } : {}),
      ...Object.fromEntries(own),
      ...Object.fromEntries(Object.entries(line?.properties ?? {}).map(([name, schema]) => [LINE_PREFIX + name, schema])),
    },
  };
}
