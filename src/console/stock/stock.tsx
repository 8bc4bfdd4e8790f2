/** Stock: levels per item and site, the documents that change them, and the ledger. */
import { LinkTabs, useUrl } from '../ui/index.ts';
import { CountSheet } from './count-sheet.tsx';
import { Documents } from './documents.tsx';
import { Levels, Movements } from './levels.tsx';

const TABS = { '/stock': 'Levels', '/stock/documents': 'Documents', '/stock/movements': 'Movements', '/stock/count': 'Count' };

export default function Stock() {
  const [tab] = useUrl().ids;
  const tabs = <LinkTabs label="Stock" paths={TABS} current={tab === undefined ? '/stock' : `/stock/${tab}`} />;
  if (tab === 'documents') return <Documents tabs={tabs} />;
  if (tab === 'count') return <CountSheet tabs={tabs} />;
  return tab === 'movements' ? <Movements tabs={tabs} /> : <Levels tabs={tabs} />;
}
