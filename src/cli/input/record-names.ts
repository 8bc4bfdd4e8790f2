/** Compares the natural names of records with what a user typed instead of an id, and explains what was not found. */
import { type RecordKind, formatAlternatives, formatNameTerms, getRecordNames } from '../../contract/schema/record-kinds.ts';
import { findClosestMatch } from '../../contract/schema/closest-match.ts';
import { Failure } from '../errors/failure.ts';
import { getValueAt, toPlainText } from '../output/fields.ts';

/** A row of a list. */
export interface NamedRow {
  readonly id: string;
}

const SUGGESTIONS_MAX = 3;

/** Names are compared ignoring case, but not accents: `search` finds more. */
export const normalizeName = (text: string): string => text.trim().normalize('NFC').toLowerCase();

const listNames = (kind: RecordKind, row: NamedRow): readonly string[] =>
  Object.keys(getRecordNames(kind).fields).flatMap((field) => {
    const name = toPlainText(getValueAt(row, field));
    return name === '' ? [] : [name];
  });

/** Returns the rows with exactly this name. */
export function findNamed(kind: RecordKind, rows: readonly NamedRow[], typed: string): readonly NamedRow[] {
  const name = normalizeName(typed);
  return rows.filter((row) => listNames(kind, row).some((each) => normalizeName(each) === name));
}

/** Creates the failure for a name of several records: exit 2, with their ids. */
export function ambiguousName(kind: RecordKind, typed: string, rows: readonly NamedRow[]): Failure {
  const { fields, distinguishing = [], accepted } = getRecordNames(kind);
  const [term = 'id'] = accepted ? Object.values(fields) : [];
  const candidates = rows.map((row) => ({
    ...Object.fromEntries([...Object.keys(fields), ...distinguishing].map((field) => [field, getValueAt(row, field) ?? null])),
    id: row.id,
  }));
  return new Failure('AMBIGUOUS_NAME', `${String(rows.length)} ${pluralize(kind)} have the ${formatNameTerms(kind)} "${typed}"`, {
    hint: `Pass the ${term} instead`,
    details: { candidates },
  });
}

/** Creates the failure for a name that only ended records have: exit 3. `term`: how they ended, such as `revoked`. */
export function endedName(kind: RecordKind, typed: string, rows: readonly NamedRow[], term: string): Failure {
  const { noun, fields } = getRecordNames(kind);
  const [[field, fieldTerm] = ['id', 'id']] = Object.entries(fields);
  const names = rows.map((row) => toPlainText(getValueAt(row, field))).join(', ');
  const message =
    rows.length === 1
      ? `The ${noun} "${typed}" (${names}) is ${term}`
      : `The ${String(rows.length)} ${pluralize(kind)} named "${typed}" (${names}) are ${term}`;
  return new Failure('NOT_FOUND', message, { hint: `To refer to a ${term} ${noun}, pass its ${fieldTerm} instead of its name` });
}

/** Creates the failure for a name of no record: exit 3. `rows`: records that may have been meant. `listCommand`: lists all of them. */
export function unknownName(kind: RecordKind, typed: string, rows: readonly NamedRow[], listCommand: string | null): Failure {
  const near = suggestNames(kind, typed, rows);
  const listHint = listCommand === null ? null : `List the ${pluralize(kind)} with \`${listCommand}\``;
  return new Failure('NOT_FOUND', `No ${getRecordNames(kind).noun} with ${formatNameTerms(kind)} "${typed}"`, {
    hint: near.length === 0 ? listHint : `Did you mean ${formatAlternatives(near)}?`,
  });
}

/** Records with a name that contains what was typed, else those with the closest one. */
function suggestNames(kind: RecordKind, typed: string, rows: readonly NamedRow[]): readonly string[] {
  const names = rows.flatMap((row) => listNames(kind, row));
  const containing = names.filter((name) => normalizeName(name).includes(normalizeName(typed)));
  const closest = findClosestMatch(typed, names);
  // Several records can have the same name, such as the contacts of a company.
  const chosen = new Set(containing.length > 0 ? containing : [closest]);
  const found = rows.filter((row) => listNames(kind, row).some((name) => chosen.has(name))).slice(0, SUGGESTIONS_MAX);
  return found.map((row) => {
    const [name = '', ...others] = listNames(kind, row);
    return others.length === 0 ? name : `${name} (${others.join(', ')})`;
  });
}

export const pluralize = (kind: RecordKind): string => {
  const { noun } = getRecordNames(kind);
  return /[^aeiou]y$/u.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
};
