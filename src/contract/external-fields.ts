/** What other systems attach to a record: its id there, and data of their own. Extensions. D-19. */
import { EXTERNAL_ID_MAX_CHARS, METADATA_KEYS_MAX, METADATA_KEY_MAX_CHARS, METADATA_VALUE_MAX_CHARS } from './limits.ts';
import { extension } from './operation.ts';
import { t } from './schema/builder.ts';

const metadata = () => t.map(t.multiline(METADATA_VALUE_MAX_CHARS), { maxKeys: METADATA_KEYS_MAX, maxKeyChars: METADATA_KEY_MAX_CHARS });

/** The fields of a request body. */
export const externalFields = () => ({
  externalId: t.optional(
    extension(
      t.nullable(t.lineOrEmpty(EXTERNAL_ID_MAX_CHARS)),
      'Id of the record in another system. Unique among the records of this kind, and compared exactly.',
    ),
  ),
  metadata: t.optional(extension(t.nullable(metadata()), 'Data of your own: texts by key. Replaces what is stored; null removes it.')),
});

/** The same in responses. */
export const returnedExternalFields = () => ({
  externalId: t.optional(extension(t.string(), 'Id of the record in another system, if it has one.')),
  metadata: t.optional(extension(t.map(t.string()), 'Data of your own, if there is any.')),
});

/** The filter of a list. */
export const externalIdFilter = () =>
  t.optional(extension(t.csv(t.string({ max: EXTERNAL_ID_MAX_CHARS })), 'Only records with these external ids, joined by commas.'));

/** The path parameter of operations that create or update a record by its external id. */
export const externalIdParams = () =>
  t.object({ external_id: t.annotate(t.line(EXTERNAL_ID_MAX_CHARS), { description: 'Id of the record in another system.' }) });

/** The fields of a body whose external id is in the path. */
export function omitExternalId<P extends { readonly externalId: unknown }>(properties: P): Omit<P, 'externalId'> {
  const { externalId: _, ...rest } = properties;
  return rest;
}
