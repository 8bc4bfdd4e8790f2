/** Replaces the names in the cells of a row by the ids of the records that they name. */
import { type RecordKind, getRecordNames } from '../../../contract/schema/record-kinds.ts';
import { Failure } from '../../errors/failure.ts';
import { isId } from '../../output/fields.ts';
import type { Column } from './column-mapping.ts';
import { type References, isNamed } from './references.ts';

/** A valid id for the record that a cell names and that was not found, so that only the name is reported. It is never sent. */
export const UNRESOLVED = '00000000-0000-4000-8000-000000000000';

/** A cell that names another record than the id in the same row. */
export interface RenamedReference {
  readonly column: string;
  readonly text: string;
  /** The id of the record that the cell names; null for an empty cell. */
  readonly id: string | null;
}

export type RenamedReferences = Readonly<Record<string, RenamedReference>>;

export interface ReferenceCell {
  readonly column: Column;
  readonly text: string;
}

export interface NameCell {
  readonly column: string;
  readonly path: string;
  readonly text: string;
}

interface ReferenceProblem {
  readonly field: string;
  readonly column: string;
  readonly message: string;
}

export interface ResolvedReferences {
  readonly ids: Readonly<Record<string, string>>;
  readonly renamed: RenamedReferences;
  /** The cell that names the record of a field. */
  readonly names: Readonly<Record<string, NameCell>>;
  readonly problems: readonly ReferenceProblem[];
}

/** Finds the records that the cells of a row, or of a line, name. Cells of other fields are ignored. */
export async function resolveReferences(cells: readonly ReferenceCell[], references: References): Promise<ResolvedReferences> {
  const byField = Map.groupBy(cells, ({ column: { field, schema } }) => (schema?.refersTo === undefined ? undefined : field));
  const ids: Record<string, string> = {};
  const renamed: Record<string, RenamedReference> = {};
  const shown: Record<string, NameCell> = {};
  const problems: ReferenceProblem[] = [];
  for (const [field, own] of byField) {
    const reference = readReference(own);
    if (field === undefined || reference === undefined) continue;
    const { kind, id, names, first } = reference;
    if (names.length === 0) {
      // A cell that was cleared next to the id, which an export has, too.
      if (id !== '' && first !== undefined) renamed[field] = { column: first, text: '', id: null };
      continue;
    }
    if (id !== '' && !(await references.isAvailable(kind))) continue;
    const found = await findReference(references, kind, id, names);
    if (names[0]) shown[field] = names[0];
    if ('message' in found) {
      problems.push({ field, ...found });
      if (id === '') ids[field] = UNRESOLVED;
    } else if (id === '') ids[field] = found.id;
    else if (found.id !== id.toLowerCase()) renamed[field] = { column: names[0]?.column ?? '', text: names[0]?.text ?? '', id: found.id };
  }
  return { ids, renamed, names: shown, problems };
}

function readReference(own: readonly ReferenceCell[]) {
  const kind = own[0]?.column.schema?.refersTo;
  if (kind === undefined) return undefined;
  const order = ['', ...Object.keys(getRecordNames(kind).fields)];
  const idCell = own.find(({ column }) => column.namedBy === undefined);
  const given = own.flatMap(({ column: { name, namedBy }, text }) =>
    namedBy === undefined ? [] : [{ column: name, path: namedBy, text }],
  );
  const isName = idCell !== undefined && idCell.text !== '' && !isId(idCell.text);
  const names = given.filter(({ text }) => text !== '').toSorted((a, b) => order.indexOf(a.path) - order.indexOf(b.path));
  return {
    kind,
    id: isName ? '' : (idCell?.text ?? ''),
    /** The cells with names, the one that names the record best first. */
    names: isName ? [{ column: idCell.column.name, path: '', text: idCell.text }] : names,
    /** The first column with names. */
    first: given[0]?.column,
  };
}

async function findReference(
  references: References,
  kind: RecordKind,
  id: string,
  names: readonly NameCell[],
): Promise<{ readonly id: string } | Pick<ReferenceProblem, 'column' | 'message'>> {
  const [best, ...others] = names;
  try {
    const found = await references.find(kind, new Map(names.map(({ path, text }) => [path, text])));
    const earlier = id === '' ? undefined : await references.getById(kind, id);
    const isKnown = ({ path, text }: NameCell) => isNamed(found, path, text) || (earlier !== undefined && isNamed(earlier, path, text));
    const wrong = others.find((cell) => !isKnown(cell));
    if (wrong === undefined) return found;
    const message = `${wrong.column} "${wrong.text}" is not that of ${best?.text ?? ''}, and an import cannot change it`;
    return { column: wrong.column, message };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { column: best?.column ?? '', message: [error.message, error.hint].filter(Boolean).join('. ') };
  }
}
