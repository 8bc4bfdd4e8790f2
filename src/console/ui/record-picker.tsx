/** Chooses a record by its name: a combobox over the list of its kind. */
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { Operation } from '../../contract/operation.ts';
import { RECORD_LISTS } from '../../contract/record-lists.ts';
import { readCategories, readSites, readUnits, readUsers } from '../../contract/resources/settings.ts';
import { type RecordKind, getRecordNames } from '../../contract/schema/record-kinds.ts';
import { callAny } from '../api/client.ts';
import type { Row } from '../api/queries.ts';
import { useOptionKeys } from './option-keys.ts';

export interface PickerProps {
  readonly kind: RecordKind;
  readonly id: string;
  readonly value: string;
  readonly isInvalid: boolean;
  readonly describedBy: string | undefined;
  readonly label?: string;
  readonly onChange: (id: string) => void;
}

const SHOWN = 8;
/** Lists of settings that a session may read. */
const SETTINGS: Readonly<Partial<Record<RecordKind, Operation>>> = {
  category: readCategories,
  site: readSites,
  unit: readUnits,
  user: readUsers,
};

/** Names of a record, the most telling last: `BEAN-01 · House blend`. */
function describeRecord(kind: RecordKind, row: Row): string {
  const names = Object.keys(getRecordNames(kind).fields).flatMap((field) => {
    const value = row[field];
    return typeof value === 'string' && value !== '' ? [value] : [];
  });
  return names.slice(0, 2).join(' · ') || String(row['id']);
}

const getList = (kind: RecordKind): Operation => SETTINGS[kind] ?? RECORD_LISTS[kind].operation;

function useRecords(kind: RecordKind, query: Readonly<Record<string, string>>, enabled: boolean) {
  const { queries = [{}] } = RECORD_LISTS[kind];
  const operation = getList(kind);
  const base = kind === 'order' ? { module: 'all' } : (queries[0] ?? {});
  return useQuery({
    queryKey: [operation.id, 'picker', query],
    queryFn: async () => ((await callAny(operation, { query: { ...base, page_size: 50, ...query } })) as { data: Row[] }).data,
    enabled,
  });
}

export function RecordPicker({ kind, id, value, isInvalid, describedBy, label, onChange }: PickerProps) {
  const [typed, setTyped] = useState<string>();
  const listId = useId();
  const hasIds = Object.hasOwn(getList(kind).query?.properties ?? {}, 'id');
  const chosen = useRecords(kind, hasIds ? { id: value } : {}, value !== '');
  const found = useRecords(kind, typed ? { search: typed } : {}, typed !== undefined);
  const rows = (found.data ?? []).slice(0, SHOWN);
  const current = chosen.data?.find((row) => row['id'] === value);
  const shown = typed ?? (value === '' ? '' : current ? describeRecord(kind, current) : value);
  const choose = (row: Row | undefined): void => {
    if (row) onChange(String(row['id']));
    setTyped(undefined);
  };
  const { active, setActive, handleKey } = useOptionKeys(rows.length, (index) => choose(rows[index]));
  const isOpen = typed !== undefined && rows.length > 0;
  return (
    <div className="picker">
      <input
        id={id}
        role="combobox"
        autoComplete="off"
        aria-label={label}
        aria-expanded={isOpen}
        aria-controls={listId}
        aria-activedescendant={isOpen ? `${listId}-${String(active)}` : undefined}
        aria-invalid={isInvalid || undefined}
        aria-describedby={describedBy}
        value={shown}
        placeholder={`Search ${getRecordNames(kind).noun}`}
        onFocus={(event) => event.target.select()}
        onChange={(event) => {
          setTyped(event.target.value);
          setActive(0);
          if (event.target.value === '') onChange('');
        }}
        onKeyDown={(event) => {
          if (typed === undefined ? event.key === 'ArrowDown' : event.key === 'Escape') setTyped(typed === undefined ? '' : undefined);
          else if (typed !== undefined) return handleKey(event);
          else return;
          event.preventDefault();
        }}
        onBlur={() => setTyped(undefined)}
      />
      <Options kind={kind} id={listId} rows={isOpen ? rows : []} active={active} onChoose={choose} />
    </div>
  );
}

interface OptionsProps {
  readonly kind: RecordKind;
  readonly id: string;
  readonly rows: readonly Row[];
  readonly active: number;
  readonly onChoose: (row: Row) => void;
}

const Options = ({ kind, id, rows, active, onChoose }: OptionsProps) => (
  <ul role="listbox" id={id} aria-label={`Matching ${getRecordNames(kind).noun}s`} hidden={rows.length === 0}>
    {rows.map((row, index) => (
      <li
        key={String(row['id'])}
        id={`${id}-${String(index)}`}
        role="option"
        aria-selected={index === active}
        dir="auto"
        // Before the field loses the focus.
        onMouseDown={(event) => {
          event.preventDefault();
          onChoose(row);
        }}
      >
        {describeRecord(kind, row)}
      </li>
    ))}
  </ul>
);
