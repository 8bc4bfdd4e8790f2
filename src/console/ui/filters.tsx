/** The filters of a list, generated from the parameters of its operation, and kept in the URL. */
import { useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'wouter';
import { toLabel } from '../api/format.ts';
import type { ListQuery } from '../api/queries.ts';
import type { Operation } from '../../contract/operation.ts';
import type { AnySchema } from '../../contract/schema/builder.ts';
import { Choice } from './choice.tsx';
import { Icon } from './icon.tsx';

export interface UrlFilters {
  readonly query: ListQuery;
  readonly isFiltered: boolean;
  get(name: string): string | undefined;
  set(name: string, value: string | undefined): void;
}

/** The parameters of the URL that the operation has. */
export function useUrlFilters(op: Operation, defaults: Readonly<Record<string, string>> = {}): UrlFilters {
  const [params, setParams] = useSearchParams();
  const known = op.query?.properties ?? {};
  const given = Object.fromEntries([...params].filter(([name, value]) => Object.hasOwn(known, name) && value !== ''));
  return {
    query: { ...defaults, ...given },
    isFiltered: Object.keys(given).length > 0,
    get: (name) => params.get(name) ?? defaults[name],
    set: (name, value) =>
      setParams(
        (before) => {
          const after = new URLSearchParams(before);
          if (value === undefined || value === '' || value === defaults[name]) after.delete(name);
          else after.set(name, value);
          return after;
        },
        { replace: true },
      ),
  };
}

export function Filters({
  op,
  names,
  filters,
}: {
  readonly op: Operation;
  readonly names: readonly string[];
  readonly filters: UrlFilters;
}) {
  return (
    <>
      {op.query?.properties['search'] && <SearchField filters={filters} />}
      {names.map((name) => {
        const schema = op.query?.properties[name];
        return schema && <FilterSelect key={name} name={name} schema={schema} filters={filters} />;
      })}
    </>
  );
}

const SEARCH_DELAY_MS = 200;

function SearchField({ filters }: { readonly filters: UrlFilters }) {
  const given = filters.get('search') ?? '';
  const [text, setText] = useState(given);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // A link or the Back button changed it.
  useEffect(() => setText(given), [given]);
  return (
    <label className="search">
      <Icon name="search" />
      <input
        type="search"
        value={text}
        placeholder="Search ( / )"
        aria-label="Search"
        maxLength={200}
        onChange={(event) => {
          const { value } = event.target;
          setText(value);
          clearTimeout(timer.current);
          timer.current = setTimeout(() => filters.set('search', value), SEARCH_DELAY_MS);
        }}
      />
    </label>
  );
}

const getValues = (schema: AnySchema): readonly string[] =>
  schema.kind === 'boolean'
    ? ['true', 'false']
    : schema.kind === 'enum'
      ? schema.values
      : schema.kind === 'array'
        ? getValues(schema.items)
        : [];

function FilterSelect({ name, schema, filters }: { readonly name: string; readonly schema: AnySchema; readonly filters: UrlFilters }) {
  const toText = (value: string): string =>
    schema.kind === 'boolean' ? (value === 'true' ? 'Yes' : 'No') : toLabel(value.replaceAll(',', ', '));
  return (
    <Choice
      label={toLabel(name.replace(/^is_/u, ''))}
      value={filters.get(name)}
      values={getValues(schema)}
      toText={toText}
      onChange={(value) => filters.set(name, value)}
    />
  );
}
