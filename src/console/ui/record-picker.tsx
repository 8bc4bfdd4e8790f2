/** Chooses a record by its name, from the list of its kind. */
import { useQuery } from '@tanstack/react-query';
import { type InputHTMLAttributes, useState } from 'react';
import { RECORD_LISTS } from '../../contract/record-lists.ts';
import { ALL_MODULES } from '../../contract/resources/orders.ts';
import { type RecordKind, getRecordNames } from '../../contract/schema/record-kinds.ts';
import { type Query, callAny, useAccess } from '../api/index.ts';
import { Combobox } from './combobox.tsx';

interface PickerProps extends InputHTMLAttributes<HTMLInputElement> {
  readonly kind: RecordKind;
  /** The id. */
  readonly value: string;
  readonly onPick: (id: string) => void;
}

type Row = Readonly<Record<string, unknown>>;

const SHOWN = 8;

/** Names of a record, the most telling last: `BEAN-01 · House blend`. */
export function describeRecord(kind: RecordKind, row: Row): string {
  const names = Object.keys(getRecordNames(kind).fields).flatMap((field) => {
    const value = row[field];
    return typeof value === 'string' && value !== '' ? [value] : [];
  });
  return names.slice(0, 2).join(' · ') || String(row['id']);
}

/** Settings are read over /v1. */
export const getList = (kind: RecordKind) => RECORD_LISTS[kind].remoteOperation ?? RECORD_LISTS[kind].operation;

/** Of all modules if they are orders. */
export async function readRecords(kind: RecordKind, query: Query): Promise<readonly Row[]> {
  const base = kind === 'order' ? { module: ALL_MODULES } : {};
  return ((await callAny(getList(kind), { query: { ...base, ...query } })) as { data: readonly Row[] }).data;
}

const useRecords = (kind: RecordKind, query: Query, enabled: boolean): readonly Row[] =>
  useQuery({
    queryKey: [getList(kind).id, 'picker', query],
    queryFn: () => readRecords(kind, { page_size: 50, ...query }),
    enabled,
  }).data ?? [];

/** A session that may not read the list enters the id. */
export function RecordPicker(props: PickerProps) {
  const { kind, onPick, ...input } = props;
  if (useAccess().can(getList(kind))) return <ListPicker {...props} />;
  return <input {...input} placeholder={`ID of the ${getRecordNames(kind).noun}`} onChange={({ target }) => onPick(target.value)} />;
}

function ListPicker({ kind, value, onPick, ...input }: PickerProps) {
  const [typed, setTyped] = useState<string>();
  const { noun } = getRecordNames(kind);
  const hasIds = Object.hasOwn(getList(kind).query?.properties ?? {}, 'id');
  const chosen = useRecords(kind, hasIds ? { id: value } : {}, value !== '');
  const found = useRecords(kind, typed ? { search: typed } : {}, typed !== undefined);
  const current = chosen.find((row) => row['id'] === value);
  return (
    <Combobox
      isPopup
      text={typed ?? (current ? describeRecord(kind, current) : value)}
      onText={(text) => {
        setTyped(text);
        if (text === '') onPick('');
      }}
      options={typed === undefined ? [] : found.slice(0, SHOWN)}
      getKey={(row) => String(row['id'])}
      show={(row) => describeRecord(kind, row)}
      onChoose={(row) => {
        onPick(String(row['id']));
        setTyped(undefined);
      }}
      label={`Matching ${noun}s`}
      input={{
        ...input,
        placeholder: `Search ${noun}`,
        onFocus: ({ target }) => target.select(),
        onBlur: () => setTyped(undefined),
        onKeyDown: (event) => {
          if (!(typed === undefined ? ['ArrowDown'] : ['Escape', 'Enter']).includes(event.key)) return;
          setTyped(typed === undefined ? '' : undefined);
          event.preventDefault();
        },
      }}
    />
  );
}
