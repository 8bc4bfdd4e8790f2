/** Stock: levels per item and site, and the documents that change them. */
import { Link } from 'wouter';
import { useSubPath } from '../ui/selection.ts';
import { Documents } from './documents.tsx';
import { Levels } from './levels.tsx';

export default function Stock() {
  const [tab, id] = useSubPath();
  const isDocuments = tab === 'documents';
  const tabs = (
    <nav className="tabs" aria-label="Stock">
      <Link href="/stock" aria-current={isDocuments ? undefined : 'page'}>
        Levels
      </Link>
      <Link href="/stock/documents" aria-current={isDocuments ? 'page' : undefined}>
        Documents
      </Link>
    </nav>
  );
  return isDocuments ? <Documents id={id} tabs={tabs} /> : <Levels tabs={tabs} />;
}
