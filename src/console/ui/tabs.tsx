/** Tabs: of a view, as links, and of values. */
import { Link, useLocation } from 'wouter';

const TABS = 'flex gap-4.5 overflow-x-auto border-b';
const TAB = `border-b-2 border-transparent py-1.5 whitespace-nowrap text-soft hover:text-ink hover:no-underline
  aria-[current]:border-brand aria-[current]:font-semibold aria-[current]:text-ink
  aria-selected:border-brand aria-selected:font-semibold aria-selected:text-ink`;

interface LinkTabsProps {
  readonly label: string;
  /** Titles by their paths. */
  readonly paths: Readonly<Record<string, string>>;
}

/** Nothing without paths. */
export function LinkTabs({ label, paths }: LinkTabsProps) {
  const [location] = useLocation();
  const current = Object.keys(paths).findLast((path) => location.startsWith(path));
  return (
    current !== undefined && (
      <nav className={TABS} aria-label={label}>
        {Object.entries(paths).map(([path, title]) => (
          <Link key={path} href={path} className={TAB} aria-current={path === current ? 'page' : undefined}>
            {title}
          </Link>
        ))}
      </nav>
    )
  );
}

interface TabsProps<Name extends string> {
  readonly label: string;
  readonly names: readonly Name[];
  readonly selected: string;
  readonly onSelect: (name: Name) => void;
  readonly toText?: (name: Name) => string;
}

export const Tabs = <Name extends string>({ label, names, selected, onSelect, toText = (name) => name }: TabsProps<Name>) => (
  <div className={TABS} role="tablist" aria-label={label}>
    {names.map((name) => (
      <button key={name} className={TAB} type="button" role="tab" aria-selected={name === selected} onClick={() => onSelect(name)}>
        {toText(name)}
      </button>
    ))}
  </div>
);
