/** What the address says: the record that is open, filters, and dialogs. */
import { useLocation, useParams, useSearchParams } from 'wouter';
import type { Operation } from '../../contract/operation.ts';
import type { Query } from '../api/index.ts';

export interface Url {
  /** The rest of the path of the view: `documents/0197…` → `['documents', '0197…']`. */
  readonly ids: readonly string[];
  get(name: string): string | undefined;
  set(name: string, value: string | undefined): void;
  /** The parameters that the operation has. */
  getQuery(op: Operation): Query;
  /** Adds the filters to a path. */
  toHref(path: string): string;
  /** Goes to a path with the filters. */
  open(path: string): void;
}

export function useUrl(): Url {
  const { '*': rest = '' } = useParams<{ '*'?: string }>();
  const [params, setParams] = useSearchParams();
  const [, navigate] = useLocation();
  const toHref = (path: string): string => {
    const kept = new URLSearchParams(params);
    kept.delete('new');
    return kept.size === 0 ? path : `${path}?${kept.toString()}`;
  };
  return {
    ids: rest.split('/').filter(Boolean),
    get: (name) => params.get(name) ?? undefined,
    set: (name, value = '') =>
      setParams(
        (before) => {
          const after = new URLSearchParams(before);
          if (value === '') after.delete(name);
          else after.set(name, value);
          return after;
        },
        { replace: true },
      ),
    getQuery: ({ query }) =>
      Object.fromEntries([...params].filter(([name, value]) => Object.hasOwn(query?.properties ?? {}, name) && value !== '')),
    toHref,
    open: (path) => navigate(toHref(path)),
  };
}

/** A dialog that is open while the address has its name. */
export function useFlag(name: string): readonly [isOn: boolean, set: (isOn: boolean) => void] {
  const { get, set } = useUrl();
  return [get(name) === 'true', (isOn) => set(name, isOn ? 'true' : undefined)];
}

/** The record below a path that is open: that of `/items/0197…`. */
export function useOpenRecord(path: string): { readonly id: string | undefined; readonly close: () => void } {
  const [location] = useLocation();
  const { open } = useUrl();
  const id = location.startsWith(`${path}/`) ? location.slice(path.length + 1) : undefined;
  return { id, close: () => open(path) };
}
