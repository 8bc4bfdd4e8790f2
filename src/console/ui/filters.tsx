/** The filters of a list, generated from the parameters of its operation, and kept in the address. */
import { useEffect, useMemo, useRef, useState } from 'react';
import type { Operation } from '../../contract/operation.ts';
import type { AnySchema } from '../../contract/schema/builder.ts';
import { toLabel } from '../api/index.ts';
import { Icon } from './icon.tsx';
import { useUrl } from './url.ts';

interface ChoiceProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly values: readonly string[];
  readonly onChange: (value: string) => void;
  /** What no value means; false if there is always one. */
  readonly none?: string | false;
  readonly toText?: (value: string) => string;
}

/** A filter with one value of a few. */
export const Choice = ({ label, value = '', values, onChange, none = 'Any', toText = (text) => text }: ChoiceProps) => (
  <label
    className={`control inline-flex items-center gap-1.5 whitespace-nowrap text-soft ${value === '' ? '' : 'border-brand bg-brand-back'}`}
  >
    <span>{label}</span>
    <select
      className="min-h-0 w-auto max-w-36 border-0 bg-transparent p-0 font-medium text-ink"
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      {none !== false && <option value="">{none}</option>}
      {[...values, ...(value === '' || values.includes(value) ? [] : [value])].map((option) => (
        <option key={option} value={option}>
          {toText(option)}
        </option>
      ))}
    </select>
  </label>
);

/** A start, so many hours before the time at which it was chosen; undefined for 0. Without a choice a day before. */
export function useSince(label: string, hours: Readonly<Record<string, number>>) {
  const [range, setRange] = useState('');
  const since = useMemo(() => {
    const before = hours[range] ?? 24;
    return before === 0 ? undefined : new Date(Date.now() - before * 3_600_000).toISOString();
  }, [hours, range]);
  return { since, choice: <Choice label={label} none="1 day" value={range} values={Object.keys(hours)} onChange={setRange} /> };
}

/** A choice that the address keeps. */
export function UrlChoice({ name, ...choice }: Omit<ChoiceProps, 'value' | 'onChange'> & { readonly name: string }) {
  const { get, set } = useUrl();
  return <Choice {...choice} value={get(name)} onChange={(value) => set(name, value)} />;
}

export const Filters = ({ op, names }: { readonly op: Operation; readonly names: readonly string[] }) => (
  <>
    {op.query?.properties['search'] && <SearchField />}
    {names.map((name) => {
      const schema = op.query?.properties[name];
      return (
        schema && (
          <UrlChoice
            key={name}
            name={name}
            label={toLabel(name.replace(/^is_/u, ''))}
            values={getValues(schema)}
            toText={(value) => describeValue(schema, value)}
          />
        )
      );
    })}
  </>
);

const SEARCH_DELAY_MS = 200;

function SearchField() {
  const { get, set } = useUrl();
  const given = get('search') ?? '';
  const [text, setText] = useState(given);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // A link or the Back button changed it.
  useEffect(() => setText(given), [given]);
  return (
    <label className="bar relative max-w-80 flex-[1_1_12rem] max-sm:max-w-none max-sm:basis-full">
      <span className="bar absolute left-2 text-soft">
        <Icon name="search" />
      </span>
      <input
        type="search"
        className="pl-7"
        value={text}
        placeholder="Search ( / )"
        aria-label="Search"
        maxLength={200}
        onChange={({ target }) => {
          setText(target.value);
          clearTimeout(timer.current);
          timer.current = setTimeout(() => set('search', target.value), SEARCH_DELAY_MS);
        }}
      />
    </label>
  );
}

function getValues(schema: AnySchema): readonly string[] {
  if (schema.kind === 'boolean') return ['true', 'false'];
  if (schema.kind === 'array') return getValues(schema.items);
  return schema.kind === 'enum' ? schema.values : [];
}

function describeValue(schema: AnySchema, value: string): string {
  if (schema.kind === 'boolean') return value === 'true' ? 'Yes' : 'No';
  // Names of events stay as they are.
  return value.includes('.') ? value : toLabel(value.replaceAll(',', ', '));
}
