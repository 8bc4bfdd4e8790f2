/** What the address says: the record that is open, filters, and dialogs. */
import { useLocation, useSearchParams } from 'wouter';
import type { Operation } from '../../contract/operation.ts';
import type { Query } from '../api/index.ts';

export function useUrl() {
  const [params, setParams] = useSearchParams();
  /** Adds the filters to a path. */
  const toHref = (path: string): string => {
    const kept = new URLSearchParams(params);
    kept.delete('new');
    return kept.size === 0 ? path : `${path}?${kept.toString()}`;
  };
  return {
    get: (name: string): string | undefined => params.get(name) ?? undefined,
    set: (name: string, value = ''): void =>
      setParams(
        (before) => {
          const after = new URLSearchParams(before);
          if (value === '') after.delete(name);
          else after.set(name, value);
          return after;
        },
        { replace: true },
      ),
    /** The parameters that the operation has. */
    getQuery: ({ query }: Operation): Query =>
      Object.fromEntries([...params].filter(([name, value]) => Object.hasOwn(query?.properties ?? {}, name) && value !== '')),
    toHref,
  };
}

/** A dialog that is open while the address has its name. */
export function useFlag(name: string): readonly [isOn: boolean, set: (isOn: boolean) => void] {
  const { get, set } = useUrl();
  return [get(name) === 'true', (isOn) => set(name, isOn ? 'true' : undefined)];
}

/** The record below a path that is open: that of `/items/0197…`. */
export function useOpenRecord(path: string): { readonly id: string | undefined; readonly close: () => void } {
  const [location, navigate] = useLocation();
  const { toHref } = useUrl();
  const id = location.startsWith(`${path}/`) ? location.slice(path.length + 1) : undefined;
  return { id, close: () => navigate(toHref(path)) };
}
