/** The command palette: views, new records, and the records that a search finds. */
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useId, useState } from 'react';
import { useLocation } from 'wouter';
import { listContacts } from '../../contract/resources/contacts.ts';
import { listItems } from '../../contract/resources/items.ts';
import { listOrders } from '../../contract/resources/orders.ts';
import { call } from '../api/client.ts';
import { toLabel } from '../api/format.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Icon, type IconName } from '../ui/icon.tsx';
import { useOptionKeys } from '../ui/option-keys.ts';
import { VIEWS } from './views.ts';

interface Entry {
  readonly title: string;
  readonly note: string;
  readonly icon: IconName;
  readonly href: string;
}

const FOUND_MAX = 5;

const COMMANDS: readonly Entry[] = [
  ...VIEWS.map(({ path, title, icon }): Entry => ({ title, note: 'View', icon, href: `/${path}` })),
  { title: 'New item', note: 'Create', icon: 'plus', href: '/items?new=true' },
  { title: 'New order', note: 'Create', icon: 'plus', href: '/orders?new=true' },
  { title: 'New stock document', note: 'Create', icon: 'plus', href: '/stock/documents?new=true' },
  { title: 'New contact', note: 'Create', icon: 'plus', href: '/contacts?new=true' },
  { title: 'Late orders', note: 'Filter', icon: 'orders', href: '/orders?overdue=true' },
  { title: 'Low stock', note: 'Filter', icon: 'stock', href: '/stock?low_stock=true' },
];

async function findRecords(search: string): Promise<readonly Entry[]> {
  const query = { search, page_size: FOUND_MAX };
  // A session may lack the scope of a list.
  const [items, orders, contacts] = await Promise.all([
    call(listItems, { query }).catch(() => ({ data: [] })),
    call(listOrders, { query: { ...query, module: 'all' } }).catch(() => ({ data: [] })),
    call(listContacts, { query }).catch(() => ({ data: [] })),
  ]);
  return [
    ...items.data.map(({ id, name, sku }): Entry => ({ title: name, note: sku ?? 'Item', icon: 'items', href: `/items/${id}` })),
    ...orders.data.map(({ id, orderNumber, contact, status }): Entry => ({
      title: `${orderNumber} ${contact.name}`,
      note: toLabel(status),
      icon: 'orders',
      href: `/orders/${id}`,
    })),
    ...contacts.data.map(({ id, name, company }): Entry => ({
      title: name,
      note: company || 'Contact',
      icon: 'contacts',
      href: `/contacts/${id}`,
    })),
  ];
}

export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('');
  const [, navigate] = useLocation();
  const id = useId();
  const search = useDeferredValue(text.trim());
  const found = useQuery({ queryKey: ['palette', search], queryFn: () => findRecords(search), enabled: search.length > 1 });
  const words = text.trim().toLowerCase().split(/\s+/u);
  const commands = COMMANDS.filter(({ title }) => words.every((word) => title.toLowerCase().includes(word)));
  // Enter must not open what an earlier text found.
  const isCurrent = search === text.trim() && search.length > 1;
  const entries = [...commands, ...(isCurrent ? (found.data ?? []) : [])];
  const open = (entry: Entry | undefined): void => {
    if (!entry) return;
    onClose();
    navigate(entry.href);
  };
  const { active, setActive, handleKey } = useOptionKeys(entries.length, (index) => open(entries[index]));
  return (
    <Dialog title="Search and go to" onClose={onClose}>
      <input
        className="palette-input"
        role="combobox"
        aria-label="Search"
        aria-expanded={entries.length > 0}
        aria-controls={id}
        aria-activedescendant={`${id}-${String(active)}`}
        autoComplete="off"
        placeholder="A view, an item, an order number, a contact…"
        maxLength={200}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setActive(0);
        }}
        onKeyDown={handleKey}
      />
      <ul className="palette" role="listbox" id={id} aria-label="Results">
        {entries.map((entry, index) => (
          <li
            key={entry.href}
            id={`${id}-${String(index)}`}
            role="option"
            aria-selected={index === active}
            onMouseMove={() => setActive(index)}
            onClick={() => open(entry)}
            ref={(element) => {
              if (index === active) element?.scrollIntoView({ block: 'nearest' });
            }}
          >
            <Icon name={entry.icon} />
            <span dir="auto">{entry.title}</span>
            <small>{entry.note}</small>
          </li>
        ))}
      </ul>
      {entries.length === 0 && <p className="soft">{found.isFetching ? 'Searching…' : 'Nothing found'}</p>}
    </Dialog>
  );
}
