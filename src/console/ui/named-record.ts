/** Records that others refer to: their names, and their views. */
const PATHS = {
  item: '/items/',
  order: '/orders/',
  contact: '/contacts/',
  stock_document: '/stock/documents/',
  stock_level: '/items/',
  reorder_point: '/items/',
  webhook: '/deliveries/endpoints/',
} as const;

export type NamedKind = keyof typeof PATHS;

export const isNamed = (kind: string | undefined): kind is NamedKind => kind !== undefined && Object.hasOwn(PATHS, kind);

/** Undefined if there is no view of its kind. The id of a level is that of its item and site. */
export const toRecordPath = (kind: string, id: string): string | undefined =>
  isNamed(kind) ? PATHS[kind] + (id.split(':')[0] ?? '') : undefined;

/** The whole record, or what another one has of it. */
export interface NamedRecord {
  readonly id: string;
  readonly orderNumber?: string;
  readonly documentNumber?: string;
  readonly company?: string | null;
  readonly name?: string;
}

/** What a column of its kind has. */
export function getName(record: unknown): string | undefined {
  const { orderNumber, documentNumber, company, name } = (record ?? {}) as Partial<NamedRecord>;
  return orderNumber ?? documentNumber ?? (company || name);
}
