/** Tabs: of a view, as links, and of values. */
import { Link } from 'wouter';

interface LinkTabsProps {
  readonly label: string;
  /** Titles by their paths. */
  readonly paths: Readonly<Record<string, string>>;
  readonly current: string;
}

export const LinkTabs = ({ label, paths, current }: LinkTabsProps) => (
  <nav className="tabs" aria-label={label}>
    {Object.entries(paths).map(([path, title]) => (
      <Link key={path} href={path} aria-current={path === current ? 'page' : undefined}>
        {title}
      </Link>
    ))}
  </nav>
);

interface TabsProps<Name extends string> {
  readonly label: string;
  readonly names: readonly Name[];
  readonly selected: string;
  readonly onSelect: (name: Name) => void;
  readonly toText?: (name: Name) => string;
}

export const Tabs = <Name extends string>({ label, names, selected, onSelect, toText = (name) => name }: TabsProps<Name>) => (
  <div className="tabs" role="tablist" aria-label={label}>
    {names.map((name) => (
      <button key={name} type="button" role="tab" aria-selected={name === selected} onClick={() => onSelect(name)}>
        {toText(name)}
      </button>
    ))}
  </div>
);
