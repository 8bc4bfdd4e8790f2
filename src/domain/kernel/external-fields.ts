/** What other systems attach to a record: its id there, and data of their own (D-19). Absent from most rows, which take no space for it. */
import { invalidField } from './errors.ts';
import { blankToNull } from './text.ts';

export interface ExternalFields {
  /** Unique among the records of its kind. */
  readonly externalId?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

export const EXTERNAL_FIELDS = ['externalId', 'metadata'] as const satisfies readonly (keyof ExternalFields)[];

/** The unique key of the tables of such records. */
export const EXTERNAL_ID_KEY = { externalId: { fields: ['externalId'] } } as const;

/** As in a body: null removes a value, an omitted field is unchanged. */
interface ExternalBody {
  readonly externalId?: string | null | undefined;
  readonly metadata?: Readonly<Record<string, string>> | null | undefined;
}

/** The record after a change of these fields. */
export function applyExternalFields<R extends ExternalFields>(record: R, { externalId, metadata }: ExternalBody): R {
  if (externalId === undefined && metadata === undefined) return record;
  return {
    ...record,
    ...(externalId === undefined ? {} : { externalId: blankToNull(externalId) ?? undefined }),
    ...(metadata === undefined ? {} : { metadata: metadata === null || Object.keys(metadata).length === 0 ? undefined : metadata }),
  };
}

/** The fields that a record has, for responses. */
export const presentExternalFields = ({ externalId, metadata }: ExternalFields) => ({
  ...(externalId === undefined ? {} : { externalId }),
  ...(metadata === undefined ? {} : { metadata }),
});

/** The external id of a path, as it is stored. */
export function parseExternalId(text: string): string {
  const externalId = blankToNull(text);
  if (externalId === null) throw invalidField('/external_id', 'external_id must not be blank', 'empty', 'path');
  return externalId;
}
