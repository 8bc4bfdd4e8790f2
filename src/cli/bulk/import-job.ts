/** An import: its file, its checkpoint, its file for rejected rows, and how its rows are read. */
import { usageError } from '../errors/failure.ts';
import { fromSafeText } from '../output/formats.ts';
import type { ApiContext } from '../session/api-session.ts';
import { type BulkResource, listMappedFields } from './bulk-resource.ts';
import { readCheckpoint } from './files/checkpoint.ts';
import { getDefaultPath, openRejectedRows } from './files/rejected-rows.ts';
import { openSource, toSource } from './files/source.ts';
import { spoolStdin } from './files/stdin-spool.ts';
import { decodeText } from './files/text-decoder.ts';
import { isWorkbook, spoolWorkbook } from './files/xlsx.ts';
import { type ColumnPlan, parseMap } from './rows/column-mapping.ts';
import { BULK_FORMATS, type BulkFormat, type FileRecord, type Header, detectFormat, parseCsv, parseNdjson } from './rows/records.ts';
import { createReferences } from './rows/references.ts';
import { type Row, type RowOptions, parseRows } from './rows/rows.ts';

export type ImportContext = Pick<ApiContext, 'output' | 'session' | 'command'>;

interface ImportInput {
  readonly file: string;
  readonly format?: BulkFormat | undefined;
  readonly map?: readonly string[] | undefined;
  readonly resume: boolean;
  readonly 'skip-invalid': boolean;
  readonly 'dry-run': boolean;
  readonly fresh: boolean;
  readonly errors?: string | undefined;
  readonly concurrency: number;
  readonly encoding?: string | undefined;
  readonly delimiter?: string | undefined;
  readonly decimal?: ',' | '.' | undefined;
  readonly post?: boolean | undefined;
  readonly upsert?: string | undefined;
  readonly maxWait: number | undefined;
}

export type ImportJob = Awaited<ReturnType<typeof openImport>>;

/** Opens the file, the checkpoint and the file for rejected rows. Nothing is written before the rows are checked. */
export async function openImport(context: ImportContext, resource: BulkResource, input: ImportInput) {
  const isStdin = input.file === '-';
  if (isStdin && input.resume) throw usageError('--resume requires a file; stdin cannot be read again');
  if (isWorkbook(input.file) && input.resume) throw usageError('--resume requires a CSV or NDJSON file');
  const spool = isStdin ? await spoolStdin() : isWorkbook(input.file) ? await spoolWorkbook(input.file) : undefined;
  const source = spool ? await toSource(spool.file, isStdin ? 'stdin' : input.file) : await openSource(input.file);
  const close = async (): Promise<void> => {
    await source.close();
    spool?.remove();
  };
  try {
    const map = parseMap(input.map ?? [], listMappedFields(resource, input.upsert));
    const format = input.format ?? spool?.format ?? detectFormat(source.path);
    if (format === undefined) throw usageError(`Unknown format of ${source.path}`, `Pass --format ${BULK_FORMATS.join(' or --format ')}`);
    const { isCsvSafe } = context.output;
    if (isCsvSafe && format !== 'csv') throw usageError('--csv-safe requires --format csv');
    const { validateBody } = await import('../../contract/schema/field-problems.ts');
    const rows: RowOptions = {
      resource,
      map,
      upsert: input.upsert,
      references: createReferences(context.session),
      decimal: input.decimal,
      check: (body, isUpdate) => validateBody((isUpdate && resource.upsert ? resource.upsert.update : resource.create).body, body),
    };
    const options = [resource.noun, [...map], input.upsert, format, input.encoding, input.delimiter];
    const more = [
      ...(isCsvSafe ? ['csv-safe'] : []),
      ...(input.decimal === undefined ? [] : [input.decimal]),
      ...(input.post ? ['post'] : []),
    ];
    /** Identifies flags, format and destination, which asks the service; must match on --resume. */
    const readFingerprint = async () => JSON.stringify([...options, ...more, ...(await context.session.readDestination())]);
    // Stdin cannot be read again.
    const checkpointPath = spool ? undefined : `${source.path}.checkpoint`;
    /** The checkpoint of this file, whether it is resumed or not. */
    const earlier = checkpointPath === undefined ? undefined : readCheckpoint(checkpointPath, input.resume);
    if (input.resume && !earlier) context.output.printNote(`No checkpoint ${checkpointPath ?? ''}; starting with the first row`);
    /** The checkpoint that is continued. */
    const saved = input.resume ? earlier : undefined;
    if (saved && saved.question !== (await readFingerprint()))
      throw usageError(
        `${checkpointPath ?? ''} belongs to an import with other flags, or into another service or tenant`,
        'Use the same flags and profile, or omit --resume',
      );
    const rejected = openRejectedRows(saved?.errors ?? input.errors ?? getDefaultPath(input.file), saved?.errorsBytes);
    /** The records in messages, such as `items`. */
    const plural = `${resource.noun}s`;
    return { context, input, resource, plural, source, format, rows, checkpointPath, readFingerprint, earlier, saved, rejected, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Reads the rows of the file from its bytes. `onPlan` is called when the header was read. */
export function readRows(
  { context, input, source, format, rows }: ImportJob,
  bytes: AsyncIterable<Buffer>,
  onPlan: (plan: ColumnPlan) => void = () => undefined,
): AsyncGenerator<Row> {
  const text = decodeText(bytes, source.path, input.encoding);
  const records = format === 'csv' ? parseCsv(text, input.delimiter) : parseNdjson(text);
  return parseRows(context.output.isCsvSafe ? removeMarks(records) : records, { ...rows, onPlan });
}

/** Undoes what `--csv-safe` of an export has done. */
async function* removeMarks(records: AsyncIterable<Header | FileRecord>): AsyncGenerator<Header | FileRecord> {
  for await (const record of records)
    yield 'cells' in record && record.cells ? { ...record, cells: record.cells.map(fromSafeText) } : record;
}
