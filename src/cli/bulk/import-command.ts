/** Commands that import records from a file. `import-phases.ts` has the work, `import-report.ts` the messages. */
import { Args, type Command, Flags } from '@oclif/core';
import { IDEMPOTENCY_VALIDITY_H } from '../../contract/limits.ts';
import { formatAlternatives } from '../../contract/schema/record-kinds.ts';
import { defineCommand } from '../command/define-command.ts';
import { preferSmallHeap } from '../heap-limits.ts';
import { repeatable } from '../input/common-flags.ts';
import { integerFlag } from '../input/integer-flag.ts';
import { apiAccess } from '../session/api-session.ts';
import { openImport } from './import-job.ts';
import { checkFile, planImport, sendImport } from './import-phases.ts';
import { hasDryRun } from './dry-run.ts';
import { reportEnd } from './import-report.ts';
import { BULK_FORMATS } from './rows/records.ts';
import { isWorkbook } from './files/xlsx.ts';
import { type BulkResource, ID } from './bulk-resource.ts';

const CONCURRENCY = 32;
const CONCURRENCY_MAX = 128;

const importFlags = {
  format: Flags.option({ options: BULK_FORMATS, description: 'File format. Default: by the extension of FILE.' })(),
  map: Flags.string({
    helpValue: 'COLUMN=FIELD',
    ...repeatable,
    description:
      'Field of a column, or a name such as category.name; COLUMN= ignores the column. Default: the field with the same name. Repeatable.',
  }),
  resume: Flags.boolean({ description: 'Continue an interrupted import of this file.' }),
  'skip-invalid': Flags.boolean({ description: 'Import valid rows even if others are invalid. Default: send none.' }),
  fresh: Flags.boolean({
    description: `Import rows again that were imported, from any file, in the last ${String(IDEMPOTENCY_VALIDITY_H)} hours. Default: skip them.`,
    exclusive: ['resume'],
  }),
  errors: Flags.string({
    helpValue: 'FILE',
    description:
      'File for rejected rows and their errors; an earlier one is kept as FILE.bak. Default: items.errors.ndjson for items.csv, in the working directory.',
  }),
  concurrency: integerFlag({
    helpValue: 'N',
    min: 1,
    max: CONCURRENCY_MAX,
    default: CONCURRENCY,
    description: 'Number of concurrent requests.',
  }),
  encoding: Flags.string({
    helpValue: 'NAME',
    description: 'Encoding of the file, such as windows-1252. Default: UTF-8, or UTF-16 with a byte order mark.',
  }),
  decimal: Flags.option({
    options: [',', '.'] as const,
    description:
      'Decimal separator of numbers. Default: a point; in files with semicolons also a comma, and 1.249 is rejected as ambiguous.',
  })(),
  delimiter: Flags.string({ helpValue: 'CHAR', description: 'CSV delimiter, or "tab". Default: detected from the header line.' }),
};

/** The command that imports a kind of record. */
export const importCommand = (resource: BulkResource, examples: readonly string[], summary?: string): typeof Command =>
  defineCommand({
    access: apiAccess,
    summary: summary ?? `Import ${resource.noun}s from a CSV, NDJSON or XLSX file`,
    description: describeImport(resource),
    args: {
      file: Args.string({ required: true, description: 'CSV file with a header line, NDJSON file, .xlsx workbook, or - for stdin.' }),
    },
    flags: listFlags(resource),
    examples,
    async run(context) {
      const { args, flags } = context;
      if (!isWorkbook(args.file)) preferSmallHeap();
      const key = resource.upsert?.keys.find(({ flag }) => flag === flags.upsert && flag !== undefined);
      const upsert = key?.field ?? flags.upsert;
      const job = await openImport(context, resource, { ...flags, upsert, file: args.file, maxWait: flags['max-wait'] });
      try {
        const checked = await checkFile(job);
        await reportEnd(job, flags['dry-run'] ? await planImport(job, checked) : await sendImport(job, checked));
      } finally {
        await job.close();
      }
    },
  });

/** Only records that can be updated have --upsert, and only those that can be posted --post. */
function listFlags(resource: BulkResource) {
  const { noun, parent } = resource;
  const keys = [...(parent ? [] : [{ field: ID, term: ID, flag: ID }]), ...(resource.upsert?.keys ?? [])];
  const { upsert, post, ...others } = {
    ...importFlags,
    'dry-run': Flags.boolean({ description: describeDryRun(resource), exclusive: ['resume'] }),
    upsert: Flags.option({
      options: keys.map(({ field, flag }) => flag ?? field),
      description: `Update existing ${noun}s with the same ${formatAlternatives(keys.map(({ term }) => term))}; empty cells clear fields. Rows equal to their ${noun} are not sent.${parent ? '' : ` With id, rows without an id create ${noun}s.`}`,
    })(),
    post: Flags.boolean({ description: 'Post each document; one that cannot be posted is removed. Default: leave drafts.' }),
  };
  const flags = { ...others, ...(resource.upsert && { upsert }), ...(resource.post && { post }) };
  // A flag that is missing has no value, as one that was not given.
  return flags as typeof others & { readonly upsert: typeof upsert; readonly post: typeof post };
}

/** Only a request that is sent shows whether its row was imported before. */
function describeDryRun(resource: BulkResource): string {
  const counted = 'Rows that were imported before count as new.';
  if (resource.post) return `Show what posting the documents would change, without creating any. ${counted}`;
  if (hasDryRun(resource)) return `Validate all rows, also by dry runs of the service, without creating anything. ${counted}`;
  return `Validate all rows without sending any${resource.upsert ? '; with --upsert, count what would change.' : `. ${counted}`}`;
}

function describeImport({ lines, noun }: BulkResource): string {
  const shape = lines
    ? `Rows are lines of new ${noun}s: those with the same values in the other columns are one ${noun}. Columns`
    : 'Columns';
  return `${shape} may name records (item.sku, category.name, unit); all rows are validated before the first is sent, rejected ones are written to a file (--errors), and those imported in the last 24 hours are skipped.`;
}
