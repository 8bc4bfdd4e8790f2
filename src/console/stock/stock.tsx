/** Stock: levels per item and site, the documents that change them, and the ledger. */
import { Link } from 'wouter';
import { useSubPath } from '../ui/selection.ts';
import { CountSheet } from './count-sheet.tsx';
import { Documents } from './documents.tsx';
import { Levels } from './levels.tsx';
import { Movements } from './movements.tsx';

const TABS = { '': 'Levels', documents: 'Documents', movements: 'Movements', count: 'Count' } as const;

export default function Stock() {
  const [tab = '', id] = useSubPath();
  const tabs = (
    <nav className="tabs" aria-label="Stock">
      {Object.entries(TABS).map(([path, title]) => (
        <Link key={path} href={path === '' ? '/stock' : `/stock/${path}`} aria-current={tab === path ? 'page' : undefined}>
          {title}
        </Link>
      ))}
    </nav>
  );
  if (tab === 'documents') return <Documents id={id} tabs={tabs} />;
  if (tab === 'count') return <CountSheet tabs={tabs} />;
  return tab === 'movements' ? <Movements tabs={tabs} /> : <Levels tabs={tabs} />;
}
