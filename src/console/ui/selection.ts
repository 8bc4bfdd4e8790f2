/** The record that the URL selects, and dialogs that a link opens with `?new=true`. */
import { useParams, useSearch, useSearchParams } from 'wouter';

/** The rest of the path of the view: `documents/0197…` → `['documents', '0197…']`. */
export function useSubPath(): readonly string[] {
  const { '*': rest = '' } = useParams<{ '*'?: string }>();
  return rest.split('/').filter(Boolean);
}

/** Adds the filters of the list to a path. */
export function useWithFilters(): (path: string) => string {
  const search = useSearch();
  const kept = new URLSearchParams(search);
  kept.delete('new');
  const text = kept.toString();
  return (path) => (text === '' ? path : `${path}?${text}`);
}

export function useFlag(name: string): readonly [isOn: boolean, set: (isOn: boolean) => void] {
  const [params, setParams] = useSearchParams();
  const set = (isOn: boolean): void =>
    setParams(
      (before) => {
        const after = new URLSearchParams(before);
        if (isOn) after.set(name, 'true');
        else after.delete(name);
        return after;
      },
      { replace: true },
    );
  return [params.get(name) === 'true', set];
}
